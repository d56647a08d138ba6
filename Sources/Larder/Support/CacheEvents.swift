import LarderEngine
public import Synchronization

/// Hands events to whoever listens. While nobody does, asking `isActive` is all that it costs: one
/// read of memory that does not change. `watches` is the same question for a listener and for a
/// recording together.
@usableFromInline package final class CacheEvents<Key: Sendable>: Sendable {
  private struct Listeners {
    var continuations: [Int: AsyncStream<CacheEvent<Key>>.Continuation] = [:]
    var handlers: [Int: @Sendable (CacheEvent<Key>) -> Void] = [:]
    var next = 0
    // What a recording wants: see `watched`.
    var threshold: UInt64 = 0
    // Whether all sets and removals are wanted: see `watchedChanges`.
    var wantsChanges = false
    var count: Int { continuations.count + handlers.count }
  }

  private let listeners = Locked(Listeners())
  @usableFromInline let active = Atomic<Bool>(false)
  /// Operations on keys whose hash has lower 32 bits below are told: 0 for none, 2^32 for all.
  @usableFromInline let watched = Atomic<UInt64>(0)
  /// The same for sets and removals, which more may want to hear of.
  @usableFromInline let watchedChanges = Atomic<UInt64>(0)
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
  @inlinable package var isActive: Bool { active.load(ordering: .relaxed) }

  /// Whether anybody listens, or records keys of this hash.
  @inlinable @inline(__always) func watches(_ hash: UInt64) -> Bool {
    UInt64(UInt32(truncatingIfNeeded: hash)) < watched.load(ordering: .relaxed)
  }

  /// Whether anybody listens, records keys of this hash, or wants all sets and removals.
  @inlinable @inline(__always) func watchesChanges(_ hash: UInt64) -> Bool {
    UInt64(UInt32(truncatingIfNeeded: hash)) < watchedChanges.load(ordering: .relaxed)
  }

  /// All sets and removals are wanted from now on.
  func watchChanges() {
    listeners.withLock { listeners in
      listeners.wantsChanges = true
      update(listeners)
    }
  }

  /// Keys are recorded whose hash has lower 32 bits below `threshold`.
  func record(_ threshold: UInt64) {
    listeners.withLock { listeners in
      listeners.threshold = threshold
      update(listeners)
    }
  }

  private func update(_ listeners: Listeners) {
    active.store(listeners.count > 0, ordering: .relaxed)
    let threshold = listeners.count > 0 ? 1 << 32 : listeners.threshold
    watched.store(threshold, ordering: .relaxed)
    watchedChanges.store(listeners.wantsChanges ? 1 << 32 : threshold, ordering: .relaxed)
  }

  /// A stream of what happens from now on, of which the newest `buffered`, at least one, wait to be
  /// read.
  package func stream(buffered: Int) -> AsyncStream<CacheEvent<Key>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: CacheEvent<Key>.self, bufferingPolicy: .bufferingNewest(max(buffered, 1)))
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.continuations[listeners.next] = continuation
      update(listeners)
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
      update(listeners)
      return listeners.next
    }
  }

  /// Ends a listener; unknown numbers are ignored.
  package func drop(_ number: Int) {
    // Its end may run code that ends another listener, so it comes after the lock.
    let ended = listeners.withLock { listeners in
      listeners.continuations[number] = nil
      let handler = listeners.handlers.removeValue(forKey: number)
      update(listeners)
      return handler
    }
    withExtendedLifetime(ended) {}
  }

  /// Hands an event over. No lock of a cache may be held: a handler may call the cache; what it
  /// does is told to streams alone.
  @usableFromInline package func send(_ event: CacheEvent<Key>) {
    let (continuations, handlers) = listeners.withLock {
      (Array($0.continuations.values), Array($0.handlers.values))
    }
    for continuation in continuations {
      if case .dropped = continuation.yield(event) {
        droppedCount.wrappingAdd(1, ordering: .relaxed)
      }
    }
    // What a handler does is not told to handlers: each event would be the cause of the next.
    let owner = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    if handlers.isEmpty || ForeignCall.isInside(owner) { return }
    ForeignCall.run(of: owner) { for handler in handlers { handler(event) } }
  }
}

/// Something that happened to one key of a cache.
public struct CacheEvent<Key: Sendable>: Sendable {
  /// What happened.
  public var kind: CacheEventKind
  /// To which key.
  public var key: Key

  /// An event; see the properties.
  public init(_ kind: CacheEventKind, _ key: Key) {
    self.kind = kind
    self.key = key
  }
}

extension CacheEvent: Equatable where Key: Equatable {}

/// What can happen to a key of a cache.
public enum CacheEventKind: Sendable, Hashable {
  /// A value was stored, or took another's place.
  case set
  /// A value was refused: too large, or not wanted by the policy.
  case reject
  /// A get was answered.
  case hit
  /// A get was not answered.
  case miss
  /// A value was removed because somebody asked for it, by key or all of them.
  case remove
  /// A value had to go: the policy chose it.
  case evict(EvictionReason)
  /// A value had lived for as long as it was meant to.
  case expire
}

/// Why a value had to go though nobody asked for it by key.
public enum EvictionReason: Sendable, Hashable, CaseIterable {
  /// There was no room for another.
  case capacity
  /// Somebody trimmed the cache.
  case trim
  /// The system was short of memory.
  case pressure
  /// The disk was nearly full.
  case freeSpace
  /// The value was damaged, or could not be written.
  case failure
}

/// Keeps a handler of events listening for as long as it lives.
public final class CacheEventToken: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }

  /// Ends the calls of the handler. One that is under way may still finish.
  public func cancel() { body() }
}
