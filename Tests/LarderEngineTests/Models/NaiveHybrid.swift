import LarderEngine

/// One tier, or memory in front of disk, as the doc comment of `Simulation` describes them.
struct NaiveHybrid {
  var memory: NaiveTier?
  var disk: NaiveTier?
  let rules: HybridRules
  var promotions: UInt64 = 0
  var demotions: UInt64 = 0
  /// With fetch latencies: the latency for a number of bytes, for policies that observe gets.
  var demotedLatency: ((UInt32) -> UInt64)?

  init?(_ setup: SimulationSetup) throws {
    func tier(_ tier: TierSetup) throws -> NaiveTier? {
      try NaiveTier(tier, unit: setup.unit, seed: setup.seed)
    }
    switch setup.arrangement {
    case .memory(let only): (memory, rules) = (try tier(only), HybridRules(promotion: .never))
    case .disk(let only): (disk, rules) = (try tier(only), HybridRules(promotion: .never))
    case .hybrid(let first, let second, let both):
      (memory, disk, rules) = (try tier(first), try tier(second), both)
      if memory == nil || disk == nil { return nil }
    }
    if memory == nil, disk == nil { return nil }
  }

  func add(to counts: inout Counts) {
    counts.memory = memory?.counts ?? TierCounts()
    counts.disk = disk?.counts ?? TierCounts()
    counts.promotions = promotions
    counts.demotions = demotions
  }

  mutating func get(_ request: Request, _ context: NaiveContext) -> NaiveAnswer {
    if let copy = lookUpMemory(request, context) { return .memory(copy) }
    if let (copy, _) = disk?.lookUp(request, context) {
      finishDiskHit(request, copy, context)
      return .disk(copy)
    }
    fill(request, context)
    return .miss
  }

  mutating func lookUpMemory(_ request: Request, _ context: NaiveContext) -> NaiveCopy? {
    memory?.policy.follow(context.now)
    disk?.policy.follow(context.now)
    guard let (copy, evicted) = memory?.lookUp(request, context) else { return nil }
    foreseeOnDisk(request)
    if rules.inclusion == .exclusive { demote(evicted, context) }
    return copy
  }

  mutating func foreseeOnDisk(_ request: Request) {
    if disk?.policy.contains(request.id) == true { disk?.policy.foresee(request) }
  }

  mutating func finishDiskHit(_ request: Request, _ copy: NaiveCopy, _ context: NaiveContext) {
    if places(until: copy.expires, context).contains(.memory), isPromoted(request.id, copy) {
      promote(request, copy, context)
    }
  }

  mutating func fill(_ request: Request, _ context: NaiveContext) {
    let places = places(lifeOf: request, context)
    if rules.inclusion == .inclusive, places.contains(.disk) { disk?.fill(request, context) }
    let outcome = places.contains(.memory) ? memory?.fill(request, context) : nil
    if rules.inclusion == .exclusive { finishExclusive(outcome, request, context) }
  }

  mutating func set(_ request: Request, _ context: NaiveContext) {
    memory?.policy.follow(context.now)
    disk?.policy.follow(context.now)
    let places = places(lifeOf: request, context)
    if rules.inclusion == .inclusive, places.contains(.disk) {
      disk?.set(request, context)
    } else {
      disk?.drop(request.id)
    }
    let outcome = places.contains(.memory) ? memory?.set(request, context) : nil
    if outcome == nil { memory?.drop(request.id) }
    if rules.inclusion == .exclusive { finishExclusive(outcome, request, context) }
  }

  mutating func delete(_ id: ObjectID) {
    memory?.drop(id)
    disk?.drop(id)
  }

  mutating func expire(_ id: ObjectID, _ context: NaiveContext) {
    memory?.expire(id, context)
    disk?.expire(id, context)
  }

  private enum Place { case memory, disk }

  private func places(lifeOf request: Request, _ context: NaiveContext) -> Set<Place> {
    places(until: disk?.timed(request, context).expires ?? Request.noExpiry, context)
  }

  private func places(until expires: UInt64, _ context: NaiveContext) -> Set<Place> {
    guard let placement = rules.placement else { return [.memory, .disk] }
    if expires == Request.noExpiry { return [.disk] }
    let seconds = Double(expires - context.now) / 1e6
    if seconds < Double(placement.memoryOnlyBelowSeconds) { return [.memory] }
    return seconds < Double(placement.diskOnlyFromSeconds) ? [.memory, .disk] : [.disk]
  }

  private mutating func finishExclusive(
    _ outcome: NaiveTier.Outcome?, _ request: Request, _ context: NaiveContext
  ) {
    switch outcome ?? .rejected(evicted: []) {
    case .stored(let evicted): demote(evicted, context)
    case .rejected(let evicted):
      if places(lifeOf: request, context).contains(.disk) { disk?.fill(request, context) }
      demote(evicted, context)
    }
  }

  private mutating func demote(_ evicted: NaiveVictims, _ context: NaiveContext) {
    for (id, copy) in evicted where copy.expires > context.now {
      guard places(until: copy.expires, context).contains(.disk) else { continue }
      var request = context.latest[id] ?? Request(id: id)
      request.size = copy.size
      request.expires = copy.expires
      request.cost = copy.cost
      if let demotedLatency {
        disk?.policy.observe(id, now: context.now, fetchLatency: demotedLatency(copy.size))
      }
      if case .stored = disk?.store(request, version: copy.version) { demotions += 1 }
    }
  }

  /// Counts a disk hit, and returns true if the rule promotes the object.
  private mutating func isPromoted(_ id: ObjectID, _ copy: NaiveCopy) -> Bool {
    switch rules.promotion {
    case .never: return false
    case .always: return true
    case .secondHit:
      let hits = copy.promotionHits + 1
      disk?.copies[id]?.promotionHits = hits % 2
      return hits == 2
    }
  }

  private mutating func promote(_ request: Request, _ copy: NaiveCopy, _ context: NaiveContext) {
    var request = request
    request.size = copy.size
    request.cost = copy.cost
    guard var memory else { return }
    request.expires = min(copy.expires, memory.expiry(ttlSeconds: 0, now: context.now))
    // With latencies, it may have expired since the request.
    _ = memory.dropExpired(request.id, now: context.now)
    let outcome = memory.store(request, version: copy.version)
    self.memory = memory
    switch outcome {
    case .rejected(let evicted):
      if rules.inclusion == .exclusive { demote(evicted, context) }
    case .stored(let evicted):
      promotions += 1
      guard rules.inclusion == .exclusive else { return }
      disk?.drop(request.id)
      demote(evicted, context)
    }
  }
}
