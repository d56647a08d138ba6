import LarderEngine

/// A stored object in a modelled tier.
struct NaiveCopy {
  var size: UInt32
  var version: Int
  var expires: UInt64
  var cost: Float
  var promotionHits = 0
}

extension NaiveCopy {
  init(_ request: Request, version: Int) {
    self.init(
      size: request.size, version: version, expires: request.expires, cost: request.cost)
  }
}

typealias NaiveVictims = [(id: ObjectID, copy: NaiveCopy)]

/// One tier of a modelled cache: a policy and its stored objects.
struct NaiveTier {
  /// Outcomes of storing an object.
  enum Outcome {
    /// Not stored; the policy may have evicted these anyway.
    case rejected(evicted: NaiveVictims)
    /// Stored after these were evicted.
    case stored(evicted: NaiveVictims)
  }

  var policy: any NaivePolicy
  let capacity: UInt64
  let timeToLiveSeconds: UInt32?
  let objectsMax: Int
  let weight: (UInt32) -> UInt32
  var copies: [ObjectID: NaiveCopy] = [:]
  var counts = TierCounts()

  init?(_ setup: TierSetup, unit: CapacityUnit, seed: UInt64 = 0) throws {
    // Objects have one limit: the lower of the two limits on their number is the capacity.
    let capacity =
      unit == .objects ? min(setup.capacity, setup.objectsMax ?? .max) : setup.capacity
    let made = try NaivePolicies.make(setup.policy, capacity: capacity, unit: unit, seed: seed)
    guard let policy = made else { return nil }
    self.policy = policy
    self.capacity = policy.exceedsCapacity ? .max : capacity
    timeToLiveSeconds = setup.timeToLiveSeconds
    objectsMax = setup.objectsMax.map { Int($0) } ?? .max
    weight = NaiveEntryMemory.weight(setup.policy, unit: unit)
  }

  var used: UInt64 { copies.values.reduce(0) { $0 + UInt64(weight($1.size)) } }

  func weighed(_ request: Request) -> Request {
    var request = request
    request.size = weight(request.size)
    return request
  }

  func expiry(ttlSeconds: UInt32, now: UInt64) -> UInt64 {
    let limits = [ttlSeconds == 0 ? nil : ttlSeconds, timeToLiveSeconds].compactMap { $0 }
    return limits.min().map { now + UInt64($0) * 1_000_000 } ?? Request.noExpiry
  }

  mutating func dropExpired(_ id: ObjectID, now: UInt64) -> Bool {
    guard let copy = copies[id], copy.expires <= now || policy.hasIdled(id) else { return false }
    drop(id)
    return true
  }

  mutating func drop(_ id: ObjectID) {
    copies[id] = nil
    policy.remove(id)
  }

  mutating func expire(_ id: ObjectID, _ context: NaiveContext) {
    policy.follow(context.now)
    guard let copy = copies[id], copy.expires > context.now, !policy.hasIdled(id) else { return }
    let expires = expiry(ttlSeconds: context.ttlSeconds, now: context.now)
    copies[id]?.expires = expires
    policy.renew(Request(id: id, size: weight(copy.size), expires: expires, cost: copy.cost))
  }

  mutating func store(_ given: Request, version: Int) -> Outcome {
    let request = weighed(given)
    guard UInt64(request.size) <= capacity else {
      counts.rejections += 1
      return .rejected(evicted: [])
    }
    guard policy.admit(request) else {
      counts.rejections += 1
      return .rejected(evicted: makeRoom(for: request) { !$0.policy.overflows })
    }
    // The limit on objects first.
    var evicted = makeRoom(for: request) { $0.copies.count < $0.objectsMax }
    evicted += makeRoom(for: request) {
      $0.used + UInt64(request.size) <= $0.capacity && !$0.policy.isFull(for: request)
    }
    policy.insert(request)
    copies[request.id] = NaiveCopy(given, version: version)
    counts.admissions += 1
    counts.bytesWritten += UInt64(given.size)
    return .stored(evicted: evicted)
  }

  mutating func set(_ given: Request, version: Int, now: UInt64) -> Outcome {
    let request = weighed(given)
    policy.follow(now)
    _ = dropExpired(request.id, now: now)
    guard copies[request.id] != nil else { return store(given, version: version) }
    guard UInt64(request.size) <= capacity else {
      drop(request.id)
      counts.rejections += 1
      return .rejected(evicted: [])
    }
    policy.replace(request)
    copies[request.id] = NaiveCopy(given, version: version)
    counts.bytesWritten += UInt64(given.size)
    return .stored(
      evicted: makeRoom(for: request) { $0.used <= $0.capacity && !$0.policy.overflows })
  }

  mutating func makeRoom(
    for request: Request, until fits: (NaiveTier) -> Bool
  ) -> NaiveVictims {
    var evicted: NaiveVictims = []
    while !fits(self) {
      let victim = policy.evict(for: request)
      guard let copy = copies.removeValue(forKey: victim) else { break }
      evicted.append((id: victim, copy: copy))
      counts.evictions += 1
    }
    return evicted
  }
}
