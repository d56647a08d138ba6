public import Synchronization

/// A type-erased tier: driven by real caches and, as a `SimulatedTier`, by simulated hybrids and
/// probes. An operation costs one call through a closure; everything below it is specialised. See
/// `Tier` for the operations. Called from one thread at a time, except for hits through `hitWords`.
@usableFromInline package struct CacheTier {
  @frozen @usableFromInline package enum Access: UInt8 {
    /// The object is not resident.
    case absent
    /// The entry had expired. It has been removed, unless `CacheTierSetup.keepsExpired`.
    case expired
    case hit
  }

  @frozen @usableFromInline package enum Stored: UInt8 {
    /// Too large, or rejected by the policy; an old copy has been removed.
    case rejected
    /// The object is stored and was not resident before.
    case stored
    /// The object's value was replaced; the object may still be among the victims.
    case replaced
  }

  // Members that sets and gets use come first, in as few cache lines as possible.

  /// Performs a get at a time in microseconds; may leave victims.
  @usableFromInline package private(set) var access: (ObjectID, _ now: UInt64) -> Access
  /// Performs a set with an expiry from `expiryFrom`; may leave victims, also when it rejects.
  @usableFromInline package private(set) var set: (Request, _ now: UInt64) -> Stored
  @usableFromInline package let victims: VictimList
  @usableFromInline let victimsOwner: VictimList.Owner
  @usableFromInline package let state: UnsafeRawBufferPointer
  /// Finalises an eviction, after `placeGhosts`: see `ThreeQueues.settle`.
  @usableFromInline package let settle: (ObjectID) -> GhostMove
  /// Gives the requested ghost in a slot an id until it is stored or settled.
  @usableFromInline package let recall: (_ place: UInt32, ObjectID) -> Void
  @usableFromInline package let contains: (ObjectID) -> Bool
  @usableFromInline package let remembers: (ObjectID) -> Bool
  /// The expiry of an object stored now with its own TTL, in microseconds; 0 for none.
  @usableFromInline package let expiryFrom: (_ now: UInt64, _ timeToLive: UInt64) -> UInt64

  @usableFromInline package let size: (ObjectID) -> UInt32
  /// The expiry of a resident object, in microseconds; `Request.noExpiry` for none.
  @usableFromInline package let expiry: (ObjectID) -> UInt64
  /// The cost of fetching a resident object; 1 if costs are not kept.
  @usableFromInline package let cost: (ObjectID) -> Float
  /// Describes hits on unexpired objects that any number of threads can make concurrently, also
  /// while another thread calls the tier; nil if hits must be exclusive. Valid until `reserve`.
  @usableFromInline package let hitWords: () -> HitWords?
  /// The complements of the expiries for these hits, from id 0 on, or nil if no entry ever had one.
  @usableFromInline package let sharedExpiries: () -> UnsafeMutablePointer<Atomic<UInt64>>?
  /// Allocates expiries, as the first set with an expiry does.
  @usableFromInline package let beginExpiries: () -> Void
  @usableFromInline let setRestoringBody: (Bool, PolicyChoice?) -> Void
  /// Changes the expiry of a resident object, in microseconds; not a request for it.
  @usableFromInline package let renew: (ObjectID, _ expires: UInt64) -> Void
  @usableFromInline package let remove: (ObjectID) -> Void
  /// The first id in a range that the policy does not remember, or `.none`. O(length of the range).
  @usableFromInline package let forgotten: (_ from: ObjectID, _ through: ObjectID) -> ObjectID
  @usableFromInline let change: TierChange
  // Operations without a change.
  private var plain: (access: (ObjectID, UInt64) -> Access, set: (Request, UInt64) -> Stored)?
  /// Takes over an object of another tier, and adds victims. See `Tier.takeOver`.
  @usableFromInline package let takeOver: (KnownObject) -> Void
  @usableFromInline package let prefetch: (ObjectID) -> Void
  @usableFromInline package let prefetchNeighbours: (ObjectID) -> Void
  /// Evicts one object, of one or more; does not count as an eviction.
  @usableFromInline package let giveUp: () -> ObjectID
  @usableFromInline package let reserve: (_ objects: Int) -> Void
  /// Forgets the ghost in a slot, or the oldest one; returns its slot.
  @usableFromInline package let dropGhost: (_ place: UInt32?) -> UInt32
  /// Resizes the ghost slots: see `ThreeQueues.repackGhosts`.
  @usableFromInline package let repackGhosts:
    (_ places: Int?, _ moved: (_ old: UInt32, _ new: UInt32) -> Void) -> Void
  @usableFromInline let placeGhostsBody: () -> Bool
  @usableFromInline let ghostCountBody: () -> Int
  @usableFromInline let ghostsMaxBody: () -> Int
  @usableFromInline let countBody: () -> Int
  @usableFromInline let usedBody: () -> UInt64
  @usableFromInline let expiresBody: () -> Bool
  @usableFromInline let stateBytesBody: () -> Int
  @usableFromInline let choiceBody: () -> PolicyChoice?
  @usableFromInline let leadingBody: () -> Int?
  @usableFromInline let countsBody: () -> TierCounts
  @usableFromInline let resetBody: () -> Void

  @inlinable init<Policy: EvictionPolicy & ~Copyable>(_ held: Held<Tier<Policy, FullShape>>) {
    let owner = VictimList.Owner()
    let list = owner.list
    contains = { id in held.with { $0.contains(id) } }
    remembers = { id in held.with { $0.remembers(id) } }
    size = { id in held.with { $0.size(of: id) } }
    cost = { id in held.with { $0.cost(of: id) } }
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
    recall = { at, id in held.with { _ = $0.policy.withGhostQueues { $0.recall(at, as: id) } } }
    dropGhost = { at in held.with { $0.policy.withGhostQueues { $0.dropGhost(at: at) } ?? .max } }
    repackGhosts = { places, moved in
      held.with { _ = $0.policy.withGhostQueues { $0.repackGhosts(places: places, moved: moved) } }
    }
    placeGhostsBody = { held.with { $0.placeGhosts() } }
    ghostCountBody = { held.with { $0.policy.withGhostQueues { $0.ghostCount } ?? 0 } }
    ghostsMaxBody = { held.with { $0.policy.ghostsMax } }
    change = TierChange(held, list)
    set = { request, now in
      list.clear()
      return held.with { tier in
        let outcome = tier.set(request, now: now) { list.append($0) }
        if tier.placesGhosts {
          list.noteMove(list.count == 1 && list[0] != request.id ? tier.settle(list[0]) : nil)
        }
        let candidate = tier.policy.candidate
        list.noteCandidate(candidate)
        tier.prefetch(candidate)
        return outcome
      }
    }
    setRestoringBody = { isRestoring, choice in held.with { $0.setRestoring(isRestoring, choice) } }
    renew = { id, expires in held.with { $0.renew(id, expires: expires) } }
    expiryFrom = { now, own in held.with { $0.expiry(now: now, timeToLive: own) } }
    remove = { id in held.with { $0.remove(id) } }
    takeOver = { object in held.with { $0.takeOver(object) { list.append($0) } } }
    prefetch = { id in held.with { $0.prefetch(id) } }
    prefetchNeighbours = { id in held.with { $0.policy.prefetchNeighbours(id) } }
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
    choiceBody = { held.with { $0.policy.choice } }
    leadingBody = { held.with { $0.policy.leading } }
    countsBody = { held.with { $0.counts } }
    resetBody = { held.with { $0.counts = TierCounts() } }
  }

  /// True while objects wait for `moveWaiting`.
  package var isChanging: Bool { change.isUnderWay() }

  /// Changes the limits of the tier, and leaves victims: see `Tier.resize`.
  package mutating func resize(_ setup: CacheTierSetup) throws(PolicyError) {
    if let error = change.begin(setup) { throw error }
    guard isChanging else { return }
    let (access, set, turn) = (access, set, change.turn)
    plain = (access, set)
    self.access = { id, now in
      let isTurned = turn(id)
      defer { if isTurned { _ = turn(nil) } }
      return access(id, now)
    }
    self.set = { request, now in
      let isTurned = turn(request.id)
      defer { if isTurned { _ = turn(nil) } }
      return set(request, now)
    }
  }

  /// Moves the next waiting objects of a change to the new policy, and leaves victims.
  package mutating func moveWaiting(_ fingerprint: (ObjectID) -> UInt32) {
    change.moveWaiting(fingerprint)
    guard let plain, !isChanging else { return }
    (access, set) = plain
    self.plain = nil
  }

  package var count: Int { countBody() }
  package var used: UInt64 { usedBody() }
  @usableFromInline package var ghostsMax: Int { ghostsMaxBody() }
  package func placeGhosts() -> Bool { placeGhostsBody() }
  @usableFromInline package var ghostCount: Int { ghostCountBody() }
  package var expires: Bool { expiresBody() }
  package var stateBytes: Int { stateBytesBody() }
  package var choice: PolicyChoice? { choiceBody() }
  package var leading: Int? { leadingBody() }
  /// Starts or ends restoring, in which the filter records sets without deciding.
  package func setRestoring(_ isRestoring: Bool, choice: PolicyChoice? = nil) {
    setRestoringBody(isRestoring, choice)
  }
  package var counts: TierCounts { countsBody() }
  package func resetCounts() { resetBody() }
}

