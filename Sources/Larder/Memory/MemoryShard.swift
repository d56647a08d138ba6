public import CLarderShims
public import LarderEngine

/// A part of a cache: a directory from key to object id, keys and values by id, and a tier whose
/// policy knows only ids. Callers hold the shard's lock; readers without it use the shard's view.
///
/// An id belongs to a key from its first set until the policy forgets it, or if the policy knows
/// ghosts by their slots, while the key has a value. Free ids form a list, linked through their
/// stamps.
@usableFromInline struct MemoryShard<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  /// Set in the stamp of a permanent entry. The other bits are the storage time in units of 2^20
  /// microseconds since `stampOrigin`: from 35 years before the shard was created to 35 years
  /// after, whatever the origin of the clock. The largest value marks entries being refreshed.
  @inlinable static var permanentBit: UInt32 { 1 << 31 }

  /// Converts a time in microseconds to a stamp, clamped to the range of stamps.
  @inlinable @inline(__always) func stamp(_ instant: UInt64) -> UInt32 {
    let units = instant >> 20
    return UInt32(
      truncatingIfNeeded: min(units &- min(units, stampOrigin), UInt64(Self.permanentBit - 2)))
  }

  // State that changes with every set comes first, next to the lock.

  @usableFromInline var free: ObjectID = .none
  // Ids up to this one have been used.
  @usableFromInline var highest: UInt32 = 0
  // Position of the search for ids of forgotten objects, and the number found in this round.
  @usableFromInline var sweep: ObjectID = 1
  @usableFromInline var swept: UInt32 = 0
  @usableFromInline var totals = ShardTotals()
  @usableFromInline var expires = false
  @usableFromInline var ages: Bool
  @usableFromInline var directory: GrowingDirectory
  @usableFromInline var records: ShardRecords<Key, Value>
  @usableFromInline let isWeighed: Bool
  /// Minimum weight of an entry, so that a limit on weight also limits the number of entries and
  /// ghosts.
  @usableFromInline let weightMin: UInt32
  @usableFromInline let placesGhosts: Bool
  @usableFromInline var roomMax: Int
  var limitsNumber: UInt64 = 0
  var capacity: UInt64
  /// Time of stamp 0, in units of stamps.
  @usableFromInline let stampOrigin: UInt64
  @usableFromInline let hasher: KeyHasher
  @usableFromInline let place: ShardPlace<Key, Value>
  @usableFromInline var tier: CacheTier
  /// Returns true if a value that expired at a given time is kept. Nil if none is.
  @usableFromInline let keepsExpired: (@Sendable (UnsafePointer<Value>, Expiry) -> Bool)?
  /// Idle expiry; nil if the cache has none. If set, `expires` is true from the start.
  @usableFromInline var idle: IdleTimes?
  /// Timer for the expiry of entries and, below, their order; nil without prompt expiry.
  @usableFromInline let prompt: PromptExpiry?
  let wheel: ExpiryWheel?
  @usableFromInline var jitter: UInt32
  @usableFromInline let jitterSeed: UInt64

  init(
    _ tier: CacheTier, _ setup: CacheTierSetup, isWeighed: Bool, weightMin: UInt32 = 1,
    _ hasher: KeyHasher, _ place: ShardPlace<Key, Value>,
    keepsExpired: (@Sendable (UnsafePointer<Value>, Expiry) -> Bool)? = nil,
    idleLife: UInt64? = nil, prompt: PromptExpiry? = nil, jitter: UInt32 = 0,
    jitterSeed: UInt64 = 0, now: UInt64 = 0
  ) {
    let room = setup.objects
    capacity = setup.capacity
    self.prompt = prompt
    self.jitter = jitter
    self.jitterSeed = jitterSeed
    wheel = prompt.map { ExpiryWheel(room: room, granule: $0.granule, now: now) }
    self.tier = tier
    stampOrigin = (now >> 20) - min(now >> 20, 1 << 30)
    if let idleLife {
      idle = IdleTimes(room: room, life: idleLife)
      tier.beginExpiries()
      expires = true
    }
    self.keepsExpired = keepsExpired
    self.isWeighed = isWeighed
    self.weightMin = weightMin
    ages = setup.timeToLiveMicroseconds != nil
    self.hasher = hasher
    self.place = place
    placesGhosts = tier.placeGhosts()
    roomMax = Self.roomMax(
      residents: setup.objectsMax, ghosts: placesGhosts ? 0 : tier.ghostsMax)
    records = ShardRecords(room: room, withVersions: place.slots != nil)
    directory = GrowingDirectory(objects: room)
    place.view.initialize(to: ShardView(records, directory.current, tier, idle))
  }

  deinit {
    for id in directory.ids() {
      if ShardRecords<Key, Value>.isGhost(id) {
        records.ghostKey(ShardRecords<Key, Value>.ghostPlace(id)).deinitialize(count: 1)
        continue
      }
      if tier.contains(id) { records.value(id).deinitialize(count: 1) }
      records.key(id).deinitialize(count: 1)
    }
    records.deallocate()
    directory.deallocate()
    idle?.deallocate()
  }

  @inlinable @inline(__always) mutating func find(_ key: Key, _ hash: UInt32) -> ObjectID {
    let id = directory.current.find(hash) { records.isOf(key, hash, $0) }
    return id == .none && directory.isDraining ? findDraining(key, hash, orGhost: false) : id
  }

  // Mutating, as its callers: a function that is not inlined is otherwise passed a copy of the
  // shard, whose parts every search would load.
  @inlinable @inline(never) mutating func findDraining(
    _ key: Key, _ hash: UInt32, orGhost: Bool
  ) -> ObjectID {
    directory.previous.find(hash) {
      records.isOf(key, hash, $0) || orGhost && records.isGhost($0, of: key, hash)
    }
  }

  @inlinable @inline(__always) func hash(_ id: ObjectID) -> UInt32 {
    if !records.hasVersions { return records.hash(id).pointee }
    // Not stored: hashing these keys again costs next to nothing.
    return UInt32(truncatingIfNeeded: hasher.hash(records.key(id).pointee) >> 32)
  }

  /// Removals left over by a get, for `leave`. Most gets leave none and need no `EvictedEntries`.
  @usableFromInline enum Leaving {
    case nothing
    case expired(ObjectID)
    case victims
  }

  @inlinable @inline(__always) mutating func get<Result>(
    _ key: Key, _ hash: UInt32, _ clock: any CacheClock, _ result: inout Result?,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Leaving {
    let id = find(key, hash)
    if id != .none {
      var now: UInt64 = 0
      if expires {
        now = clock.time
        if let idle, !idle.touch(id, now), let leaving = endIdle(id) { return leaving }
      }
      switch tier.access(id, now) {
      case .hit:
        totals.hits &+= 1
        result = read(UnsafePointer(records.value(id)))
        return tier.victims.count > 0 ? .victims : .nothing
      case .expired:
        totals.misses &+= 1
        return .expired(id)
      case .absent: break
      }
    }
    if directory.isDraining { drain() }
    totals.misses &+= 1
    return .nothing
  }

  @inlinable @inline(never) mutating func leave(
    _ leaving: Leaving, _ gone: inout EvictedEntries<Key, Value>
  ) {
    switch leaving {
    case .nothing: break
    case .expired(let id):
      if let keepsExpired {
        if keepsExpired(UnsafePointer(records.value(id)), expiry(id)) { return }
        tier.remove(id)
      }
      depart(id, .expire, &gone)
    case .victims:
      for place in 0..<tier.victims.count {
        depart(tier.victims[place], .evict(.capacity), &gone)
      }
    }
  }

  @inlinable @inline(__always) mutating func set(
    _ key: Key, _ hash: UInt32, fingerprint: UInt32, _ value: Value, _ entry: MemoryEntry,
    now: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> MemoryStored {
    totals.sets &+= 1
    prefetchCandidate()
    var id = placesGhosts ? findAny(key, hash) : find(key, hash)
    let isNew = id == .none || ShardRecords<Key, Value>.isGhost(id)
    if isNew { id = takeID(key, hash, ghost: id, &gone) } else { records.open(id) }
    let wasThere = !isNew && tier.contains(id)
    var request = Request(
      id: id, size: isWeighed ? max(entry.size, weightMin) : 1, cost: entry.fetchCost)
    request.fingerprint = fingerprint
    if !entry.isPermanent {
      request.expires = entry.expiry.microseconds
      if ages || entry.timeToLive > 0 {
        request.expires = min(expiry(entry.timeToLive, hash, now), request.expires)
      }
      if request.expires != Request.noExpiry, !expires { beginExpiries() }
    }
    if wasThere, let idle, idle[id] <= now { tier.remove(id) }
    let outcome = tier.set(request, now)
    if wasThere {
      if gone.handing == .all { handOver(id, records.value(id).pointee, false, .replaced, &gone) }
      gone.take(value: records.value(id).move())
    }
    let isEvicted = tier.victims.count > 0 && dropVictims(&gone, fresh: id, value, entry)
    if isEvicted { return .evicted }
    guard outcome != .rejected else {
      refuse(key, value, &gone)
      if !letGo(id, &gone) { records.close(id) }
      return .rejected
    }
    records.put(value, at: records.value(id), of: id)
    records.stamp(id).pointee = stamp(now) | (entry.isPermanent ? Self.permanentBit : 0)
    if let idle { idle.begin(id, now, isPermanent: entry.isPermanent) }
    if prompt != nil { plan(id, now: now) }
    records.close(id)
    // Prefetched for the next set that stores: most of a miss was spent waiting for the victim's
    // record, the least recently touched of all.
    larder_prefetch(records.key(tier.victims.candidate))
    return .stored
  }

  @inlinable @inline(__always) func expiry(
    _ timeToLive: UInt64, _ hash: UInt32, _ now: UInt64
  ) -> UInt64 {
    let expires = tier.expiryFrom(now, timeToLive)
    if jitter == 0 || expires == Request.noExpiry { return expires }
    return expires - Self.cut(of: expires - now, jitter, KeyHasher.fold(UInt64(hash) ^ jitterSeed))
  }

  @usableFromInline static func cut(of life: UInt64, _ jitter: UInt32, _ hash: UInt64) -> UInt64 {
    let share = ((hash >> 32) * UInt64(jitter)) >> 32
    return life.multipliedFullWidth(by: share << 32).high
  }

  /// Prefetches the directory bucket of the next likely victim, whose record was prefetched by the
  /// last set; does nothing if finding the bucket is slow.
  @inlinable @inline(__always) func prefetchCandidate() {
    let id = tier.victims.candidate
    guard id != .none, hasher.isFast || !records.hasVersions else { return }
    // The entry may have been removed since. Its key is then garbage, which does for a prefetch.
    larder_prefetch(directory.home(hash(id)))
  }

  /// Removes the entries that the tier has just evicted. Returns true if `fresh`, whose value is
  /// not stored yet, is among them.
  @inlinable @inline(__always) mutating func dropVictims(
    _ gone: inout EvictedEntries<Key, Value>, fresh: ObjectID, _ value: Value, _ entry: MemoryEntry
  ) -> Bool {
    var isFreshGone = false
    for place in 0..<tier.victims.count {
      let victim = tier.victims[place]
      if victim == fresh {
        gone.note(.evict(.capacity), records.key(victim).pointee)
        if gone.handing != .none {
          handOver(victim, value, entry.isPermanent, .evicted, isForRoom: true, &gone)
        }
        isFreshGone = true
      } else {
        vacate(victim, .evict(.capacity), &gone)
      }
    }
    if placesGhosts, let move = tier.victims.move {
      settle(tier.victims[0], move, &gone)
      return isFreshGone
    }
    for place in 0..<tier.victims.count {
      let victim = tier.victims[place]
      if !letGo(victim, &gone), victim == fresh { records.close(fresh) }
    }
    return isFreshGone
  }

  @inlinable @inline(never) mutating func refuse(
    _ key: Key, _ value: Value, _ gone: inout EvictedEntries<Key, Value>
  ) {
    gone.note(.reject, key)
    guard gone.handing == .all else { return }
    gone.takeMore(
      eviction: MemoryEviction(
        key: key, value: value, cost: 0, expiry: .never, isPermanent: false,
        reason: .refused))
  }

  @inlinable @inline(never) mutating func handOver(
    _ id: ObjectID, _ value: Value, _ isPermanent: Bool, _ reason: MemoryRemovalReason,
    isForRoom: Bool = false, _ gone: inout EvictedEntries<Key, Value>
  ) {
    gone.takeMore(
      eviction: MemoryEviction(
        key: records.key(id).pointee, value: value, cost: tier.size(id),
        expiry: Expiry(tier.expiry(id)), isPermanent: isPermanent, reason: reason,
        isForRoom: isForRoom))
  }

  @inlinable @inline(never) mutating func handOver(
    _ id: ObjectID, _ kind: CacheEventKind, _ gone: inout EvictedEntries<Key, Value>
  ) {
    guard gone.handing == .all || kind == .evict(.capacity) else { return }
    let reason: MemoryRemovalReason =
      switch kind {
      case .expire: .expired
      case .remove: .removed
      default: .evicted
      }
    let isPermanent = records.stamp(id).pointee & Self.permanentBit != 0
    handOver(
      id, records.value(id).pointee, isPermanent, reason, isForRoom: kind == .evict(.capacity),
      &gone)
  }

  @inlinable mutating func depart(
    _ id: ObjectID, _ kind: CacheEventKind, _ gone: inout EvictedEntries<Key, Value>
  ) {
    vacate(id, kind, &gone)
    letGo(id, &gone)
  }

  @inlinable @inline(__always) mutating func vacate(
    _ id: ObjectID, _ kind: CacheEventKind, _ gone: inout EvictedEntries<Key, Value>
  ) {
    if gone.handing != .none { handOver(id, kind, &gone) }
    gone.take(value: records.value(id).move())
    gone.note(kind, records.key(id).pointee)
  }

  /// Frees the id of an object that is not resident, unless it is a ghost that keeps it; returns
  /// true if it was freed.
  ///
  /// An open record without a value stays open when its id is freed, so that lock-free readers who
  /// found the id retry.
  @inlinable @inline(__always) @discardableResult mutating func letGo(
    _ id: ObjectID, _ gone: inout EvictedEntries<Key, Value>
  ) -> Bool {
    if placesGhosts {
      settle(id, tier.settle(id), &gone)
    } else if tier.remembers(id) {
      return false
    } else {
      release(id, &gone)
    }
    return true
  }

  @inlinable mutating func release(_ id: ObjectID, _ gone: inout EvictedEntries<Key, Value>) {
    directory.remove(hash(id), id)
    gone.take(key: records.key(id).move())
    free(id)
  }

  @inlinable @inline(__always) mutating func free(_ id: ObjectID) {
    records.stamp(id).pointee = free
    free = id
  }

  /// Returns an id for a key that has none, or only a ghost's id in the directory; its record is
  /// open. Amortised O(1).
  @inlinable @inline(__always) mutating func takeID(
    _ key: Key, _ hash: UInt32, ghost: ObjectID, _ gone: inout EvictedEntries<Key, Value>
  ) -> ObjectID {
    if directory.isDraining { drain() }
    if free == .none, Int(highest) == records.room { findRoom(&gone) }
    var id = free
    if id != .none {
      free = records.stamp(id).pointee
    } else {
      highest += 1
      id = highest
    }
    records.open(id)
    records.put(key, at: records.key(id), of: id)
    if !records.hasVersions { records.hash(id).pointee = hash }
    if ghost == .none { directory.insert(hash, id) } else { recall(ghost, hash, as: id, &gone) }
    return id
  }
}

@usableFromInline struct MemoryEntry {
  @usableFromInline var size: UInt32
  @usableFromInline var timeToLive: UInt64
  @usableFromInline var expiry: Expiry
  @usableFromInline var fetchCost: Float
  @usableFromInline var isPermanent: Bool

  @inlinable @inline(__always) init(
    cost: Int, timeToLive: Duration?, expiry: Expiry = .never, fetchCost: Float, isPermanent: Bool
  ) {
    size = UInt32(clamping: cost)
    self.timeToLive = 0
    self.expiry = expiry
    self.fetchCost = fetchCost.asFetchCost
    self.isPermanent = isPermanent
    if let timeToLive { live(for: timeToLive, until: expiry) }
  }

  @inlinable @inline(__always) mutating func live(for life: Duration, until expiry: Expiry = .never)
  {
    timeToLive = life > .zero ? max(1, life.microseconds) : 0
    // A TTL of zero has expired at once; the tier takes 0 as no TTL.
    self.expiry = timeToLive == 0 ? Expiry(0) : expiry
  }
}

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Maximum number of ids needed by a policy that remembers that many objects, resident or not:
  /// one more for the object being set, and with ghosts another 16th, which keeps the search for
  /// silently forgotten ones short.
  static func roomMax(residents: Int, ghosts: Int) -> Int {
    let (sum, isTooMuch) = residents.addingReportingOverflow(ghosts)
    let most = isTooMuch ? ObjectID.maximumCount / 2 : min(sum, ObjectID.maximumCount / 2)
    return most + 1 + (ghosts > 0 ? most / 16 : 0)
  }

  /// Finds an id when all are in use: frees that of a forgotten ghost, or makes room for more ids
  /// if a round over all ids found no more than one in 16 forgotten, or a long stretch none.
  /// Amortised O(1) per id.
  @inlinable @inline(never) mutating func findRoom(_ gone: inout EvictedEntries<Key, Value>) {
    while true {
      let end = min(Int(sweep) + 0xFFFF, records.room)
      let id = sweep > end ? .none : tier.forgotten(sweep, ObjectID(end))
      DebugWork.add(Int(id == .none ? ObjectID(end) : id) / 1024 - Int(sweep) / 1024)
      if id != .none {
        release(id, &gone)
        sweep = id + 1
        swept += 1
        return
      }
      if end < records.room, records.room >= roomMax || Int(swept) > records.room / 16 {
        sweep = ObjectID(end + 1)
        continue
      }
      let isFew = Int(swept) <= records.room / 16
      let isNone = swept == 0
      sweep = 1
      swept = 0
      // Reached at maximum size only if the policy remembers more objects than it declared.
      if isFew, records.room < roomMax || isNone {
        grow(to: Self.nextRoom(records.room, roomMax: roomMax))
        return
      }
    }
  }

  /// Next size: double while small, then a quarter more; close to the maximum goes to the maximum.
  @usableFromInline static func nextRoom(_ room: Int, roomMax: Int) -> Int {
    let next = room < 1 << 14 ? room * 2 : room + room / 4
    return room < roomMax && next + next / 8 >= roomMax ? roomMax : next
  }

  /// Makes room for ids up to `wanted`; none is free. O(pages), or O(ids) if values cannot be moved
  /// as bytes.
  @inlinable mutating func grow(to wanted: Int) {
    place.close()
    tier.reserve(wanted)
    if let held = idle { idle = held.grown(to: wanted) }
    reserveWheel(wanted)
    if Records.areMovable {
      records = records.grown(to: wanted)
    } else {
      let larger = records.copy(room: wanted)
      for id in directory.ids() where !Records.isGhost(id) {
        larger.key(id).moveInitialize(from: records.key(id), count: 1)
        larger.hash(id).initialize(to: records.hash(id).pointee)
        larger.stamp(id).initialize(to: records.stamp(id).pointee)
        if tier.contains(id) {
          larger.value(id).moveInitialize(from: records.value(id), count: 1)
        }
      }
      records.deallocateRecords()
      records = larger
    }
    growDirectory()
    place.open(records, directory, tier, idle)
  }

  @usableFromInline mutating func growDirectory() {
    directory.grow(objects: records.room + min(records.ghosts, tier.ghostsMax))
  }

  /// Moves the ids of a few buckets to the larger directory: more than one is added for each bucket
  /// before that one is full. The ids of neighbouring buckets stay neighbours. O(1).
  @inlinable @inline(never) mutating func drain() {
    let (old, first) = (directory.previous, directory.drained)
    let end = min(first + 4, old.buckets)
    for bucket in first..<end {
      old.visit(bucket) { id in
        larder_prefetch(Records.isGhost(id) ? ghostPlace(id) : UnsafeRawPointer(records.key(id)))
      }
    }
    for bucket in first..<end {
      old.visit(bucket) { id in
        let hash = Records.isGhost(id) ? ghostHash(Records.ghostPlace(id)) : hash(id)
        directory.insert(hash, id)
        ScheduledStep.take()
      }
      old.clear(bucket)
    }
    directory.drained = end
    DebugWork.add(end - first)
    if end == old.buckets { endDrain() }
  }

  @inlinable @inline(__always) func ghostPlace(_ id: ObjectID) -> UnsafeRawPointer {
    UnsafeRawPointer(records.ghostKey(Records.ghostPlace(id)))
  }

  /// Frees the drained directory. A get without the lock that missed an id there sees that it was
  /// drained until the get has left its slot.
  @usableFromInline mutating func endDrain() {
    place.close()
    directory.endGrowth()
    growDirectory()
    place.open(records, directory, tier, idle)
  }

  @usableFromInline func reserveWheel(_ room: Int) { wheel?.reserve(room: room) }

  @usableFromInline @inline(never) mutating func beginExpiries() {
    place.close()
    tier.beginExpiries()
    expires = true
    place.open(records, directory, tier, idle)
  }
}

