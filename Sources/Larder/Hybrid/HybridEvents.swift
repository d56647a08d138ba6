import LarderEngine
public import Synchronization

/// Gathers what happens while parts of a cache are locked, and hands it to whoever listens once
/// they are not. While nobody listens, asking `isActive` is all that it costs.
@usableFromInline
final class HybridEvents: Sendable {
  private struct State {
    var continuations: [Int: AsyncStream<HybridEvent>.Continuation] = [:]
    var handlers: [Int: @Sendable (HybridEvent) -> Void] = [:]
    var next = 0
    // Listening to the tiers, while somebody listens to the cache.
    var sources: [CacheEventToken] = []
    var queue = HybridEventQueue()
    var isDelivering = false
    // Events that a stream's reader was too slow for.
    var droppedByStreams: UInt64 = 0
    var isEmpty: Bool { continuations.isEmpty && handlers.isEmpty }
  }

  private let state = Locked(State())
  @usableFromInline let active = Atomic<Bool>(false)

  init() {}

  deinit { finish() }

  private var place: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Ends all streams.
  func finish() {
    let ended = state.withLock { state in
      defer { state.continuations = [:] }
      return Array(state.continuations.values)
    }
    for continuation in ended { continuation.finish() }
  }

  /// Whether anybody listens.
  @inlinable
  @inline(__always)
  var isActive: Bool { active.load(ordering: .relaxed) }

  /// Events that somebody who listens did not get, for being slower than the cache.
  var droppedEvents: UInt64 { state.withLock { $0.queue.dropped + $0.droppedByStreams } }

  // MARK: Telling

  /// Notes what happened to a key, for `deliver`.
  func note(_ kind: HybridEvent.Kind, _ key: (any DiskKeyRepresentable)?, _ tier: HybridTier?) {
    if isActive { note(HybridEvent(kind, key: key?.diskKey, tier: tier)) }
  }

  /// Notes an event for `deliver`.
  func note(_ event: HybridEvent) {
    guard isActive else { return }
    var event = event
    event.isOfHandler = ForeignCall.isInside(place)
    state.withLock { [event] in $0.queue.append(event) }
  }

  /// Hands over what was noted, in order. No lock of the cache may be held: a handler may call the
  /// cache, and what it does is told to streams alone. While one thread is at it, others leave it
  /// what they have noted.
  func deliver() {
    while let (events, continuations, handlers) = takeQueue() {
      var dropped: UInt64 = 0
      for event in events {
        for continuation in continuations {
          if case .dropped = continuation.yield(event) { dropped += 1 }
        }
        if event.isOfHandler { continue }
        ForeignCall.run(of: place) { for handler in handlers { handler(event) } }
      }
      state.withLock { [dropped] state in
        state.isDelivering = false
        state.droppedByStreams += dropped
      }
    }
  }

  private typealias Delivery = (
    [HybridEvent], [AsyncStream<HybridEvent>.Continuation], [@Sendable (HybridEvent) -> Void]
  )

  private func takeQueue() -> Delivery? {
    state.withLock { state in
      guard !state.isDelivering, !state.queue.isEmpty else { return nil }
      state.isDelivering = true
      return (
        state.queue.takeAll(), Array(state.continuations.values), Array(state.handlers.values)
      )
    }
  }

  // MARK: Listening

  /// A stream of what happens from now on. `sources` begins to listen to the tiers.
  func stream(buffered: Int, _ sources: () -> [CacheEventToken]) -> AsyncStream<HybridEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: HybridEvent.self, bufferingPolicy: .bufferingNewest(buffered))
    let number = add(sources) { $0.continuations[$1] = continuation }
    continuation.onTermination = { [weak self] _ in self?.drop(number) }
    return stream
  }

  /// Calls `handler` with what happens from now on, until `drop` of the number returned.
  func listen(
    _ handler: @escaping @Sendable (HybridEvent) -> Void, _ sources: () -> [CacheEventToken]
  ) -> Int {
    add(sources) { $0.handlers[$1] = handler }
  }

  private func add(
    _ sources: () -> [CacheEventToken], _ change: (inout State, Int) -> Void
  ) -> Int {
    state.withLock { state in
      if state.isEmpty {
        // Who was under way when the last listener ended may have noted something since.
        _ = state.queue.takeAll()
        state.sources = sources()
      }
      state.next += 1
      change(&state, state.next)
      active.store(true, ordering: .relaxed)
      return state.next
    }
  }

  /// Ends a listener; unknown numbers are ignored.
  func drop(_ number: Int) {
    // The end of a handler may run code that ends another listener, so it comes after the lock.
    let (handler, sources) = state.withLock { state in
      state.continuations[number] = nil
      let handler = state.handlers.removeValue(forKey: number)
      guard state.isEmpty else { return (handler, [CacheEventToken]()) }
      active.store(false, ordering: .relaxed)
      _ = state.queue.takeAll()
      defer { state.sources = [] }
      return (handler, state.sources)
    }
    for source in sources { source.cancel() }
    withExtendedLifetime(handler) {}
  }
}
