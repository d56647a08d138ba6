import LarderEngine
public import Synchronization

/// Delivery of events to listeners. Without listeners, `isActive` is the only cost: one read of
/// memory that does not change. `watches` answers the same for listeners and a recording together.
@usableFromInline package final class CacheEvents<Key: Sendable>: Sendable {
  private struct Listeners {
    var all = EventListeners<CacheEvent<Key>>()
    var leader: (@Sendable () -> (from: UInt8, to: UInt8)?)?
    // Demand of a recording: see `watched`.
    var threshold: UInt64 = 0
    // True if all sets and removals are needed: see `watchedChanges`.
    var wantsChanges = false
  }

  private let listeners = Locked(Listeners())
  @usableFromInline let active = Atomic<Bool>(false)
  /// Operations are reported if the lower 32 bits of the key's hash are below this: 0 for none,
  /// 2^32 for all.
  @usableFromInline let watched = Atomic<UInt64>(0)
  /// The threshold for sets and removals, which may be higher than that for all operations.
  @usableFromInline let watchedChanges = Atomic<UInt64>(0)
  private let droppedCount = Atomic<UInt64>(0)

  var dropped: UInt64 { droppedCount.load(ordering: .relaxed) }

  package init() {}

  deinit {
    for continuation in listeners.withLock({ $0.all.end() }) { continuation.finish() }
  }

  @inlinable package var isActive: Bool { active.load(ordering: .relaxed) }

  @inlinable @inline(__always) func watches(_ hash: UInt64) -> Bool {
    UInt64(UInt32(truncatingIfNeeded: hash)) < watched.load(ordering: .relaxed)
  }

  @inlinable @inline(__always) func watchesChanges(_ hash: UInt64) -> Bool {
    UInt64(UInt32(truncatingIfNeeded: hash)) < watchedChanges.load(ordering: .relaxed)
  }

  func watchChanges() {
    listeners.withLock { listeners in
      listeners.wantsChanges = true
      update(listeners)
    }
  }

  func record(_ threshold: UInt64) {
    listeners.withLock { listeners in
      listeners.threshold = threshold
      update(listeners)
    }
  }

  private func update(_ listeners: Listeners) {
    active.store(!listeners.all.isEmpty, ordering: .relaxed)
    let threshold = listeners.all.isEmpty ? listeners.threshold : 1 << 32
    watched.store(threshold, ordering: .relaxed)
    watchedChanges.store(listeners.wantsChanges ? 1 << 32 : threshold, ordering: .relaxed)
  }

  package func stream(buffered: Int) -> AsyncStream<CacheEvent<Key>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: CacheEvent<Key>.self, bufferingPolicy: .bufferingNewest(max(buffered, 1)))
    let number = add { $0.add(continuation) }
    continuation.onTermination = { [weak self] _ in self?.drop(number) }
    return stream
  }

  /// Calls `handler` for all events from now on, until `drop` is called with the returned number.
  package func listen(_ handler: @escaping @Sendable (CacheEvent<Key>) -> Void) -> Int {
    add { $0.add(handler) }
  }

  private func add(_ change: (inout EventListeners<CacheEvent<Key>>) -> Int) -> Int {
    listeners.withLock { listeners in
      defer { update(listeners) }
      return change(&listeners.all)
    }
  }

  /// Reports changes of the policy in charge as well. `leader` is called for each event, without a
  /// lock, and returns a change that was not reported yet.
  func watchLeader(_ leader: @escaping @Sendable () -> (from: UInt8, to: UInt8)?) {
    listeners.withLock { $0.leader = leader }
  }

  package func drop(_ number: Int) {
    // Destroyed after the lock is released: a deinitialiser may remove another listener.
    let ended = listeners.withLock { listeners in
      defer { update(listeners) }
      return listeners.all.drop(number)
    }
    withExtendedLifetime(ended) {}
  }

  /// Delivers an event. No lock of a cache may be held: a handler may call the cache. Events caused
  /// by a handler go to streams only.
  @usableFromInline package func send(_ event: CacheEvent<Key>) {
    let (all, leader) = listeners.withLock { ($0.all, $0.leader) }
    // Before handlers are called: what they change themselves is not reported to them.
    let change = leader?()
    deliver(event, all)
    if let change {
      deliver(CacheEvent(.switchPolicy(from: change.from, to: change.to), event.key), all)
    }
  }

  private func deliver(_ event: CacheEvent<Key>, _ all: EventListeners<CacheEvent<Key>>) {
    droppedCount.wrappingAdd(all.yield(event), ordering: .relaxed)
    // Not delivered to handlers: each event would cause the next.
    let owner = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    if all.handlers.isEmpty || ForeignCall.isInside(owner) { return }
    ForeignCall.run(of: owner) { all.call(event) }
  }
}

