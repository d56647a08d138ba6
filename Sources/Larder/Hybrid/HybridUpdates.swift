/// A stream that begins when it is read. It ends with this object.
final class HybridUpdates<Value: Sendable>: @unchecked Sendable {
  private typealias Stream = AsyncStream<CacheResult<Value>>

  private let begin: @Sendable (AsyncStream<CacheResult<Value>>.Continuation) -> Void
  // One reader at a time, as of every stream.
  private var iterator: Stream.Iterator?

  /// A stream to which `begin` sends.
  init(_ begin: @escaping @Sendable (AsyncStream<CacheResult<Value>>.Continuation) -> Void) {
    self.begin = begin
  }

  /// The next element.
  func next() async -> CacheResult<Value>? {
    var reader = iterator ?? Stream(bufferingPolicy: .unbounded, begin).makeAsyncIterator()
    iterator = reader
    return await reader.next()
  }
}
