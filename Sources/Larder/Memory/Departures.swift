/// What one operation took out of a cache: it is destroyed, and told to listeners, after the lock
/// has been given back, for the end of a value may run code that calls the cache.
@usableFromInline
struct Departures<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  // The usual one departure needs no memory of its own.
  @usableFromInline var key: Key?
  @usableFromInline var value: Value?
  @usableFromInline var moreKeys: [Key] = []
  @usableFromInline var moreValues: [Value] = []
  @usableFromInline var events: [CacheEvent<Key>] = []
  /// Whether somebody listens.
  @usableFromInline let isHeard: Bool

  /// Nothing has left.
  @inlinable
  @inline(__always)
  init(isHeard: Bool) { self.isHeard = isHeard }

  /// Takes a key over.
  @inlinable
  @inline(__always)
  mutating func take(key: consuming Key) {
    if self.key == nil { self.key = consume key } else { moreKeys.append(key) }
  }

  /// Takes a value over.
  @inlinable
  @inline(__always)
  mutating func take(value: consuming Value) {
    if self.value == nil { self.value = consume value } else { moreValues.append(value) }
  }

  /// Notes an event where somebody listens.
  @inlinable
  @inline(__always)
  mutating func note(_ kind: CacheEventKind, _ key: @autoclosure () -> Key) {
    if isHeard { events.append(CacheEvent(kind, key())) }
  }

  /// Tells listeners and destroys everything. No lock may be held.
  @inlinable
  @inline(__always)
  consuming func finish(_ listeners: CacheEvents<Key>) {
    if isHeard { Departures.tell(events, listeners) }
  }

  @usableFromInline
  static func tell(_ events: [CacheEvent<Key>], _ listeners: CacheEvents<Key>) {
    for event in events { listeners.send(event) }
  }
}
