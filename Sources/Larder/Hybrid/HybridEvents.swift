import Dispatch
import LarderEngine
public import Synchronization

/// Collects events while parts of a cache are locked, and delivers them to listeners afterwards.
/// Without listeners, `isActive` is the only cost.
@usableFromInline final class HybridEvents: Sendable {
  private struct State {
    var listeners = EventListeners<HybridEvent>()
    // Subscriptions to the tiers, while the cache has listeners.
    var sources: [CacheEventToken] = []
    var queue = HybridEventQueue()
    var isDelivering = false
    // Events for which a stream's reader was too slow.
    var droppedByStreams: UInt64 = 0
  }

  private static let rest = DispatchQueue(label: "larder.events", attributes: .concurrent)

  private let state = Locked(State())
  @usableFromInline let active = Atomic<Bool>(false)

  deinit { finish() }

  private var place: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  func finish() {
    for continuation in state.withLock({ $0.listeners.end() }) { continuation.finish() }
  }

  @inlinable @inline(__always) var isActive: Bool { active.load(ordering: .relaxed) }

  var droppedEvents: UInt64 { state.withLock { $0.queue.dropped + $0.droppedByStreams } }

  // MARK: Recording

  func note(_ kind: HybridEvent.Kind, _ key: (any DiskKeyRepresentable)?, _ tier: HybridTier?) {
    if isActive { note(HybridEvent(kind, key: key?.diskKey, tier: tier)) }
  }

  func note(_ event: HybridEvent) {
    guard isActive else { return }
    var event = event
    event.isOfHandler = ForeignCall.isInside(place)
    state.withLock { [event] in $0.queue.append(event) }
  }

  /// Delivers the events recorded so far, in order. No lock of the cache may be held: a handler may
  /// call the cache, and events that it causes go to streams only. While one thread delivers,
  /// others leave their events to it, and it leaves those to a thread of the system.
  func deliver() {
    if let delivery = takeQueue(), perform(delivery) { Self.rest.async { self.deliver() } }
  }

  private func perform(_ delivery: Delivery) -> Bool {
    let (events, listeners) = delivery
    var dropped: UInt64 = 0
    for event in events {
      dropped += listeners.yield(event)
      if !event.isOfHandler { ForeignCall.run(of: place) { listeners.call(event) } }
    }
    return state.withLock { [dropped] state in
      state.isDelivering = false
      state.droppedByStreams += dropped
      return !state.queue.isEmpty
    }
  }

  private typealias Delivery = (events: [HybridEvent], listeners: EventListeners<HybridEvent>)

  private func takeQueue() -> Delivery? {
    state.withLock { state in
      guard !state.isDelivering, !state.queue.isEmpty else { return nil }
      state.isDelivering = true
      return (state.queue.takeAll(), state.listeners)
    }
  }

  // MARK: Listening

  func stream(buffered: Int, _ sources: () -> [CacheEventToken]) -> AsyncStream<HybridEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: HybridEvent.self, bufferingPolicy: .bufferingNewest(buffered))
    let number = add(sources) { $0.add(continuation) }
    continuation.onTermination = { [weak self] _ in self?.drop(number) }
    return stream
  }

  func listen(
    _ handler: @escaping @Sendable (HybridEvent) -> Void, _ sources: () -> [CacheEventToken]
  ) -> Int {
    add(sources) { $0.add(handler) }
  }

  private func add(
    _ sources: () -> [CacheEventToken], _ change: (inout EventListeners<HybridEvent>) -> Int
  ) -> Int {
    state.withLock { state in
      if state.listeners.isEmpty {
        // Operations that were running when the last listener ended may have recorded events since.
        _ = state.queue.takeAll()
        state.sources = sources()
      }
      active.store(true, ordering: .relaxed)
      return change(&state.listeners)
    }
  }

  func drop(_ number: Int) {
    // Destroyed after the lock is released: a handler's deinitialisation may remove another
    // listener.
    let (handler, sources) = state.withLock { state in
      let handler = state.listeners.drop(number)
      guard state.listeners.isEmpty else { return (handler, [CacheEventToken]()) }
      active.store(false, ordering: .relaxed)
      _ = state.queue.takeAll()
      defer { state.sources = [] }
      return (handler, state.sources)
    }
    for source in sources { source.cancel() }
    withExtendedLifetime(handler) {}
  }
}

