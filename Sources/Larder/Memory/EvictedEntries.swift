/// What one operation took out of a cache: it is destroyed, and told to listeners, after the lock
/// has been given back, for the end of a value may run code that calls the cache.
@usableFromInline
struct EvictedEntries<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  /// What is more than the usual one key and one value, and what listeners are to be told.
  @usableFromInline
  struct More {
    @usableFromInline var keys: [Key] = []
    @usableFromInline var values: [Value] = []
    @usableFromInline var events: [CacheEvent<Key>] = []
    @usableFromInline var evictions: [MemoryEviction<Key, Value>] = []

    @inlinable
    init() {}
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
  @inlinable
  @inline(__always)
  init(isHeard: Bool, handing: MemoryHanding) {
    self.isHeard = isHeard
    self.handing = handing
  }

  /// Takes a key over.
  @inlinable
  @inline(__always)
  mutating func take(key: consuming Key) {
    // The end of bytes is nothing.
    if _isPOD(Key.self) { return }
    if self.key == nil { self.key = consume key } else { takeMore(key: key) }
  }

  /// Takes a value over.
  @inlinable
  @inline(__always)
  mutating func take(value: consuming Value) {
    if _isPOD(Value.self) { return }
    if self.value == nil { self.value = consume value } else { takeMore(value: value) }
  }

  /// Notes an event where somebody listens.
  @inlinable
  @inline(__always)
  mutating func note(_ kind: CacheEventKind, _ key: @autoclosure () -> Key) {
    if isHeard { takeMore(event: CacheEvent(kind, key())) }
  }

  @inlinable
  @inline(never)
  mutating func takeMore(key: Key) { needMore().pointee.keys.append(key) }

  @inlinable
  @inline(never)
  mutating func takeMore(value: Value) { needMore().pointee.values.append(value) }

  @inlinable
  @inline(never)
  mutating func takeMore(event: CacheEvent<Key>) { needMore().pointee.events.append(event) }

  @inlinable
  @inline(never)
  mutating func takeMore(eviction: MemoryEviction<Key, Value>) {
    needMore().pointee.evictions.append(eviction)
  }

  @inlinable
  mutating func needMore() -> UnsafeMutablePointer<More> {
    if let more { return more }
    let made = UnsafeMutablePointer<More>.allocate(capacity: 1)
    made.initialize(to: More())
    more = made
    return made
  }

  /// Tells listeners, hands evictions over and destroys everything. No lock may be held; must be
  /// called.
  @inlinable
  @inline(__always)
  consuming func finish(
    _ listeners: CacheEvents<Key>, _ receiver: (@Sendable (MemoryEviction<Key, Value>) -> Void)?
  ) {
    if let more { Self.finish(more, listeners, receiver) }
  }

  @inlinable
  @inline(never)
  static func finish(
    _ more: UnsafeMutablePointer<More>, _ listeners: CacheEvents<Key>,
    _ receiver: (@Sendable (MemoryEviction<Key, Value>) -> Void)?
  ) {
    for event in more.pointee.events { listeners.send(event) }
    if let receiver { for eviction in more.pointee.evictions { receiver(eviction) } }
    more.deinitialize(count: 1)
    more.deallocate()
  }
}
