import LarderEngine
public import Synchronization

/// Gathers what happens while parts of a cache are locked, and hands it to whoever listens once
/// they are not. While nobody listens, asking `isActive` is all that it costs.
@usableFromInline final class HybridEvents: Sendable {
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
  @inlinable @inline(__always) var isActive: Bool { active.load(ordering: .relaxed) }

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

/// Events that wait to be handed over, in order. There is room for `eventsMax`; when one more
/// comes, the oldest is lost.
struct HybridEventQueue {
  /// At most how many wait.
  static var eventsMax: Int { 4096 }

  // A ring once it is full: the oldest is then at `first`.
  private var events: [HybridEvent] = []
  private var first = 0
  private var lost: UInt64 = 0
  /// How many were lost since the beginning.
  private(set) var dropped: UInt64 = 0

  init() {}

  var isEmpty: Bool { events.isEmpty }

  /// Adds an event. O(1).
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

  /// Takes all out, the oldest first, and before them an event that says how many were lost.
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

/// Something that happened in a hybrid cache.
public struct HybridEvent: Sendable {
  /// What can happen.
  public enum Kind: Sendable {
    /// A get was answered by the tier.
    case hit
    /// Neither tier had it.
    case miss
    /// The tier stored a value, or put it in another's place.
    case set
    /// The tier refused a value: too large, or not wanted by its policy.
    case reject
    /// The tier removed a value because somebody asked for it.
    case remove
    /// The tier had to give a value up.
    case evict(EvictionReason)
    /// The tier removed a value because it had expired.
    case expire
    /// A value on disk was copied to memory, or moved there.
    case promote
    /// A value that memory evicted was moved to disk.
    case demote
    /// The origin gave a value.
    case fetch(isBackground: Bool)
    /// The origin said that the stored value still holds.
    case notModified(isBackground: Bool)
    /// The origin has no such value.
    case absent(isBackground: Bool)
    /// The origin failed.
    case fetchFailure(any Error, isBackground: Bool)
    /// An old value stood in for an origin that failed.
    case staleAnswer
    /// An expired value was the answer of `cacheThenFetch`, and is being refreshed.
    case staleHit
    /// So many events before this one were lost, because listeners were slower than the cache.
    case dropped(UInt64)
    /// The tier failed, or a value could not be encoded, where nobody could be told by an error.
    case failure(HybridCacheError)
  }

  /// What happened.
  public var kind: Kind
  /// To which key, as its `diskKey`; nil where it was not one key's.
  public var key: String?
  /// In which tier; nil where it was neither's.
  public var tier: HybridTier?
  /// True if a handler of events has caused it, which handlers are not told of.
  var isOfHandler = false

  /// An event, as for a test of a listener.
  public init(_ kind: Kind, key: String? = nil, tier: HybridTier? = nil) {
    self.kind = kind
    self.key = key
    self.tier = tier
  }

  /// What a tier tells of itself as a hybrid tells it; nil for what the hybrid tells better.
  init?(_ kind: CacheEventKind, key: String, tier: HybridTier) {
    switch kind {
    case .set: self.kind = .set
    case .reject: self.kind = .reject
    case .remove: self.kind = .remove
    case .evict(let reason): self.kind = .evict(reason)
    case .expire: self.kind = .expire
    case .hit, .miss: return nil
    }
    self.key = key
    self.tier = tier
  }
}
