import LarderSystem
import LarderTraces
import LarderWorkloads

/// The traces of a workload as a store knows them, in the order of their seeds.
package struct StoredTraces: Hashable, Sendable {
  /// What is known of each.
  let memories: [TraceMemory]

  /// What reports say of them.
  package var facts: [TraceFacts] { memories.map(\.facts) }

  /// What whoever reads results must know of them.
  package var notes: [String] {
    memories.flatMap { memory in memory.notes.map { "\(memory.facts.name): \($0)" } }
  }

  /// The content of a cell's trace.
  package func identity(of cell: Cell) -> TraceIdentity? {
    memories.first {
      $0.facts.name == cell.trace && ($0.facts.seed == cell.seed || $0.facts.seed == nil)
    }?.identity
  }

  /// The seeds of the traces of cells: nil for the one of a file.
  package func seeds(of cells: [PlannedCell]) -> Set<UInt64?> {
    Set(cells.map { cell in memories.contains { $0.facts.seed == nil } ? nil : cell.cell.seed })
  }

  /// Whether traces that were prepared just now are the ones that were known. Reads them.
  package func agrees(with traces: WorkloadTraces) -> Bool {
    memories.allSatisfy { memory in
      guard let trace = traces.bySeed[memory.facts.seed] else { return true }
      return TraceIdentity(trace) == memory.identity
    }
  }
}

/// The stamps of a workload's traces from before they were read, by seed.
package struct TraceStamps: Sendable {
  let bySeed: [UInt64?: TraceStamp]

  /// Takes the stamps of the traces that have one.
  ///
  /// - Throws: `StoreError` when the program cannot be read.
  package init(of workload: Workload) throws(StoreError) {
    try self.init(of: workload, now: FileStamp.now())
  }

  /// The same at a time of one's own, for tests.
  init(of workload: Workload, now: Int64) throws(StoreError) {
    var bySeed: [UInt64?: TraceStamp] = [:]
    for seed in workload.traceSeeds {
      bySeed[seed] = try TraceStamp(workload.source, seed: seed, of: workload, now: now)
    }
    self.bySeed = bySeed
  }
}

extension ResultStore {
  /// What is known of a workload's traces; nil where something is not.
  package func traces(_ stamps: TraceStamps, of workload: Workload) -> StoredTraces? {
    var memories: [TraceMemory] = []
    for seed in workload.traceSeeds {
      guard let stamp = stamps.bySeed[seed], let memory = memory(of: stamp) else { return nil }
      memories.append(memory)
    }
    return StoredTraces(memories: memories)
  }

  /// Reads the content of all traces of a workload, and keeps what is known of them: of those
  /// whose files are what they were before they were read.
  ///
  /// - Parameter stamps: Taken before the traces were prepared.
  /// - Throws: `StoreError` when that cannot be kept.
  package func remember(
    _ traces: WorkloadTraces, of workload: Workload, before stamps: TraceStamps
  ) throws(StoreError) -> StoredTraces {
    try remember(traces, of: workload, before: stamps, now: FileStamp.now())
  }

  /// The same at a time of one's own, for tests.
  func remember(
    _ traces: WorkloadTraces, of workload: Workload, before stamps: TraceStamps, now: Int64
  ) throws(StoreError) -> StoredTraces {
    let after = try TraceStamps(of: workload, now: now)
    var memories: [TraceMemory] = []
    for facts in traces.facts {
      guard let trace = traces.bySeed[facts.seed] else { continue }
      let stamp = stamps.bySeed[facts.seed]
      let memory = TraceMemory(
        stamp: stamp?.text ?? "", facts: facts, notes: trace.notes,
        identity: TraceIdentity(trace))
      if let stamp, stamp == after.bySeed[facts.seed] { try remember(memory, as: stamp) }
      memories.append(memory)
    }
    return StoredTraces(memories: memories)
  }

  /// The prepared traces that the store has of those that are known.
  package func shelf(of traces: StoredTraces) -> any TraceShelf {
    StoredShelf(store: self, traces: traces)
  }

  /// Keeps prepared traces for other processes, which then need not read the files; O(bytes).
  ///
  /// - Throws: `TraceError` when they cannot be written, `StoreError` for their folder.
  package func shelve(_ traces: WorkloadTraces, as known: StoredTraces) throws {
    try folder.makeDirectories(folder.folder(.prepared))
    for memory in known.memories {
      guard let trace = traces.bySeed[memory.facts.seed] else { continue }
      let file = preparedFile(memory)
      if folder.files.kind(of: file) == .file, (try? PreparedTrace.load(path: file)) != nil {
        continue
      }
      try LarderWriter().write(trace, to: file)
    }
  }

  /// Where the prepared trace is.
  fileprivate func preparedFile(_ memory: TraceMemory) -> String {
    let digest = ContentDigest(of: "\(memory.identity.digest)\n\(memory.facts.name)")
    return "\(folder.folder(.prepared))/\(digest).larder"
  }
}

/// Prepared traces in a store. One that is damaged is taken for one that is not there: the trace is
/// prepared again.
private struct StoredShelf: TraceShelf {
  let store: ResultStore
  let traces: StoredTraces

  func trace(seed: UInt64?) throws -> PreparedTrace? {
    guard let memory = traces.memories.first(where: { $0.facts.seed == seed }) else { return nil }
    let file = store.preparedFile(memory)
    guard store.folder.files.kind(of: file) == .file else { return nil }
    return try? PreparedTrace.load(path: file)
  }
}
