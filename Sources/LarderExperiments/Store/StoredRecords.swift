import Dispatch
import LarderEngine

/// The cells of one workload in a store: what is there of them, all read beforehand, and where the
/// others go.
package final class StoredRecords: RecordStore {
  private let store: ResultStore
  private let keys: [PlannedCell: CellKey]
  private let found: [PlannedCell: ResultStore.Found]
  private let machine: MachineDescription
  private let threads: Int
  /// Whether a record that cannot be kept ends the run.
  private let mustKeep: Bool
  private let failure = Locked<StoreError?>(nil)

  /// Looks up cells, on all cores.
  ///
  /// - Parameters:
  ///   - identities: The content of the trace that a cell runs over; cells without one are not
  ///     looked up and not kept.
  ///   - threads: Cells that are simulated at the same time, as timings state it.
  ///   - mustKeep: Whether a record that cannot be kept ends the run; if not, see `failure`.
  package init(
    _ store: ResultStore, cells: [PlannedCell], of workload: Workload,
    identities: (Cell) -> TraceIdentity?, machine: MachineDescription, threads: Int, mustKeep: Bool
  ) {
    self.store = store
    self.machine = machine
    self.threads = threads
    self.mustKeep = mustKeep
    let known = cells.filter(\.isSimulated).compactMap { planned in
      identities(planned.cell).map { identity in
        (
          planned,
          CellKey(planned, over: identity, warmUp: workload.warmUp, latency: workload.latency)
        )
      }
    }
    keys = Dictionary(known, uniquingKeysWith: { first, _ in first })
    let results = Locked([ResultStore.Found?](repeating: nil, count: known.count))
    DispatchQueue.concurrentPerform(iterations: known.count) { index in
      let found = store.find(known[index].1)
      results.withLock { $0[index] = found }
    }
    let all = results.withLock { $0 }
    found = Dictionary(
      zip(known, all).compactMap { known, found in found.map { (known.0, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The record of a cell that the store has.
  package func record(of planned: PlannedCell) -> Record? {
    found[planned]?.cell?.record(of: planned.cell)
  }

  /// Keeps a record in the store.
  package func keep(_ record: Record, of planned: PlannedCell) throws {
    guard let key = keys[planned] else { return }
    do throws(StoreError) {
      if failure.withLock({ $0 != nil }) { return }
      try store.keep(record, as: key, machine: machine, threads: threads)
    } catch {
      if mustKeep { throw error }
      failure.withLock { $0 = error }
    }
  }

  /// The first record that could not be kept, where that does not end the run.
  package var keepingFault: StoreError? { failure.withLock { $0 } }

  /// The record of a cell with the timings of every machine on which it was computed.
  package func timedRecord(of planned: PlannedCell) -> Record? {
    guard let key = keys[planned], var record = record(of: planned) else { return nil }
    for stored in store.timings(key) {
      record.timings += stored.timings.map { timing in
        var timing = timing
        timing.machine = stored.machine.summary
        return timing
      }
    }
    return record
  }

  /// Cells that ran at the same time where these were computed: the most of any; 1 where that is
  /// not known.
  package func sweepThreads(of cells: [PlannedCell]) -> Int {
    cells.reduce(1) { most, planned in
      keys[planned].map { store.timings($0).reduce(most) { max($0, $1.threads) } } ?? most
    }
  }

  /// Damaged files among those of the cells, in the order of the cells.
  package func damaged(in cells: [PlannedCell]) -> [StoreDamage] {
    cells.flatMap { found[$0]?.damaged ?? [] }
  }

  /// The files of cells whose records differ from each other, in the order of the cells.
  package func conflicts(in cells: [PlannedCell]) -> [(cell: PlannedCell, files: [String])] {
    cells.compactMap { planned in
      found[planned].flatMap { $0.conflicting.isEmpty ? nil : (planned, $0.conflicting) }
    }
  }

  /// Rules other than this program's, by which cells that are missing were counted.
  package func foreignRules(of planned: PlannedCell) -> [String] {
    found[planned].flatMap { $0.cell == nil ? $0.foreignRules : nil } ?? []
  }
}

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