/// Streams and handlers by their numbers.
struct EventListeners<Event: Sendable>: Sendable {
  private var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
  private(set) var handlers: [Int: @Sendable (Event) -> Void] = [:]
  private var last = 0

  var isEmpty: Bool { continuations.isEmpty && handlers.isEmpty }

  mutating func add(_ continuation: AsyncStream<Event>.Continuation) -> Int {
    last += 1
    continuations[last] = continuation
    return last
  }

  mutating func add(_ handler: @escaping @Sendable (Event) -> Void) -> Int {
    last += 1
    handlers[last] = handler
    return last
  }

  /// Removes a listener, and returns its handler; unknown numbers are ignored.
  mutating func drop(_ number: Int) -> (@Sendable (Event) -> Void)? {
    continuations[number] = nil
    return handlers.removeValue(forKey: number)
  }

  /// Removes all streams, and returns them.
  mutating func end() -> [AsyncStream<Event>.Continuation] {
    defer { continuations = [:] }
    return Array(continuations.values)
  }

  /// Sends an event to the streams; returns the number of those that have lost another for it.
  func yield(_ event: Event) -> UInt64 {
    continuations.values.reduce(0) { count, continuation in
      if case .dropped = continuation.yield(event) { count + 1 } else { count }
    }
  }

  func call(_ event: Event) { for handler in handlers.values { handler(event) } }
}

/// An event of one key of a cache.
public struct CacheEvent<Key: Sendable>: Sendable {
  /// Kind of the event.
  public var kind: CacheEventKind
  /// The key concerned.
  public var key: Key

  /// Creates an event; see the properties.
  public init(_ kind: CacheEventKind, _ key: Key) {
    self.kind = kind
    self.key = key
  }
}

extension CacheEvent: Equatable where Key: Equatable {}

/// Kind of an event of a cache.
public enum CacheEventKind: Sendable, Hashable {
  /// A value was stored, or replaced another one.
  case set
  /// A value was rejected: too large, or not admitted by the policy.
  case reject
  /// A get returned a value.
  case hit
  /// A get returned no value.
  case miss
  /// A value was removed, by key or with all others.
  case remove
  /// A value was evicted.
  case evict(EvictionReason)
  /// A value's TTL had passed.
  case expire
  /// A policy that chooses among others (`auto`) changed the policy in charge, with a request of
  /// the key; follows that request's own event. Indices of `PolicyChoice.policies`.
  case switchPolicy(from: UInt8, to: UInt8)
}

/// Reason of an eviction.
public enum EvictionReason: Sendable, Hashable, CaseIterable {
  /// To make room for another value.
  case capacity
  /// By a trim.
  case trim
  /// The system was short of memory.
  case pressure
  /// The disk was nearly full.
  case freeSpace
  /// The value was damaged, or could not be written.
  case failure
}

/// Keeps an event handler registered until it is deinitialised.
public final class CacheEventToken: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }

  /// Stops the calls of the handler. A running call may still finish.
  public func cancel() { body() }
}
