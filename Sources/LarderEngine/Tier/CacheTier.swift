public import Synchronization

/// A tier whose policy the caller does not know: what real caches drive, and, with what only a
/// simulation asks for (`SimulatedTier`), simulated hybrids and probes.
///
/// One call through a closure for each operation; everything below it is specialised for the
/// policy. A value, so that calling it from a class that holds it counts no references. See `Tier`
/// for what the operations do. A cache keeps keys and values beside the ids, gives an id to another
/// key only when the tier no longer `remembers` it, and calls from one thread at a time, but for
/// hits made through `hitWords`.
@usableFromInline package struct CacheTier {
  /// What a get found.
  @frozen @usableFromInline package enum Access: UInt8 {
    /// Nothing.
    case absent
    /// Something that had expired. It is removed now, unless `CacheTierSetup.keepsExpired`.
    case expired
    /// The object.
    case hit
  }

  /// What a set did.
  @frozen @usableFromInline package enum Stored: UInt8 {
    /// Nothing: the object is larger than the capacity or the policy does not want it. What was
    /// there of it has been removed.
    case rejected
    /// The object is stored and was not there before.
    case stored
    /// The object's value is replaced; the object may be among the victims all the same.
    case replaced
  }

  // What sets and gets use comes first, in as few cache lines as possible.

  /// A get at a time in microseconds; may leave victims.
  @usableFromInline package let access: (ObjectID, _ now: UInt64) -> Access
  /// A set at a time in microseconds of a request whose `expires` is `expiryFrom`; may leave
  /// victims, also when it rejects.
  @usableFromInline package let set: (Request, _ now: UInt64) -> Stored
  /// What the last `access` or `set` evicted.
  @usableFromInline package let victims: VictimList
  @usableFromInline let victimsOwner: VictimList.Owner
  /// Where what the policy keeps is, and how long that is: only to be brought near. The columns are
  /// elsewhere.
  @usableFromInline package let state: UnsafeRawBufferPointer
  /// Says what became of an object that is no longer resident: see `ThreeQueues.settle`. Only after
  /// `placeGhosts`, as all that is said of places.
  @usableFromInline package let settle: (ObjectID) -> GhostMove
  /// The ghost at a place is requested, and has an id until it is stored or settled.
  @usableFromInline package let recall: (_ place: UInt32, ObjectID) -> Void
  /// Whether the object is resident.
  @usableFromInline package let contains: (ObjectID) -> Bool
  /// Whether the policy knows anything about the object.
  @usableFromInline package let remembers: (ObjectID) -> Bool
  /// When something stored now with a time to live of its own expires, microseconds; 0 is none.
  @usableFromInline package let expiryFrom: (_ now: UInt64, _ timeToLive: UInt64) -> UInt64

  /// The size of a resident object, in units of the capacity.
  @usableFromInline package let size: (ObjectID) -> UInt32
  /// When a resident object expires, microseconds; `Request.noExpiry` for never.
  @usableFromInline package let expiry: (ObjectID) -> UInt64
  /// How hits of what has not expired are made by any number of threads at once and while another
  /// one calls the tier; nil where hits must be one at a time. Valid until `reserve`.
  @usableFromInline package let hitWords: () -> HitWords?
  /// For these hits: when objects expire, from id 0 on, or nil where nothing was ever set that
  /// does. Valid until `reserve` or `beginExpiries`.
  @usableFromInline package let sharedExpiries: () -> UnsafeMutablePointer<Atomic<UInt64>>?
  /// Makes room for expiries, as the first set with an expiry does. O(ids).
  @usableFromInline package let beginExpiries: () -> Void
  /// From here on what is set was admitted before, as when a cache is read back from disk, or no
  /// longer: an admission filter learns of it and is not asked.
  @usableFromInline package let setRestoring: (Bool) -> Void
  /// Gives a resident object another expiry, microseconds, without a reference to it: the policy
  /// hears of it only when it orders objects by their expiry.
  @usableFromInline package let renew: (ObjectID, _ expires: UInt64) -> Void
  /// Removes whatever there is of the object, ghosts included.
  @usableFromInline package let remove: (ObjectID) -> Void
  /// The first id in a range of which the policy knows nothing, or `.none`. O(the range's length).
  @usableFromInline package let forgotten: (_ from: ObjectID, _ through: ObjectID) -> ObjectID
  /// Gives the tier other limits, in the unit that it has; leaves victims, and throws what making a
  /// policy for them throws. See `Tier.resize`. O(objects).
  @usableFromInline let resizeBody:
    (CacheTierSetup, _ fingerprint: (ObjectID) -> UInt32) -> PolicyError?
  /// Gives up one object, of which there must be one; not counted as an eviction.
  @usableFromInline package let giveUp: () -> ObjectID
  /// Makes room for ids up to a number. O(that number).
  @usableFromInline package let reserve: (_ objects: Int) -> Void
  /// Forgets the ghost at a place.
  @usableFromInline package let dropGhost: (_ place: UInt32) -> Void
  /// Has so many places for ghosts: see `ThreeQueues.repackGhosts`.
  @usableFromInline package let repackGhosts:
    (_ places: Int, _ moved: (_ old: UInt32, _ new: UInt32) -> Void) -> Void
  @usableFromInline let placeGhostsBody: () -> Bool
  @usableFromInline let ghostCountBody: () -> Int
  @usableFromInline let ghostsMaxBody: () -> Int
  @usableFromInline let countBody: () -> Int
  @usableFromInline let usedBody: () -> UInt64
  @usableFromInline let expiresBody: () -> Bool
  @usableFromInline let stateBytesBody: () -> Int
  @usableFromInline let countsBody: () -> TierCounts
  @usableFromInline let resetBody: () -> Void

  /// Hides the policy of a tier.
  @inlinable init<Policy: EvictionPolicy & ~Copyable>(_ held: Held<Tier<Policy, FullShape>>) {
    let owner = VictimList.Owner()
    let list = owner.list
    contains = { id in held.with { $0.contains(id) } }
    remembers = { id in held.with { $0.remembers(id) } }
    size = { id in held.with { $0.size(of: id) } }
    expiry = { id in held.with { $0.expiry(of: id) } }
    access = { id, now in
      list.clear()
      return held.with { $0.access(Request(id: id), now: now) { list.append($0) } }
    }
    hitWords = { held.with { $0.hitWords } }
    sharedExpiries = { held.with { $0.sharedExpiries } }
    beginExpiries = { held.with { $0.beginExpiries() } }
    forgotten = { first, last in held.with { $0.forgotten(from: first, through: last) } }
    settle = { id in held.with { $0.settle(id) } }
    recall = { place, id in held.with { $0.recall(place, as: id) } }
    dropGhost = { place in held.with { $0.dropGhost(at: place) } }
    repackGhosts = { places, moved in held.with { $0.repackGhosts(places: places, moved: moved) } }
    placeGhostsBody = { held.with { $0.placeGhosts() } }
    ghostCountBody = { held.with { $0.ghostCount } }
    ghostsMaxBody = { held.with { $0.ghostsMax } }
    resizeBody = { setup, fingerprint in
      list.clear()
      return held.with { tier in
        do throws(PolicyError) {
          try tier.resize(setup, fingerprint: fingerprint) { list.append($0) }
          return nil
        } catch {
          return error
        }
      }
    }
    set = { request, now in
      list.clear()
      return held.with { tier in
        // What was forgotten before this set may belong to nobody by now.
        _ = tier.takeForgotten()
        let outcome = tier.set(request, now: now) { list.append($0) }
        list.noteForgotten(tier.takeForgotten())
        if tier.placesGhosts {
          let isUsual = list.count == 1 && list[0] != request.id
          list.noteMove(isUsual ? tier.settle(list[0]) : nil)
        }
        let candidate = tier.candidate
        list.noteCandidate(candidate)
        tier.prefetch(candidate)
        return outcome
      }
    }
    setRestoring = { isRestoring in held.with { $0.isRestoring = isRestoring } }
    renew = { id, expires in held.with { $0.renew(id, expires: expires) } }
    expiryFrom = { now, own in held.with { $0.expiry(now: now, timeToLive: own) } }
    remove = { id in held.with { $0.remove(id) } }
    giveUp = { held.with { $0.giveUp() } }
    reserve = { objects in held.with { $0.reserve(objects: objects) } }
    victims = list
    victimsOwner = owner
    state = UnsafeRawBufferPointer(
      start: held.place, count: MemoryLayout<Tier<Policy, FullShape>>.size)
    countBody = { held.with { $0.count } }
    usedBody = { held.with { $0.used } }
    expiresBody = { held.with { $0.mayExpire } }
    stateBytesBody = { held.with { $0.stateBytes } + list.bytes }
    countsBody = { held.with { $0.counts } }
    resetBody = { held.with { $0.counts = TierCounts() } }
  }

  /// Resident objects.
  package var count: Int { countBody() }
  /// Sum of the sizes of the resident objects, in units of the capacity.
  package var used: UInt64 { usedBody() }
  /// At most how many objects that are not resident the policy remembers, as far as it can say.
  @usableFromInline package var ghostsMax: Int { ghostsMaxBody() }
  /// Ghosts are known by their places from now on, and an id is free when its object has been
  /// settled; false where the policy does not allow it. Nothing must have been stored.
  package func placeGhosts() -> Bool { placeGhostsBody() }
  /// Ghosts that have a place.
  @usableFromInline package var ghostCount: Int { ghostCountBody() }
  /// Whether anything was ever stored that expires: until then the time of a get plays no part.
  package var expires: Bool { expiresBody() }
  /// Memory held, in bytes.
  package var stateBytes: Int { stateBytesBody() }
  /// What has happened since the start or the last `resetCounts`.
  package var counts: TierCounts { countsBody() }
  /// Sets all counts to zero.
  package func resetCounts() { resetBody() }
}

