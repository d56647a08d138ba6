import LarderSupport
import LarderTraces

/// The traces of a workload as a store knows them, in the order of the workload.
package struct StoredTraces: Hashable, Sendable {
  /// Which each of them is.
  let keys: [TraceKey]
  /// What is known of each.
  let memories: [TraceMemory]

  /// Traces, of a single source unless `keys` say otherwise.
  init(keys: [TraceKey]? = nil, memories: [TraceMemory]) {
    self.keys = keys ?? memories.map { TraceKey(seed: $0.facts.seed) }
    self.memories = memories
  }

  /// What reports say of them.
  package var facts: [TraceFacts] { memories.map(\.facts) }

  /// What whoever reads results must know of them.
  package var notes: [String] {
    memories.flatMap { memory in memory.notes.map { "\(memory.facts.name): \($0)" } }
  }

  /// The content of a cell's trace.
  package func identity(of cell: Cell) -> TraceIdentity? {
    place(of: cell).map { memories[$0].identity }
  }

  /// The traces of cells.
  package func keys(of cells: [PlannedCell]) -> Set<TraceKey> {
    Set(cells.compactMap { cell in place(of: cell.cell).map { keys[$0] } })
  }

  /// The names that results have for the traces.
  package var names: [TraceKey: String] {
    Dictionary(zip(keys, facts.map(\.name))) { first, _ in first }
  }

  private func place(of cell: Cell) -> Int? {
    memories.firstIndex {
      $0.facts.name == cell.trace && ($0.facts.seed == cell.seed || $0.facts.seed == nil)
    }
  }

  /// Whether traces that were prepared just now are the ones that were known. Reads them.
  package func agrees(with traces: WorkloadTraces) -> Bool {
    memories.allSatisfy { memory in
      guard let trace = traces.table[memory.facts.name, memory.facts.seed] else { return true }
      return TraceIdentity(trace) == memory.identity
    }
  }
}

/// The stamps of a workload's traces from before they were read.
package struct TraceStamps: Sendable {
  let all: [TraceKey: TraceStamp]

  /// Takes the stamps of the traces that have one.
  ///
  /// - Throws: `StoreError` when the program cannot be read.
  package init(of workload: Workload) throws(StoreError) {
    try self.init(of: workload, now: FileStamp.now())
  }

  /// The same at a time of one's own, for tests.
  init(of workload: Workload, now: Int64) throws(StoreError) {
    var all: [TraceKey: TraceStamp] = [:]
    for key in workload.traceKeys {
      all[key] = try TraceStamp(
        workload.sources[key.source], seed: key.seed, of: workload, now: now)
    }
    self.all = all
  }
}

extension ResultStore {
  /// What is known of a workload's traces; nil where something is not.
  package func traces(_ stamps: TraceStamps, of workload: Workload) -> StoredTraces? {
    var memories: [TraceMemory] = []
    for key in workload.traceKeys {
      guard let stamp = stamps.all[key], let memory = memory(of: stamp) else { return nil }
      memories.append(memory)
    }
    // Two of the same name would have to be told apart: that is for whoever reads them.
    let names = memories.map(\.facts.name)
    let owners = Set(zip(names, workload.traceKeys.map(\.source)).map { "\($0)\n\($1)" })
    guard owners.count == Set(names).count else { return nil }
    return StoredTraces(keys: workload.traceKeys, memories: memories)
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
    for (key, facts) in zip(workload.traceKeys, traces.facts) {
      guard let trace = traces.table[facts.name, facts.seed] else { continue }
      let stamp = stamps.all[key]
      let memory = TraceMemory(
        stamp: stamp?.text ?? "", facts: facts, notes: trace.notes,
        identity: TraceIdentity(trace))
      // A name that only tells it from another trace of the workload is not its own.
      if let stamp, stamp == after.all[key], facts.name == trace.name {
        try remember(memory, as: stamp)
      }
      memories.append(memory)
    }
    return StoredTraces(keys: workload.traceKeys, memories: memories)
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
      guard let trace = traces.table[memory.facts.name, memory.facts.seed] else { continue }
      let file = preparedFile(memory)
      if folder.files.kind(of: file) == .file, PreparedTrace.isIntact(file) { continue }
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

  func trace(_ key: TraceKey) throws -> PreparedTrace? {
    guard let place = traces.keys.firstIndex(of: key) else { return nil }
    let file = store.preparedFile(traces.memories[place])
    guard store.folder.files.kind(of: file) == .file else { return nil }
    do {
      return try PreparedTrace.load(path: file)
    } catch let error as TraceError where !error.isMemoryShortage {
      // What there is no memory for is not damaged, and would not fit when prepared again.
      return nil
    }
  }
}

/// What a store knows of a trace that was prepared before: enough to plan cells and to find their
/// records without reading the trace again.
package struct TraceMemory: Hashable, Sendable, Codable {
  /// The stamp by which the trace was recognised.
  let stamp: String
  /// What reports say of it.
  package let facts: TraceFacts
  /// What whoever reads results must know of it.
  package let notes: [String]
  /// Its content.
  package let identity: TraceIdentity
}

extension ResultStore {
  private func file(_ stamp: TraceStamp) -> String {
    "\(folder.folder(.traces))/\(stamp.digest)"
  }

  /// What is known of the trace of a stamp; nil where nothing is, or the file is damaged.
  func memory(of stamp: TraceStamp) -> TraceMemory? {
    guard let memory = try? Self.memory(in: file(stamp)), memory.stamp == stamp.text else {
      return nil
    }
    return memory
  }

  /// What the file of a trace says.
  static func memory(in file: String) throws(SealFault) -> TraceMemory {
    try checked(try SealedFile.value(TraceMemory.self, kind: "trace", in: file))
  }

  /// The same memory, if its numbers agree.
  static func checked(_ memory: TraceMemory) throws(SealFault) -> TraceMemory {
    guard memory.identity.requests > 0, memory.identity.objects > 0,
      UInt64(memory.identity.requests) == memory.facts.requests,
      UInt64(memory.identity.objects) == memory.facts.objects
    else { throw .content("its numbers contradict each other") }
    return memory
  }

  /// Keeps what is known of a trace.
  func remember(_ memory: TraceMemory, as stamp: TraceStamp) throws(StoreError) {
    let json = try Self.json(memory, path)
    try folder.write(SealedFile.bytes(kind: "trace", json: json), to: file(stamp))
  }
}
