import LarderEngine
public import Synchronization

/// Hands events to whoever listens. While nobody does, asking `isActive` is all that it costs: one
/// read of memory that does not change.
@usableFromInline
package final class CacheEvents<Key: Sendable>: Sendable {
  private struct Listeners {
    var continuations: [Int: AsyncStream<CacheEvent<Key>>.Continuation] = [:]
    var handlers: [Int: @Sendable (CacheEvent<Key>) -> Void] = [:]
    var next = 0
    var count: Int { continuations.count + handlers.count }
  }

  private let listeners = Locked(Listeners())
  @usableFromInline let active = Atomic<Bool>(false)
  private let droppedCount = Atomic<UInt64>(0)

  /// Events that the reader of a stream did not get, for being slower than the cache.
  var dropped: UInt64 { droppedCount.load(ordering: .relaxed) }

  /// Nobody listens yet.
  package init() {}

  deinit {
    for continuation in listeners.withLock({ Array($0.continuations.values) }) {
      continuation.finish()
    }
  }

  /// Whether anybody listens.
  @inlinable
  package var isActive: Bool { active.load(ordering: .relaxed) }

  /// A stream of what happens from now on, of which the newest `buffered`, at least one, wait to be
  /// read.
  package func stream(buffered: Int) -> AsyncStream<CacheEvent<Key>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: CacheEvent<Key>.self, bufferingPolicy: .bufferingNewest(max(buffered, 1)))
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.continuations[listeners.next] = continuation
      active.store(true, ordering: .relaxed)
      return listeners.next
    }
    continuation.onTermination = { [weak self] _ in self?.drop(number) }
    return stream
  }

  /// Calls `handler` with what happens from now on, until `drop` of the number returned.
  package func listen(_ handler: @escaping @Sendable (CacheEvent<Key>) -> Void) -> Int {
    listeners.withLock { listeners in
      listeners.next += 1
      listeners.handlers[listeners.next] = handler
      active.store(true, ordering: .relaxed)
      return listeners.next
    }
  }

  /// Ends a listener; unknown numbers are ignored.
  package func drop(_ number: Int) {
    listeners.withLock { listeners in
      listeners.continuations[number] = nil
      listeners.handlers[number] = nil
      active.store(listeners.count > 0, ordering: .relaxed)
    }
  }

  /// Hands an event over. No lock of a cache may be held: a handler may call the cache.
  @usableFromInline
  package func send(_ event: CacheEvent<Key>) {
    let (continuations, handlers) = listeners.withLock {
      (Array($0.continuations.values), Array($0.handlers.values))
    }
    for continuation in continuations {
      if case .dropped = continuation.yield(event) {
        droppedCount.wrappingAdd(1, ordering: .relaxed)
      }
    }
    for handler in handlers { handler(event) }
  }
}