/// What a tier is made from, whether it is simulated or a real cache's.
///
/// The one place where limits become the capacity of a policy. Entries are the unit where they
/// alone are limited; otherwise bytes are, and a limit on entries stands beside the capacity, of
/// which the policy knows nothing.
@usableFromInline package struct CacheTierSetup: Sendable {
  /// Objects that a tier of a real cache holds at most, whatever was asked for: 2^27, half of what
  /// a queue holds.
  package static var residentsMax: Int { 1 << 27 }

  /// The policy with its parameters.
  package var policy: PolicySpec
  /// How much the tier holds, in `unit`. From 1 to `PolicySetup.capacityMax`.
  package let capacity: UInt64
  /// What the capacity counts.
  @usableFromInline package let unit: CapacityUnit
  /// At most how many objects are resident, whatever the unit. At least 1.
  package var objectsMax: Int
  /// The longest life of an entry, microseconds; nil for no limit.
  package var timeToLiveMicroseconds: UInt64?
  /// The largest object id that will occur before `reserve` is called.
  package var objects: Int
  /// The seed of random choices.
  package var seed: UInt64
  /// The admission filter with its parameters; nil for none.
  package var admission: PolicySpec?
  /// Of how many equal parts of a cache this is one.
  package var parts: Int
  /// Whether `access` leaves an object that it finds expired where it is, for the caller to remove.
  package var keepsExpired = false
  /// Whether the costs of fetching are kept with the copies; nil for whether the policy asks for
  /// them.
  var keepsCosts: Bool?
  /// Whether objects have sizes of their own. In a cache they do where its capacity counts bytes.
  @usableFromInline var weighs: Bool

  /// A setup with at most so many entries and bytes, where nil is no limit; see the properties for
  /// the meaning of the other parts.
  package init(
    policy: PolicySpec, entriesMax: Int?, bytesMax: UInt64?,
    timeToLiveMicroseconds: UInt64? = nil, objects: Int, seed: UInt64 = 0,
    admission: PolicySpec? = nil, parts: Int = 1
  ) {
    self.policy = policy
    unit = bytesMax == nil && entriesMax != nil ? .objects : .bytes
    weighs = unit == .bytes
    capacity = bytesMax ?? entriesMax.map { UInt64(max(0, $0)) } ?? PolicySetup.capacityMax
    objectsMax = entriesMax ?? .max
    self.timeToLiveMicroseconds = timeToLiveMicroseconds
    self.objects = objects
    self.seed = seed
    self.admission = admission
    self.parts = parts
  }

  /// What a configuration's tier, whose capacity counts `unit`, comes to.
  package init(_ tier: TierSetup, unit: CapacityUnit, objects: Int, seed: UInt64 = 0) {
    self.init(
      policy: tier.policy, entriesMax: tier.entriesMax(in: unit),
      bytesMax: tier.bytesMax(in: unit), timeToLiveMicroseconds: tier.timeToLiveMicroseconds,
      objects: objects, seed: seed, admission: tier.admission)
  }
}

