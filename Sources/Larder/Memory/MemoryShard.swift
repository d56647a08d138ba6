public import LarderEngine

/// A part of a cache: a directory from key to object id, keys and values by id, and a tier whose
/// policy knows nothing but ids. Whoever calls holds the shard's lock.
///
/// An id belongs to a key from its first set until the policy no longer remembers it: a ghost keeps
/// its key and has no value. An id without a key is in a list of free ones, threaded through
/// `hashes`.
@usableFromInline
struct MemoryShard<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  /// Set in a stamp where the entry is permanent; the rest is when it was stored, microseconds.
  @inlinable
  static var permanentBit: UInt64 { 1 << 63 }

  @usableFromInline let tier: CacheTier
  @usableFromInline let isWeighed: Bool
  @usableFromInline let residentsMax: Int
  @usableFromInline var directory: KeyDirectory
  @usableFromInline var keys: UnsafeMutablePointer<Key>
  @usableFromInline var values: UnsafeMutablePointer<Value>
  @usableFromInline var hashes: UnsafeMutablePointer<UInt32>
  @usableFromInline var stamps: UnsafeMutablePointer<UInt64>
  // Ids up to `room` have memory; those up to `highest` were given out at least once.
  @usableFromInline var room: Int
  @usableFromInline var highest: UInt32 = 0
  @usableFromInline var free: ObjectID = .none
  @usableFromInline var expires = false
  @usableFromInline var totals = ShardTotals()

  /// An empty shard over `tier`, which has room for ids up to `room`.
  init(_ tier: CacheTier, isWeighed: Bool, residentsMax: Int, room: Int) {
    self.tier = tier
    self.isWeighed = isWeighed
    self.residentsMax = residentsMax
    self.room = room
    directory = KeyDirectory(objects: room)
    keys = .allocate(capacity: room + 1)
    values = .allocate(capacity: room + 1)
    hashes = .allocate(capacity: room + 1)
    stamps = .allocate(capacity: room + 1)
  }

  deinit {
    for id in directory.ids() {
      if tier.contains(id) { (values + Int(id)).deinitialize(count: 1) }
      (keys + Int(id)).deinitialize(count: 1)
    }
    keys.deallocate()
    values.deallocate()
    hashes.deallocate()
    stamps.deallocate()
  }

  /// The id of a key, or `.none`. O(1) on average.
  @inlinable
  @inline(__always)
  func find(_ key: Key, _ hash: UInt32) -> ObjectID {
    directory.find(hash) { keys[Int($0)] == key }
  }

  /// A get.
  @inlinable
  @inline(__always)
  mutating func get(
    _ key: Key, _ hash: UInt32, _ clock: any CacheClock, _ gone: inout Departures<Key, Value>
  ) -> Value? {
    let id = find(key, hash)
    if id != .none {
      switch tier.access(id, expires ? clock.nowMicroseconds : 0) {
      case .hit:
        totals.hits &+= 1
        let value = values[Int(id)]
        if tier.victims.count > 0 { dropVictims(&gone) }
        return value
      case .expired:
        depart(id, .expire, &gone)
      case .absent: break
      }
    }
    totals.misses &+= 1
    return nil
  }

  /// A set; says whether the value is there afterwards.
  @inlinable
  @inline(__always)
  mutating func set(
    _ key: Key, _ hash: UInt32, _ value: Value, _ entry: MemoryEntry, now: UInt64,
    _ gone: inout Departures<Key, Value>
  ) -> Bool {
    totals.sets &+= 1
    var id = find(key, hash)
    let isNew = id == .none
    if isNew { id = takeID(key, hash, &gone) }
    let wasThere = !isNew && tier.contains(id)
    var request = Request(id: id, size: isWeighed ? entry.size : 1, cost: entry.fetchCost)
    if !entry.isPermanent {
      request.expires = tier.expiryFrom(now, entry.timeToLive)
      if request.expires != Request.noExpiry { expires = true }
    }
    let outcome = tier.set(request, now)
    if wasThere { gone.take(value: (values + Int(id)).move()) }
    let isEvicted = tier.victims.count > 0 && dropVictims(&gone, fresh: id)
    guard outcome != .rejected, !isEvicted else {
      if !isEvicted { gone.note(.reject, key) }
      if !tier.remembers(id) { release(id, &gone) }
      return false
    }
    (values + Int(id)).initialize(to: value)
    stamps[Int(id)] = now | (entry.isPermanent ? Self.permanentBit : 0)
    return true
  }

  /// Takes out what the tier has just evicted, and says whether `fresh`, whose value is not stored
  /// yet, is among it.
  @inlinable
  @discardableResult
  mutating func dropVictims(
    _ gone: inout Departures<Key, Value>, fresh: ObjectID = .none
  ) -> Bool {
    var isFreshGone = false
    for place in 0..<tier.victims.count {
      let victim = tier.victims[place]
      if victim == fresh {
        gone.note(.evict(.capacity), keys[Int(victim)])
        isFreshGone = true
      } else {
        depart(victim, .evict(.capacity), &gone)
      }
    }
    return isFreshGone
  }

  /// Takes out the value of an id that the tier no longer holds, and the key unless it is a ghost.
  @inlinable
  mutating func depart(
    _ id: ObjectID, _ kind: CacheEventKind, _ gone: inout Departures<Key, Value>
  ) {
    gone.take(value: (values + Int(id)).move())
    gone.note(kind, keys[Int(id)])
    if !tier.remembers(id) { release(id, &gone) }
  }

  /// Takes the id of a forgotten object from its key. O(1) on average.
  @inlinable
  mutating func release(_ id: ObjectID, _ gone: inout Departures<Key, Value>) {
    directory.remove(hashes[Int(id)], id)
    gone.take(key: (keys + Int(id)).move())
    hashes[Int(id)] = free
    free = id
  }

  /// An id for a key that has none. Amortised O(1).
  @inlinable
  @inline(__always)
  mutating func takeID(
    _ key: Key, _ hash: UInt32, _ gone: inout Departures<Key, Value>
  ) -> ObjectID {
    if free == .none, Int(highest) == room { makeRoom(&gone) }
    var id = free
    if id != .none {
      free = hashes[Int(id)]
    } else {
      highest += 1
      id = highest
    }
    (keys + Int(id)).initialize(to: key)
    hashes[Int(id)] = hash
    directory.insert(hash, id)
    return id
  }
}
