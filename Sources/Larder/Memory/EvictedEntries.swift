/// What one operation took out of a cache: it is destroyed, and told to listeners, after the lock
/// has been given back, for the end of a value may run code that calls the cache.
@usableFromInline struct EvictedEntries<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  /// What is more than the usual one key and one value, and what listeners are to be told.
  @usableFromInline struct More {
    @usableFromInline var keys: [Key] = []
    @usableFromInline var values: [Value] = []
    @usableFromInline var events: [CacheEvent<Key>] = []
    @usableFromInline var evictions: [MemoryEviction<Key, Value>] = []

    @inlinable init() {}
  }

  @usableFromInline var key: Key?
  @usableFromInline var value: Value?
  // A pointer and not an array: that there is nothing more is then known without a call.
  @usableFromInline var more: UnsafeMutablePointer<More>?
  /// Whether somebody listens.
  @usableFromInline let isHeard: Bool
  /// What is to be handed over with its value.
  @usableFromInline let handing: MemoryHanding

  /// Nothing has left.
  @inlinable @inline(__always) init(isHeard: Bool, handing: MemoryHanding) {
    self.isHeard = isHeard
    self.handing = handing
  }

  /// Takes a key over.
  @inlinable @inline(__always) mutating func take(key: consuming Key) {
    // The end of bytes is nothing.
    if _isPOD(Key.self) { return }
    if self.key == nil { self.key = consume key } else { takeMore(key: key) }
  }

  /// Takes a value over.
  @inlinable @inline(__always) mutating func take(value: consuming Value) {
    if _isPOD(Value.self) { return }
    if self.value == nil { self.value = consume value } else { takeMore(value: value) }
  }

  /// Notes an event where somebody listens.
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

  /// Tells listeners, hands evictions over and destroys everything. No lock may be held; must be
  /// called.
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

/// What a memory cache gave up for want of room, for whoever keeps it elsewhere; where listeners
/// want it, all that leaves or is refused.
@usableFromInline package struct MemoryEviction<Key: Sendable, Value: Sendable>: Sendable {
  /// The key.
  package var key: Key
  /// The value that was stored under it last.
  package var value: Value
  /// What counted against the limit on costs; 1 where costs are not kept.
  package var cost: UInt32
  /// When the entry expires, microseconds of the cache's clock; `UInt64.max` for never. It may have
  /// passed already.
  package var expiresMicroseconds: UInt64
  /// Whether the entry was permanent.
  package var isPermanent: Bool
  /// Why it is not there.
  package var reason: MemoryRemovalReason

  @usableFromInline init(
    key: Key, value: Value, cost: UInt32, expiresMicroseconds: UInt64, isPermanent: Bool,
    reason: MemoryRemovalReason
  ) {
    self.key = key
    self.value = value
    self.cost = cost
    self.expiresMicroseconds = expiresMicroseconds
    self.isPermanent = isPermanent
    self.reason = reason
  }
}

/// What became of a value that was to be stored in memory.
@frozen @usableFromInline package enum MemoryStored: UInt8, Sendable {
  /// It is there.
  case stored
  /// It is larger than what fits, or the policy does not want it; what was there before is removed.
  case rejected
  /// It took another's place and was evicted again at once.
  case evicted
}

/// What a memory cache hands over with its value.
@frozen @usableFromInline enum MemoryHanding: UInt8 {
  /// Nothing.
  case none
  /// What gets and sets evict for want of room.
  case evictions
  /// All that leaves, and what is refused.
  case all
}

/// An entry that has left a memory cache, or a value that it refused.
public struct MemoryRemoval<Key: Sendable, Value: Sendable>: Sendable {
  /// The key.
  public var key: Key
  /// The value that is no longer stored under it; a refused one never was.
  public var value: Value
  /// Why it is not there.
  public var reason: MemoryRemovalReason

  /// A removal, as for a test of a listener.
  public init(key: Key, value: Value, reason: MemoryRemovalReason) {
    self.key = key
    self.value = value
    self.reason = reason
  }
}

/// Why a value is not, or no longer, in a memory cache.
public enum MemoryRemovalReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// Given up for want of room, to a trim or to memory pressure.
  case evicted
  /// A get or a sweep found that it had expired.
  case expired
  /// Another value was set under its key, or one that was refused.
  case replaced
  /// Removed by key or by `removeAll`.
  case removed
  /// Never stored: too large, not wanted by the policy or filter, or set with no time to live.
  case refused
}