/// Changes of the limits of a tier: see `Tier.resize`.
@usableFromInline struct TierChange {
  let begin: (CacheTierSetup) -> PolicyError?
  let moveWaiting: (_ fingerprint: (ObjectID) -> UInt32) -> Void
  let isUnderWay: () -> Bool
  /// Exchanges the policies of a change if an object waits; nil exchanges them back.
  let turn: (ObjectID?) -> Bool

  @usableFromInline init<Policy: EvictionPolicy & ~Copyable>(
    _ held: Held<Tier<Policy, FullShape>>, _ list: VictimList
  ) {
    begin = { setup in
      list.clear()
      return held.with { tier in
        do throws(PolicyError) {
          try tier.resize(setup) { list.append($0) }
          return nil
        } catch {
          return error
        }
      }
    }
    moveWaiting = { fingerprint in
      list.clear()
      held.with { $0.moveWaiting(fingerprint) { list.append($0) } }
    }
    turn = { id in
      held.with { tier in
        if let id { return tier.turn(for: id) }
        tier.turn()
        // The other policy may have evicted the victim: the caller settles it.
        list.noteMove(nil)
        return true
      }
    }
    isUnderWay = { held.with { $0.former != nil } }
  }
}

/// The setup of a tier, simulated or in a real cache. If only entries are limited, they are the
/// unit; otherwise bytes are, and a limit on entries applies in addition, unknown to the policy.
@usableFromInline package struct CacheTierSetup: Sendable {
  package static var residentsMax: Int { 1 << 27 }

  package var policy: PolicySpec
  /// The capacity of the tier, in `unit`. From 1 to `PolicySetup.capacityMax`.
  package let capacity: UInt64
  @usableFromInline package let unit: CapacityUnit
  /// The largest number of resident objects, in addition to the capacity. At least 1.
  package var objectsMax: Int
  /// The longest TTL of an entry, in microseconds; nil for no limit.
  package var timeToLiveMicroseconds: UInt64?
  /// The largest object id before the next call of `reserve`.
  package var objects: Int
  package var seed: UInt64
  /// The admission filter with its parameters; nil for none.
  package var admission: PolicySpec?
  /// The equal parts of the cache, of which this is one; nil for the whole.
  package var group: PolicyGroup?
  /// True if `access` leaves an expired object in place for the caller to remove.
  package var keepsExpired = false
  /// True if costs are kept with the copies; nil to keep them if the policy needs them.
  var keepsCosts: Bool?
  /// True if objects have different sizes: in a cache, if its capacity counts bytes.
  @usableFromInline var weighs: Bool

  package init(
    policy: PolicySpec, entriesMax: Int?, bytesMax: UInt64?,
    timeToLiveMicroseconds: UInt64? = nil, objects: Int, seed: UInt64 = 0,
    admission: PolicySpec? = nil, group: PolicyGroup? = nil
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
    self.group = group
  }

  package init(_ tier: TierSetup, unit: CapacityUnit, objects: Int, seed: UInt64 = 0) {
    self.init(
      policy: tier.policy, entriesMax: tier.entriesMax(in: unit),
      bytesMax: tier.bytesMax(in: unit), timeToLiveMicroseconds: tier.timeToLiveMicroseconds,
      objects: objects, seed: seed, admission: tier.admission)
  }
}