/// Ghosts that the policy knows by their slots: see `ThreeQueues.settle`. The shard keeps only the
/// key of a ghost, in the slot that the policy chooses.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  @usableFromInline typealias Records = ShardRecords<Key, Value>

  @inlinable @inline(__always) mutating func findAny(_ key: Key, _ hash: UInt32) -> ObjectID {
    let id = directory.current.find(hash) {
      records.isOf(key, hash, $0) || records.isGhost($0, of: key, hash)
    }
    return id == .none && directory.isDraining ? findDraining(key, hash, orGhost: true) : id
  }

  /// Turns an object that is no longer resident into a ghost, if the policy keeps one, and frees
  /// its id. Amortised O(1).
  ///
  /// - Parameter first: The object's fate as reported by the tier.
  @inlinable @inline(__always) mutating func settle(
    _ id: ObjectID, _ first: GhostMove, _ gone: inout EvictedEntries<Key, Value>
  ) {
    var move = first
    while true {
      if move.dropped != GhostMove.nowhere { releaseGhost(move.dropped, &gone) }
      switch move.outcome {
      case .forgotten: return release(id, &gone)
      case .ghost, .crowded:
        keepGhost(of: id, at: move.place)
        if move.outcome == .crowded { tidyGhosts() }
        if move.next != GhostMove.nowhere, hasher.isFast || !records.hasVersions {
          // Keys of ghosts are stored in the order in which ghosts are forgotten.
          larder_prefetch(directory.home(ghostHash(move.next)))
        }
        return
      case .unfinished: break
      case .full: makeGhostRoom()
      }
      move = tier.settle(id)
    }
  }

  @inlinable @inline(__always) mutating func keepGhost(of id: ObjectID, at place: UInt32) {
    let hash = hash(id)
    records.ghostKey(place).moveInitialize(from: records.key(id), count: 1)
    if !records.hasVersions { records.ghostHash(place).pointee = hash }
    directory.replace(hash, id, by: Records.ghostBit | place)
    free(id)
  }

  @inlinable @inline(__always) mutating func recall(
    _ ghost: ObjectID, _ hash: UInt32, as id: ObjectID,
    _ gone: inout EvictedEntries<Key, Value>
  ) {
    let place = Records.ghostPlace(ghost)
    if !_isPOD(Key.self) { gone.take(key: records.ghostKey(place).move()) }
    directory.replace(hash, ghost, by: id)
    tier.recall(place, id)
  }

  @inlinable @inline(__always) func ghostHash(_ place: UInt32) -> UInt32 {
    if !records.hasVersions { return records.ghostHash(place).pointee }
    return UInt32(truncatingIfNeeded: hasher.hash(records.ghostKey(place).pointee) >> 32)
  }

  @inlinable @inline(__always) mutating func releaseGhost(
    _ place: UInt32, _ gone: inout EvictedEntries<Key, Value>
  ) {
    directory.remove(ghostHash(place), Records.ghostBit | place)
    if !_isPOD(Key.self) { gone.take(key: records.ghostKey(place).move()) }
  }

  @usableFromInline mutating func forgetGhost(
    _ ghost: ObjectID, _ gone: inout EvictedEntries<Key, Value>
  ) {
    releaseGhost(tier.dropGhost(Records.ghostPlace(ghost)), &gone)
  }

  /// Makes room when all ghost slots are taken: adds slots, or closes the holes between them if
  /// there are as many as there will be, or if at least an eighth are holes and their number has no
  /// limit. O(1) until there are as many slots as there will be, and afterwards seldom needed: see
  /// `ThreeQueues.repackGhosts`.
  @inlinable @inline(never) mutating func makeGhostRoom() {
    let (held, places) = (tier.ghostCount, records.ghosts)
    let hasHoles = places > 0 && tier.ghostsMax == .max && held <= places - (places + 7) / 8
    let wanted = hasHoles ? places : max(places, nextGhosts)
    if wanted > places {
      place.close()
      records = records.grown(ghosts: wanted, where: { [directory] in directory.ids() })
      growDirectory()
      place.open(records, directory, tier, idle)
    }
    tier.repackGhosts(wanted) { moveGhost($0, $1) }
  }

  @inlinable @inline(never) mutating func tidyGhosts() {
    tier.repackGhosts(nil) { moveGhost($0, $1) }
  }

  @inlinable func moveGhost(_ old: UInt32, _ new: UInt32) {
    let hash = ghostHash(old)
    directory.replace(hash, Records.ghostBit | old, by: Records.ghostBit | new)
    records.ghostKey(new).moveInitialize(from: records.ghostKey(old), count: 1)
    if !records.hasVersions { records.ghostHash(new).pointee = hash }
  }

  /// Next number of ghost slots: double, or as many as the full shard will need by the current fill
  /// level, with a quarter more than the ghosts, so that compaction is rare.
  @usableFromInline var nextGhosts: Int {
    let ghostsMax = tier.ghostsMax
    let most = min(ghostsMax, ThreeQueues.ghostPlacesMax / 2)
    let wanted = most + most / 4 + 16
    let share = Double(records.room) / Double(roomMax)
    let next =
      ghostsMax == .max ? records.room / 4 : Int(Double(wanted) * share)
    return min(max(next, records.ghosts * 2, 64), wanted) / 4 * 4
  }
}
