/// Keys, values and events that one operation removed from a cache.
///
/// They are destroyed, and listeners are notified, after the lock is released, because a
/// deinitialiser may call the cache.
@usableFromInline struct EvictedEntries<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  @usableFromInline struct More {
    @usableFromInline var keys: [Key] = []
    @usableFromInline var values: [Value] = []
    @usableFromInline var events: [CacheEvent<Key>] = []
    @usableFromInline var evictions: [MemoryEviction<Key, Value>] = []

    @inlinable init() {}
  }

  @usableFromInline var key: Key?
  @usableFromInline var value: Value?
  // A pointer instead of an array, because checking it for nil needs no call.
  @usableFromInline var more: UnsafeMutablePointer<More>?
  @usableFromInline let isHeard: Bool
  @usableFromInline let handing: MemoryHanding

  @inlinable @inline(__always) init(isHeard: Bool, handing: MemoryHanding) {
    self.isHeard = isHeard
    self.handing = handing
  }

  @inlinable @inline(__always) mutating func take(key: consuming Key) {
    // Trivial types need no destruction.
    if _isPOD(Key.self) { return }
    if self.key == nil { self.key = consume key } else { takeMore(key: key) }
  }

  @inlinable @inline(__always) mutating func take(value: consuming Value) {
    if _isPOD(Value.self) { return }
    if self.value == nil { self.value = consume value } else { takeMore(value: value) }
  }

  @inlinable @inline(__always) mutating func note(
    _ kind: CacheEventKind, _ key: @autoclosure () -> Key
  ) {
    if isHeard { takeMore(event: CacheEvent(kind, key())) }
  }

  @inlinable @inline(never) mutating func takeMore(key: Key) { needMore().pointee.keys.append(key) }

  @inlinable @inline(never) mutating func takeMore(value: Value) {
    needMore().pointee.values.append(value)
  }

  @inlinable @inline(never) mutating func takeMore(event: CacheEvent<Key>) {
    needMore().pointee.events.append(event)
  }

  @inlinable @inline(never) mutating func takeMore(eviction: MemoryEviction<Key, Value>) {
    needMore().pointee.evictions.append(eviction)
  }

  @inlinable mutating func needMore() -> UnsafeMutablePointer<More> {
    if let more { return more }
    let made = UnsafeMutablePointer<More>.allocate(capacity: 1)
    made.initialize(to: More())
    more = made
    return made
  }

  /// Notifies listeners, passes evictions on and destroys everything. Must be called, with no lock
  /// held.
  @inlinable @inline(__always) consuming func finish(
    _ listeners: CacheEvents<Key>, _ receiver: (@Sendable (MemoryEviction<Key, Value>) -> Void)?
  ) {
    if let more { Self.finish(more, listeners, receiver) }
  }

  @inlinable @inline(never) static func finish(
    _ more: UnsafeMutablePointer<More>, _ listeners: CacheEvents<Key>,
    _ receiver: (@Sendable (MemoryEviction<Key, Value>) -> Void)?
  ) {
    for event in more.pointee.events { listeners.send(event) }
    if let receiver { for eviction in more.pointee.evictions { receiver(eviction) } }
    more.deinitialize(count: 1)
    more.deallocate()
  }
}

/// An entry that a memory cache evicted to make room, for a receiver that stores it elsewhere. On
/// request also every other entry that leaves or is rejected.
@usableFromInline package struct MemoryEviction<Key: Sendable, Value: Sendable>: Sendable {
  package var key: Key
  package var value: Value
  package var cost: UInt32
  package var expiry: Expiry
  package var isPermanent: Bool
  package var reason: MemoryRemovalReason
  /// True if a get or a set evicted it to make room.
  var isForRoom: Bool

  @usableFromInline init(
    key: Key, value: Value, cost: UInt32, expiry: Expiry, isPermanent: Bool,
    reason: MemoryRemovalReason, isForRoom: Bool = false
  ) {
    self.key = key
    self.value = value
    self.cost = cost
    self.expiry = expiry
    self.isPermanent = isPermanent
    self.reason = reason
    self.isForRoom = isForRoom
  }
}

@frozen @usableFromInline package enum MemoryStored: UInt8, Sendable {
  case stored
  /// Larger than the limit, or not admitted by the policy. Any previous value was removed.
  case rejected
  case evicted
}

@frozen @usableFromInline enum MemoryHanding: UInt8 {
  case none
  case evictions
  case all
}

/// Reason why a value is not, or no longer, in a memory cache.
public enum MemoryRemovalReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// Evicted to make room, by a trim or because of memory pressure.
  case evicted
  /// A get or a sweep found that it had expired.
  case expired
  /// Another value was set for its key, even if the cache rejected that value.
  case replaced
  /// Removed by key or by `removeAll`.
  case removed
  /// Never stored: too large, not admitted by the policy or filter, or set with a TTL of zero.
  case refused
}