extension CacheTierSetup {
  var parts: Int { group?.parts ?? 1 }
}

extension TierSetup {
  package func entriesMax(in unit: CapacityUnit) -> Int? {
    let limits = [objectsMax, unit == .objects ? capacity : nil].compactMap { $0 }
    return limits.min().map { Int(clamping: $0) }
  }

  package func bytesMax(in unit: CapacityUnit) -> UInt64? { unit == .bytes ? capacity : nil }

  package var timeToLiveMicroseconds: UInt64? {
    timeToLiveSeconds.flatMap { $0 == 0 ? nil : UInt64($0) * 1_000_000 }
  }
}

/// A heap allocation for a noncopyable value, so that several closures can share it.
@usableFromInline final class Held<Value: ~Copyable> {
  @usableFromInline let place: UnsafeMutablePointer<Value>

  @usableFromInline init(_ value: consuming Value) {
    // The value has its cache lines to itself; processors fetch them in pairs.
    let bytes = (MemoryLayout<Value>.size + 127) / 128 * 128
    place = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 128)
      .bindMemory(to: Value.self, capacity: 1)
    place.initialize(to: value)
  }

  deinit {
    place.deinitialize(count: 1)
    place.deallocate()
  }

  @inlinable @inline(__always) func with<Result>(_ body: (inout Value) -> Result) -> Result {
    body(&place.pointee)
  }
}
