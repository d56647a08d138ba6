import LarderEngine
import LarderSimulation
import LarderWorkloads

/// A record of a store: what was counted in a cell. Whoever computes it gets the same bytes.
package struct StoredCell: Hashable, Sendable, Codable {
  /// The cell, as `CellKey` describes it.
  package let cell: String
  /// The rules by which it was counted.
  package let rules: String
  /// What happened.
  package let counts: Counts
  /// Distinct objects in the trace.
  package let objectsDistinct: UInt64
  /// Access time from the latency model that is part of the cell.
  package let modelled: ModelledAccessTime?
  /// What was found of the prefixes of prompts; nil where they are not counted.
  package let prefix: PrefixCounts?
  /// What was written to flash; nil for a cache that is not on it.
  package let flash: FlashCounts?

  /// What is kept of a record.
  init(_ record: Record, key: CellKey, rules: StoreRules) {
    cell = key.text
    self.rules = rules.description
    counts = record.counts
    objectsDistinct = record.objectsDistinct
    modelled = record.modelled
    prefix = record.prefix
    flash = record.flash
  }

  /// The record that a run has of it, without timings.
  func record(of cell: Cell) -> Record {
    var record = Record(
      cell: cell, counts: counts, objectsDistinct: objectsDistinct, modelled: modelled)
    record.prefix = prefix
    record.flash = flash
    return record
  }
}

/// How long a cell took where it was computed.
package struct StoredTimings: Hashable, Sendable, Codable {
  /// The cell, as `CellKey` describes it.
  package let cell: String
  /// The rules by which it was counted.
  package let rules: String
  /// The machine and the build.
  package let machine: MachineDescription
  /// Cells that ran at the same time.
  package let threads: Int
  /// One sample a repetition.
  package let timings: [Timing]
}

/// What the files of cells and of timings have in common.
protocol StoredEntry: Codable, Hashable, Sendable {
  /// The kind of file.
  static var kind: String { get }
  /// Where the files are.
  static var part: StoreFolder.Part { get }
  var cell: String { get }
  var rules: String { get }
  /// The first contradiction, or nil.
  var fault: String? { get }
}

extension StoredCell: StoredEntry {
  static var kind: String { "cell" }
  static var part: StoreFolder.Part { .cells }
  var fault: String? {
    (counts.fault ?? prefix?.fault ?? flash?.fault).map { "its counts cannot be: \($0)" }
  }
}

extension StoredTimings: StoredEntry {
  static var kind: String { "timings" }
  static var part: StoreFolder.Part { .timings }
  var fault: String? {
    let isPossible = timings.allSatisfy { $0.seconds >= 0 && $0.threads >= 1 } && threads >= 1
    return isPossible ? nil : "its timings cannot be"
  }
}
