import LarderSupport
import LarderTraces

/// Facts of a store about the traces of a workload, in the order of the workload.
package struct StoredTraces: Hashable, Sendable {
  let keys: [TraceKey]
  let memories: [TraceMemory]

  init(keys: [TraceKey]? = nil, memories: [TraceMemory]) {
    self.keys = keys ?? memories.map { TraceKey(seed: $0.facts.seed) }
    self.memories = memories
  }

  package var facts: [TraceFacts] { memories.map(\.facts) }

  package var notes: [String] {
    memories.flatMap { memory in memory.notes.map { "\(memory.facts.name): \($0)" } }
  }

  package func identity(of cell: Cell) -> TraceIdentity? {
    place(of: cell).map { memories[$0].identity }
  }

  package func keys(of cells: [PlannedCell]) -> Set<TraceKey> {
    Set(cells.compactMap { cell in place(of: cell.cell).map { keys[$0] } })
  }

  package var names: [TraceKey: String] {
    Dictionary(zip(keys, facts.map(\.name))) { first, _ in first }
  }

  func place(of cell: Cell) -> Int? {
    memories.firstIndex {
      $0.facts.name == cell.trace && ($0.facts.seed == cell.seed || $0.facts.seed == nil)
    }
  }

  package func agrees(with traces: WorkloadTraces) -> Bool {
    memories.allSatisfy { memory in
      guard let trace = traces.table[memory.facts.name, memory.facts.seed] else { return true }
      return TraceIdentity(trace) == memory.identity
    }
  }
}

/// Stamps of a workload's traces from before they were read.
package struct TraceStamps: Sendable {
  let all: [TraceKey: TraceStamp]

  /// Computes the stamps of the traces that have one.
  ///
  /// - Throws: `StoreError` when the program's file cannot be read.
  package init(of workload: Workload, now: Int64? = nil) throws(StoreError) {
    var all: [TraceKey: TraceStamp] = [:]
    for key in workload.traceKeys {
      all[key] = try TraceStamp(
        workload.sources[key.source], seed: key.seed, of: workload, now: now ?? FileStamp.now())
    }
    self.all = all
  }
}

extension ResultStore {
  package func traces(_ stamps: TraceStamps, of workload: Workload) -> StoredTraces? {
    var memories: [TraceMemory] = []
    for key in workload.traceKeys {
      guard let stamp = stamps.all[key], let memory = memory(of: stamp) else { return nil }
      memories.append(memory)
    }
    // Equal names must be made distinct when the traces are read.
    let names = memories.map(\.facts.name)
    let owners = Set(zip(names, workload.traceKeys.map(\.source)).map { "\($0)\n\($1)" })
    guard owners.count == Set(names).count else { return nil }
    return StoredTraces(keys: workload.traceKeys, memories: memories)
  }

  /// Digests all traces of a workload and stores the facts about those whose files have not changed
  /// since before they were read.
  ///
  /// - Parameter stamps: Computed before the traces were prepared.
  /// - Throws: `StoreError` when the facts cannot be stored.
  package func remember(
    _ traces: WorkloadTraces, of workload: Workload, before stamps: TraceStamps,
    now: Int64? = nil
  ) throws(StoreError) -> StoredTraces {
    let after = try TraceStamps(of: workload, now: now)
    var memories: [TraceMemory] = []
    for (key, facts) in zip(workload.traceKeys, traces.facts) {
      guard let trace = traces.table[facts.name, facts.seed] else { continue }
      let stamp = stamps.all[key]
      let memory = TraceMemory(
        stamp: stamp?.text ?? "", facts: facts, notes: trace.notes,
        identity: TraceIdentity(trace))
      // A name that was only made distinct from another trace of the workload is not its own.
      if let stamp, stamp == after.all[key], facts.name == trace.name {
        try remember(memory, as: stamp)
      }
      memories.append(memory)
    }
    return StoredTraces(keys: workload.traceKeys, memories: memories)
  }

  package func shelf(of traces: StoredTraces) -> StoredShelf {
    StoredShelf(store: self, traces: traces)
  }

  /// Stores prepared traces for other processes, so that these need not read the files; O(bytes).
  ///
  /// - Throws: `TraceError` when they cannot be written, `StoreError` for their folder.
  package func shelve(_ traces: WorkloadTraces, as known: StoredTraces) throws {
    try makeDirectories(folder(.prepared))
    for memory in known.memories {
      guard let trace = traces.table[memory.facts.name, memory.facts.seed] else { continue }
      let file = preparedFile(memory)
      if files.kind(of: file) == .file, PreparedTrace.isIntact(file) { continue }
      try TraceWriter.larder.write(trace, to: file)
    }
  }

  fileprivate func preparedFile(_ memory: TraceMemory) -> String {
    let digest = ContentDigest(of: "\(memory.identity.digest)\n\(memory.facts.name)")
    return "\(folder(.prepared))/\(digest).larder"
  }
}

/// Prepared traces in a store. A damaged one counts as missing: the trace is prepared again.
package struct StoredShelf: Sendable {
  fileprivate let store: ResultStore
  fileprivate let traces: StoredTraces

  func trace(_ key: TraceKey) throws -> PreparedTrace? {
    guard let place = traces.keys.firstIndex(of: key) else { return nil }
    let file = store.preparedFile(traces.memories[place])
    guard store.files.kind(of: file) == .file else { return nil }
    do {
      return try PreparedTrace.load(path: file)
    } catch let error as TraceError where !error.isMemoryShortage {
      // A trace that does not fit into memory is not damaged; preparing it again would fail too.
      return nil
    }
  }
}

/// Facts about a trace that was prepared before: sufficient to plan cells and to find their records
/// without reading the trace again.
package struct TraceMemory: SealedContent {
  static let kind = "trace"

  let stamp: String
  package let facts: TraceFacts
  package let notes: [String]
  package let identity: TraceIdentity

  var fault: String? {
    let isConsistent =
      identity.requests > 0 && identity.objects > 0
      && facts.sampling.represented(identity.requests) == facts.requests
      && facts.sampling.represented(identity.objects) == facts.objects
    return isConsistent ? nil : "its numbers are inconsistent"
  }
}

extension ResultStore {
  private func file(_ stamp: TraceStamp) -> String { "\(folder(.traces))/\(stamp.digest)" }

  /// Facts about the trace of a stamp; nil if unknown, or the file is damaged.
  func memory(of stamp: TraceStamp) -> TraceMemory? {
    let file = file(stamp)
    guard files.kind(of: file) != .nothing else { return nil }
    do throws(SealFault) {
      let memory = try SealedFile.content(TraceMemory.self, in: file)
      return memory.stamp == stamp.text ? memory : nil
    } catch {
      ignore(file, error.description)
      return nil
    }
  }

  func remember(_ memory: TraceMemory, as stamp: TraceStamp) throws(StoreError) {
    try write(try Self.bytes(memory, path), to: file(stamp))
  }
}