extension TierSetup {
  /// The tier's limit on entries where its capacity counts `unit`: nil for none. Of two limits on
  /// objects only the lower one can be reached, so it is the capacity.
  package func entriesMax(in unit: CapacityUnit) -> Int? {
    let limits = [objectsMax, unit == .objects ? capacity : nil].compactMap { $0 }
    return limits.min().map { Int(clamping: $0) }
  }

  /// The tier's limit on bytes where its capacity counts `unit`: nil for none.
  package func bytesMax(in unit: CapacityUnit) -> UInt64? { unit == .bytes ? capacity : nil }

  /// The longest life of an entry, microseconds; nil for no limit.
  package var timeToLiveMicroseconds: UInt64? {
    timeToLiveSeconds.flatMap { $0 == 0 ? nil : UInt64($0) * 1_000_000 }
  }
}

/// A place on the heap for a value that cannot be copied, so that several closures can share it.
///
/// The value is reached through a pointer and not as a stored property: a property of a class is
/// checked for overlapping access at run time, each time, which cost a hybrid a quarter of its
/// speed. Whoever holds it sees to it that one call at a time uses the value.
@usableFromInline final class Held<Value: ~Copyable> {
  @usableFromInline let place: UnsafeMutablePointer<Value>

  /// Moves `value` in.
  @usableFromInline init(_ value: consuming Value) {
    // Nothing else is in its cache lines, which processors fetch in pairs.
    let bytes = (MemoryLayout<Value>.size + 127) / 128 * 128
    place = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 128)
      .bindMemory(to: Value.self, capacity: 1)
    place.initialize(to: value)
  }

  deinit {
    place.deinitialize(count: 1)
    place.deallocate()
  }

  /// Calls `body` with the value.
  @inlinable @inline(__always) func with<Result>(_ body: (inout Value) -> Result) -> Result {
    body(&place.pointee)
  }
}
