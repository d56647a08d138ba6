import LarderTraces
import LarderWorkloads

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