/// Events waiting for delivery, in order. There is room for `eventsMax`; when another one arrives,
/// the oldest is lost.
struct HybridEventQueue {
  static var eventsMax: Int { 4096 }

  // A ring once it is full: the oldest is then at `first`.
  private var events: [HybridEvent] = []
  private var first = 0
  private var lost: UInt64 = 0
  private(set) var dropped: UInt64 = 0

  var isEmpty: Bool { events.isEmpty }

  mutating func append(_ event: HybridEvent) {
    if events.count < Self.eventsMax {
      events.append(event)
      return
    }
    events[first] = event
    first = (first + 1) % events.count
    lost += 1
    dropped += 1
  }

  /// Removes and returns all events, oldest first, preceded by an event with the number of lost
  /// ones.
  mutating func takeAll() -> [HybridEvent] {
    defer {
      events = []
      first = 0
      lost = 0
    }
    if lost == 0 { return events }
    return [HybridEvent(.dropped(lost), key: nil, tier: nil)] + events[first...] + events[..<first]
  }
}

/// An event of a hybrid cache.
public struct HybridEvent: Sendable {
  /// Kind of an event.
  public enum Kind: Sendable {
    /// The tier returned a value for a get.
    case hit
    /// Neither tier had the value.
    case miss
    /// The tier stored a value, possibly replacing another.
    case set
    /// The tier rejected a value: too large, or not admitted by its policy.
    case reject
    /// The tier removed a value on request.
    case remove
    /// The tier evicted a value.
    case evict(EvictionReason)
    /// The tier removed a value because it had expired.
    case expire
    /// The policy of the tier, which chooses among others, changed the policy in charge, with a
    /// request of the key: indices of `TierStatistics.policyChoice`'s policies.
    case switchPolicy(from: UInt8, to: UInt8)
    /// A value on disk was copied to memory, or moved there.
    case promote
    /// A value that memory evicted was moved to disk.
    case demote
    /// The origin returned a value.
    case fetch(isBackground: Bool)
    /// The origin confirmed the stored value.
    case notModified(isBackground: Bool)
    /// The origin has no such value.
    case absent(isBackground: Bool)
    /// The origin failed.
    case fetchFailure(any Error, isBackground: Bool)
    /// A cached value was returned because the origin failed.
    case staleAnswer
    /// An expired value was returned by `cacheThenFetch`, and is being refreshed.
    case staleHit
    /// The given number of events before this one were lost, because listeners were slower than the
    /// cache.
    case dropped(UInt64)
    /// The tier failed, or a value could not be encoded, in an operation that cannot throw.
    case failure(HybridCacheError)
  }

  /// Kind of the event.
  public var kind: Kind
  /// The `diskKey` of the key concerned; nil if the event concerns no single key.
  public var key: String?
  /// The tier concerned; nil if none.
  public var tier: HybridTier?
  var isOfHandler = false

  init(_ kind: Kind, key: String? = nil, tier: HybridTier? = nil) {
    self.kind = kind
    self.key = key
    self.tier = tier
  }

  /// Converts a tier's event to one of the hybrid cache; nil for events that the hybrid cache
  /// reports itself.
  init?(_ kind: CacheEventKind, key: String, tier: HybridTier) {
    switch kind {
    case .set: self.kind = .set
    case .reject: self.kind = .reject
    case .remove: self.kind = .remove
    case .evict(let reason): self.kind = .evict(reason)
    case .expire: self.kind = .expire
    case .switchPolicy(let old, let new): self.kind = .switchPolicy(from: old, to: new)
    case .hit, .miss: return nil
    }
    self.key = key
    self.tier = tier
  }
}
