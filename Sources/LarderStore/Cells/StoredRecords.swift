import Dispatch
import LarderEngine
import LarderSimulation
import LarderWorkloads

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
