import LarderEngine
import LarderSupport

/// Cells of one workload in a store: the existing ones, read in advance, and the destination of new
/// ones.
package final class StoredRecords: Sendable {
  private let store: ResultStore
  private let keys: [PlannedCell: CellKey]
  private let found: [PlannedCell: ResultStore.Found]
  private let machine: MachineDescription
  private let threads: Int
  /// True if a record that cannot be stored ends the run.
  private let mustKeep: Bool
  private let failure = Locked<StoreError?>(nil)

  /// Looks up cells, on all cores.
  ///
  /// - Parameters:
  ///   - identities: The content of a cell's trace; cells without one are neither looked up nor
  ///     stored.
  ///   - threads: Number of cells simulated concurrently, for timings.
  ///   - mustKeep: True if a record that cannot be stored ends the run; if false, see `failure`.
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
    let all = parallelMap(count: known.count, threads: known.count) {
      store.find(known[$0].1)
    }
    found = Dictionary(
      zip(known, all).compactMap { known, found in found.map { (known.0, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Record of a cell from an earlier run, without its timings, which do not apply to this run.
  package func record(of planned: PlannedCell) -> Record? {
    found[planned]?.cell?.record(of: planned.cell)
  }

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

  package var keepingFault: StoreError? { failure.withLock { $0 } }

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

  package func sweepThreads(of cells: [PlannedCell]) -> Int {
    cells.reduce(1) { most, planned in
      keys[planned].map { store.timings($0).reduce(most) { max($0, $1.threads) } } ?? most
    }
  }

  package func damaged(in cells: [PlannedCell]) -> [StoreDamage] {
    cells.flatMap { found[$0]?.damaged ?? [] }
  }

  package func conflicts(in cells: [PlannedCell]) -> [(cell: PlannedCell, files: [String])] {
    cells.compactMap { planned in
      found[planned].flatMap { $0.conflicting.isEmpty ? nil : (planned, $0.conflicting) }
    }
  }

  package func foreignRules(of planned: PlannedCell) -> [String] {
    found[planned].flatMap { $0.cell == nil ? $0.foreignRules : nil } ?? []
  }
}

/// A record of a store: the counts of a cell, with identical bytes on all machines.
package struct StoredCell: Hashable, Sendable, Codable {
  package let cell: String
  package let rules: String
  package let counts: Counts
  package let objectsDistinct: UInt64
  package let modelled: ModelledAccessTime?
  package let prefix: PrefixCounts?
  package let flash: FlashCounts?
  package let course: ChoiceCourse?
  package let hitRatios: String?

  init(_ record: Record, key: CellKey, rules: StoreRules) {
    cell = key.text
    self.rules = rules.description
    counts = record.counts
    objectsDistinct = record.objectsDistinct
    modelled = record.modelled
    prefix = record.prefix
    flash = record.flash
    course = record.course
    hitRatios = record.hitRatios
  }

  func record(of cell: Cell) -> Record {
    var record = Record(
      cell: cell, counts: counts, objectsDistinct: objectsDistinct, modelled: modelled)
    record.prefix = prefix
    record.flash = flash
    record.course = course
    record.hitRatios = hitRatios
    return record
  }
}

package struct StoredTimings: Hashable, Sendable, Codable {
  package let cell: String
  package let rules: String
  package let machine: MachineDescription
  package let threads: Int
  package let timings: [Timing]
}

/// A file of a cell, with its text and rules.
protocol StoredEntry: SealedContent {
  static var part: ResultStore.Part { get }
  var cell: String { get }
  var rules: String { get }
}

extension StoredCell: StoredEntry {
  static var kind: String { "cell" }
  static var part: ResultStore.Part { .cells }
  var fault: String? {
    (counts.fault ?? prefix?.fault ?? flash?.fault ?? course?.fault).map { "invalid counts: \($0)" }
  }
}

extension StoredTimings: StoredEntry {
  static var kind: String { "timings" }
  static var part: ResultStore.Part { .timings }
  var fault: String? {
    let isPossible = timings.allSatisfy { $0.seconds >= 0 && $0.threads >= 1 } && threads >= 1
    return isPossible ? nil : "invalid timings"
  }
}
