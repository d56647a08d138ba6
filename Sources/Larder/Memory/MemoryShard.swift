public import CLarderShims
public import LarderEngine

/// A part of a cache: a directory from key to object id, keys and values by id, and a tier whose
/// policy knows nothing but ids. Whoever calls holds the shard's lock; who does not has the
/// shard's view.
///
/// An id belongs to a key from its first set until the policy no longer remembers it: a ghost keeps
/// its key and has no value. Where the policy knows ghosts by their places, an id belongs to a key
/// only while that has a value, and of a ghost the key alone is kept: see MemoryShard+Ghosts. An id
/// without a key is in a list of free ones, threaded through the places of stamps.
@usableFromInline struct MemoryShard<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  /// Set in a stamp where the entry is permanent; the rest is the instant of storing, in units of
  /// 2^20 microseconds since `stampOrigin`: 35 years before the shard was made to 35 years after,
  /// whatever the clock counts from. The largest is of entries being reloaded.
  @inlinable static var permanentBit: UInt32 { 1 << 31 }

  /// An instant in microseconds as a stamp has it; instants beyond its range count as its ends.
  @inlinable @inline(__always) func stamp(_ instant: UInt64) -> UInt32 {
    let units = instant >> 20
    return UInt32(
      truncatingIfNeeded: min(units &- min(units, stampOrigin), UInt64(Self.permanentBit - 2)))
  }

  // What changes with every set comes first, beside the lock.

  @usableFromInline var free: ObjectID = .none
  // Ids up to this were given out at least once.
  @usableFromInline var highest: UInt32 = 0
  // Where the search for ids of forgotten objects goes on, and what this round has found.
  @usableFromInline var sweep: ObjectID = 1
  @usableFromInline var swept: UInt32 = 0
  @usableFromInline var totals = ShardTotals()
  @usableFromInline var expires = false
  /// Whether entries have a limit on their age.
  @usableFromInline var ages: Bool
  @usableFromInline var directory: KeyDirectory
  @usableFromInline var records: ShardRecords<Key, Value>
  @usableFromInline let isWeighed: Bool
  /// The least that an entry weighs, so that a limit on weight limits entries and ghosts, too.
  @usableFromInline let weightMin: UInt32
  /// Whether ghosts are known by their places.
  @usableFromInline let placesGhosts: Bool
  /// As many ids as are ever needed, as far as the policy can say.
  @usableFromInline var roomMax: Int
  /// Of how many calls of `setLimits` the limits are the last.
  @usableFromInline var limitsNumber: UInt64 = 0
  /// The instant of stamp 0, in units of stamps.
  @usableFromInline let stampOrigin: UInt64
  @usableFromInline let hasher: KeyHasher
  @usableFromInline let place: ShardPlace<Key, Value>
  @usableFromInline let tier: CacheTier
  /// Says of a value that has expired, and when it did, whether it stays. Nil where none does.
  @usableFromInline let keepsExpired: (@Sendable (UnsafePointer<Value>, UInt64) -> Bool)?
  /// When entries expire that are not accessed; nil where that plays no part. `expires` is true
  /// from the start where it does.
  @usableFromInline var idle: IdleTimes?
  /// What is woken when entries expire, with their order; nil where nothing is.
  @usableFromInline let prompt: PromptExpiry?
  var wheel: ExpiryWheel?

  /// An empty shard over `tier`, which has room for ids up to `room`; entries expire `idleLife`
  /// microseconds after their last access.
  init(
    _ tier: CacheTier, isWeighed: Bool, weightMin: UInt32 = 1, ages: Bool, residentsMax: Int,
    room: Int,
    _ hasher: KeyHasher, _ place: ShardPlace<Key, Value>,
    keepsExpired: (@Sendable (UnsafePointer<Value>, UInt64) -> Bool)? = nil,
    idleLife: UInt64? = nil, prompt: PromptExpiry? = nil, now: UInt64 = 0
  ) {
    self.prompt = prompt
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
    self.ages = ages
    self.hasher = hasher
    self.place = place
    placesGhosts = tier.placeGhosts()
    roomMax = Self.roomMax(residents: residentsMax, ghosts: placesGhosts ? 0 : tier.ghostsMax)
    records = ShardRecords(room: room, withVersions: place.slots != nil)
    directory = KeyDirectory(objects: room, in: records.memory)
    place.view.initialize(to: ShardView(records, directory, tier, idle))
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
    idle?.deallocate()
  }

  /// The id of a key, or `.none`; that of a ghost only where it has one as entries have. O(1) on
  /// average.
  @inlinable @inline(__always) func find(_ key: Key, _ hash: UInt32) -> ObjectID {
    directory.find(hash) { records.isOf(key, hash, $0) }
  }

  /// The hash of an id's key.
  @inlinable @inline(__always) func hash(_ id: ObjectID) -> UInt32 {
    if !records.hasVersions { return records.hash(id).pointee }
    // It need not be kept: such keys are hashed in no time.
    return UInt32(truncatingIfNeeded: hasher.hash(records.key(id).pointee) >> 32)
  }

  /// What a get leaves to be taken out by `leave`. Most leave nothing and need no
  /// `EvictedEntries`.
  @usableFromInline enum Leaving {
    case nothing
    case expired(ObjectID)
    case victims
  }

  /// A get: puts what `read` makes of the value where it lies into `result`.
  @inlinable @inline(__always) mutating func get<Result>(
    _ key: Key, _ hash: UInt32, _ clock: any CacheClock, _ result: inout Result?,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Leaving {
    let id = find(key, hash)
    if id != .none {
      var now: UInt64 = 0
      if expires {
        now = clock.nowMicroseconds
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
    totals.misses &+= 1
    return .nothing
  }

  /// Takes out what a get has left.
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

  /// A set.
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
      request.expires = entry.expires
      if ages || entry.timeToLive > 0 {
        request.expires = min(tier.expiryFrom(now, entry.timeToLive), entry.expires)
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
    let forgotten = tier.victims.forgotten
    if forgotten != .none, forgotten != id { release(forgotten, &gone) }
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
    // By the next set that stores it will be near: most of the time a miss took went to waiting for
    // the victim's record, which of all has been touched longest ago.
    larder_prefetch(records.key(tier.victims.candidate))
    return .stored
  }

  /// Brings the place near at which the directory has what is likely to be evicted next, whose
  /// record is near since the last set; unless finding out where that is takes long.
  @inlinable @inline(__always) func prefetchCandidate() {
    let id = tier.victims.candidate
    guard id != .none, hasher.isFast || !records.hasVersions else { return }
    // It may have been removed since. Its key is then any bytes, and good enough.
    larder_prefetch(directory.home(hash(id)))
  }

  /// Takes out what the tier has just evicted, and says whether `fresh`, whose value is not stored
  /// yet, is among it.
  @inlinable @inline(__always) mutating func dropVictims(
    _ gone: inout EvictedEntries<Key, Value>, fresh: ObjectID, _ value: Value, _ entry: MemoryEntry
  ) -> Bool {
    var isFreshGone = false
    for place in 0..<tier.victims.count {
      let victim = tier.victims[place]
      if victim == fresh {
        gone.note(.evict(.capacity), records.key(victim).pointee)
        if gone.handing != .none { handOver(victim, value, entry.isPermanent, .evicted, &gone) }
        isFreshGone = true
      } else {
        vacate(victim, .evict(.capacity), &gone)
      }
    }
    if placesGhosts, let move = tier.victims.move {
      settle(tier.victims[0], move, fresh: fresh, &gone)
      return isFreshGone
    }
    // Making room for ghosts moves the values of all that is resident: the others are gone by now.
    for place in 0..<tier.victims.count {
      let victim = tier.victims[place]
      if !letGo(victim, fresh: fresh, &gone), victim == fresh { records.close(fresh) }
    }
    return isFreshGone
  }

  /// Notes that a value was refused.
  @inlinable @inline(never) func refuse(
    _ key: Key, _ value: Value, _ gone: inout EvictedEntries<Key, Value>
  ) {
    gone.note(.reject, key)
    guard gone.handing == .all else { return }
    gone.takeMore(
      eviction: MemoryEviction(
        key: key, value: value, cost: 0, expiresMicroseconds: .max, isPermanent: false,
        reason: .refused))
  }

  /// Notes for whoever keeps it elsewhere, or listens, that the value of an id is gone.
  @inlinable @inline(never) func handOver(
    _ id: ObjectID, _ value: Value, _ isPermanent: Bool, _ reason: MemoryRemovalReason,
    _ gone: inout EvictedEntries<Key, Value>
  ) {
    gone.takeMore(
      eviction: MemoryEviction(
        key: records.key(id).pointee, value: value, cost: tier.size(id),
        expiresMicroseconds: tier.expiry(id), isPermanent: isPermanent, reason: reason))
  }

  /// Notes a departure for whoever wants to hear of this kind.
  @inlinable @inline(never) func handOver(
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
    handOver(id, records.value(id).pointee, isPermanent, reason, &gone)
  }

  /// Takes out the value of an id that the tier no longer holds, and the key unless it is a ghost.
  @inlinable mutating func depart(
    _ id: ObjectID, _ kind: CacheEventKind, _ gone: inout EvictedEntries<Key, Value>
  ) {
    vacate(id, kind, &gone)
    letGo(id, &gone)
  }

  /// Takes out the value of an id that the tier no longer holds.
  @inlinable @inline(__always) mutating func vacate(
    _ id: ObjectID, _ kind: CacheEventKind, _ gone: inout EvictedEntries<Key, Value>
  ) {
    if gone.handing != .none { handOver(id, kind, &gone) }
    gone.take(value: records.value(id).move())
    gone.note(kind, records.key(id).pointee)
  }

  /// Takes the id of an object that is not resident from its key, unless it is a ghost that keeps
  /// it: says whether it did. But for `fresh`, all that is resident has a value, and nothing else
  /// has.
  ///
  /// A record that is open and has no value stays open when its id is free, so that who has found
  /// the id without the lock turns back.
  @inlinable @inline(__always) @discardableResult mutating func letGo(
    _ id: ObjectID, fresh: ObjectID = .none, _ gone: inout EvictedEntries<Key, Value>
  ) -> Bool {
    if placesGhosts {
      settle(id, tier.settle(id), fresh: fresh, &gone)
    } else if tier.remembers(id) {
      return false
    } else {
      release(id, &gone)
    }
    return true
  }

  /// Takes the id of a forgotten object from its key. O(1) on average.
  @inlinable mutating func release(_ id: ObjectID, _ gone: inout EvictedEntries<Key, Value>) {
    directory.remove(hash(id), id)
    gone.take(key: records.key(id).move())
    free(id)
  }

  /// Puts an id that has no key into the list of free ones.
  @inlinable @inline(__always) mutating func free(_ id: ObjectID) {
    records.stamp(id).pointee = free
    free = id
  }

  /// An id for a key that has none, or only that of its ghost in the directory; its record is open.
  /// Amortised O(1).
  @inlinable @inline(__always) mutating func takeID(
    _ key: Key, _ hash: UInt32, ghost: ObjectID, _ gone: inout EvictedEntries<Key, Value>
  ) -> ObjectID {
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

/// What a set says of an entry beside its key and value, in the engine's units.
@usableFromInline struct MemoryEntry {
  /// Cost against the limit; more than 32 bits hold is more than any shard takes.
  @usableFromInline var size: UInt32
  /// Time to live, microseconds; 0 for none of its own.
  @usableFromInline var timeToLive: UInt64
  /// When it expires at the latest, microseconds; `UInt64.max` for never.
  @usableFromInline var expires: UInt64
  /// What fetching it again costs.
  @usableFromInline var fetchCost: Float
  /// Whether it survives cleaning.
  @usableFromInline var isPermanent: Bool

  @inlinable @inline(__always) init(
    cost: Int, timeToLive: Duration?, expires: UInt64 = .max, fetchCost: Float, isPermanent: Bool
  ) {
    size = UInt32(clamping: cost)
    let life = timeToLive.map { $0 > .zero ? max(1, $0.microseconds) : 0 }
    self.timeToLive = life ?? 0
    // A life of nothing is over at once, where the tier takes 0 for none.
    self.expires = life == 0 ? 0 : expires
    self.fetchCost = fetchCost.asFetchCost
    self.isPermanent = isPermanent
  }
}

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// As many ids as are ever needed by a policy that remembers so many objects, resident or not:
  /// one more for what a set stores; and where there are ghosts a 64th of all, so that the search
  /// for those that were forgotten unnoticed is short.
  static func roomMax(residents: Int, ghosts: Int) -> Int {
    let (sum, isTooMuch) = residents.addingReportingOverflow(ghosts)
    let most = isTooMuch ? ObjectID.maximumCount / 2 : min(sum, ObjectID.maximumCount / 2)
    return most + 1 + (ghosts > 0 ? most / 64 : 0)
  }

  /// Called when every id belongs to a key: takes the id of a forgotten ghost back, or makes room
  /// for more ids where a round over all of them has found no more than one in 32 forgotten.
  /// Amortised O(1) an id.
  @inlinable @inline(never) mutating func findRoom(_ gone: inout EvictedEntries<Key, Value>) {
    while true {
      let id = tier.forgotten(sweep, ObjectID(records.room))
      if id != .none {
        release(id, &gone)
        sweep = id + 1
        swept += 1
        return
      }
      let isFew = Int(swept) <= records.room / 32
      let isNone = swept == 0
      sweep = 1
      swept = 0
      // Only a policy that remembers more than it said comes here with all the room there is.
      if isFew, records.room < roomMax || isNone {
        grow(to: Self.nextRoom(records.room, roomMax: roomMax), ghosts: records.ghosts)
        return
      }
    }
  }

  /// Twice the room while that is little, then a quarter more; not much less than all that is ever
  /// needed, and no more.
  @usableFromInline static func nextRoom(_ room: Int, roomMax: Int) -> Int {
    let next = room < 1 << 14 ? room * 2 : room + room / 4
    return room < roomMax && next + next / 8 >= roomMax ? roomMax : next
  }

  /// Makes room for ids up to `wanted`, and that many places for ghosts. But for `fresh`, all that
  /// is resident has a value, and nothing else has. O(ids).
  @inlinable mutating func grow(to wanted: Int, ghosts: Int, fresh: ObjectID = .none) {
    place.close()
    if wanted > records.room {
      tier.reserve(wanted)
      if let held = idle { idle = held.grown(to: wanted) }
      reserveWheel(wanted)
    }
    let larger = ShardRecords<Key, Value>(
      room: wanted, ghosts: ghosts, ghostsMax: tier.ghostsMax, withVersions: records.hasVersions)
    let largerDirectory = KeyDirectory(objects: larger.keysMax, in: larger.memory)
    for id in directory.ids() where !ShardRecords<Key, Value>.isGhost(id) {
      let hash = hash(id)
      larger.key(id).moveInitialize(from: records.key(id), count: 1)
      larger.hash(id).initialize(to: records.hash(id).pointee)
      larger.stamp(id).initialize(to: records.stamp(id).pointee)
      if id != fresh, tier.contains(id) {
        larger.value(id).moveInitialize(from: records.value(id), count: 1)
      }
      largerDirectory.insert(hash, id)
    }
    if placesGhosts { moveGhosts(to: larger, largerDirectory) }
    // Free ids are told apart from others only by the list that they are in.
    var id = free
    while id != .none {
      larger.stamp(id).initialize(to: records.stamp(id).pointee)
      id = records.stamp(id).pointee
    }
    records.deallocate()
    records = larger
    directory = largerDirectory
    place.open(records, directory, tier, idle)
  }

  /// Moves the keys of ghosts to other records.
  @inlinable mutating func moveGhosts(
    to larger: ShardRecords<Key, Value>, _ largerDirectory: KeyDirectory
  ) {
    func move(_ old: UInt32, _ new: UInt32) {
      let hash = ghostHash(old)
      larger.ghostKey(new).moveInitialize(from: records.ghostKey(old), count: 1)
      if !larger.hasVersions { larger.ghostHash(new).pointee = hash }
      largerDirectory.insert(hash, ShardRecords<Key, Value>.ghostBit | new)
    }
    if larger.ghosts != records.ghosts { return tier.repackGhosts(larger.ghosts, move) }
    for id in directory.ids() where ShardRecords<Key, Value>.isGhost(id) {
      let place = ShardRecords<Key, Value>.ghostPlace(id)
      move(place, place)
    }
  }

  @usableFromInline mutating func reserveWheel(_ room: Int) { wheel?.reserve(room: room) }

  /// Makes the tier ready for entries that expire.
  @usableFromInline @inline(never) mutating func beginExpiries() {
    place.close()
    tier.beginExpiries()
    expires = true
    place.open(records, directory, tier, idle)
  }
}

/// Ghosts that the policy knows by their places: see `ThreeQueues.settle`. The shard keeps the key
/// of a ghost, in the place that the policy names, and nothing else.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  @usableFromInline typealias Records = ShardRecords<Key, Value>

  /// The id of a key or of its ghost, or `.none`. O(1) on average.
  @inlinable @inline(__always) func findAny(_ key: Key, _ hash: UInt32) -> ObjectID {
    directory.find(hash) { records.isOf(key, hash, $0) || records.isGhost($0, of: key, hash) }
  }

  /// Makes an object that is not resident a ghost, if it is one, and frees its id; but for `fresh`,
  /// all that is resident has a value. Amortised O(1).
  ///
  /// - Parameter first: What the tier said became of it.
  @inlinable @inline(__always) mutating func settle(
    _ id: ObjectID, _ first: GhostMove, fresh: ObjectID, _ gone: inout EvictedEntries<Key, Value>
  ) {
    var move = first
    while true {
      if move.dropped != GhostMove.nowhere { releaseGhost(move.dropped, &gone) }
      switch move.outcome {
      case .forgotten: return release(id, &gone)
      case .ghost:
        keepGhost(of: id, at: move.place)
        if move.next != GhostMove.nowhere, hasher.isFast || !records.hasVersions {
          // Keys of ghosts are next to each other in the order in which they go.
          larder_prefetch(directory.home(ghostHash(move.next)))
        }
        return
      case .unfinished: break
      case .full: makeGhostRoom(fresh: fresh)
      }
      move = tier.settle(id)
    }
  }

  /// Moves the key of an id to the place of its ghost.
  @inlinable @inline(__always) mutating func keepGhost(of id: ObjectID, at place: UInt32) {
    let hash = hash(id)
    records.ghostKey(place).moveInitialize(from: records.key(id), count: 1)
    if !records.hasVersions { records.ghostHash(place).pointee = hash }
    directory.replace(hash, id, by: Records.ghostBit | place)
    free(id)
  }

  /// The ghost that has an id in the directory is requested: that is the id of its key now, which
  /// the record has already.
  @inlinable @inline(__always) mutating func recall(
    _ ghost: ObjectID, _ hash: UInt32, as id: ObjectID,
    _ gone: inout EvictedEntries<Key, Value>
  ) {
    let place = Records.ghostPlace(ghost)
    if !_isPOD(Key.self) { gone.take(key: records.ghostKey(place).move()) }
    directory.replace(hash, ghost, by: id)
    tier.recall(place, id)
  }

  /// The hash of the key of the ghost at a place.
  @inlinable @inline(__always) func ghostHash(_ place: UInt32) -> UInt32 {
    if !records.hasVersions { return records.ghostHash(place).pointee }
    return UInt32(truncatingIfNeeded: hasher.hash(records.ghostKey(place).pointee) >> 32)
  }

  /// Takes out the key of a ghost that the policy has forgotten. O(1) on average.
  @inlinable @inline(__always) mutating func releaseGhost(
    _ place: UInt32, _ gone: inout EvictedEntries<Key, Value>
  ) {
    directory.remove(ghostHash(place), Records.ghostBit | place)
    if !_isPOD(Key.self) { gone.take(key: records.ghostKey(place).move()) }
  }

  /// Forgets the ghost that has an id in the directory.
  @usableFromInline mutating func forgetGhost(
    _ ghost: ObjectID, _ gone: inout EvictedEntries<Key, Value>
  ) {
    tier.dropGhost(Records.ghostPlace(ghost))
    releaseGhost(Records.ghostPlace(ghost), &gone)
  }

  /// Called when every place for a ghost is taken: closes the holes if they are an eighth of the
  /// places at least, and otherwise makes more. Amortised O(1).
  @inlinable @inline(never) mutating func makeGhostRoom(fresh: ObjectID) {
    let (held, places) = (tier.ghostCount, records.ghosts)
    if places > 0, held <= places - (places + 7) / 8 {
      tier.repackGhosts(places) { [records, directory] old, new in
        directory.replace(ghostHash(old), Records.ghostBit | old, by: Records.ghostBit | new)
        records.ghostKey(new).moveInitialize(from: records.ghostKey(old), count: 1)
        if !records.hasVersions {
          records.ghostHash(new).pointee = records.ghostHash(old).pointee
        }
      }
    } else {
      grow(to: records.room, ghosts: nextGhosts, fresh: fresh)
    }
  }

  /// Twice as many places for ghosts as there are, or as many as there will be once the shard is
  /// full, by how full it is now: a quarter more than there are ghosts, so that holes are closed
  /// seldom.
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
