/// The tiers of a simulated hybrid by object id; with time, also a single tier.
final class HybridCore: HybridTiers {
  /// An object that memory evicted while it served a request.
  struct Victim {
    var id: ObjectID
    var object: TimedRequest
  }

  let memory: SimulatedTier?
  let disk: SimulatedTier?
  let tiers: [SimulatedTier]
  let rules: HybridRules
  var promotions: UInt64 = 0
  private(set) var demotions: UInt64 = 0
  /// For a disk policy that observes gets: the latency of a fetch for a request.
  var demotedLatency: ((_ index: UInt64, _ bytes: UInt32) -> UInt64)?
  // True after a hit on disk, with nothing stored or promoted since.
  private var hitBefore: Column<Bool>
  // Fields of the object's latest request, for its demotion.
  private var lastNextUse: Column<UInt32>

  init(memory: SimulatedTier?, disk: SimulatedTier?, rules: HybridRules, objects: Int) {
    self.memory = memory
    self.disk = disk
    tiers = [memory, disk].compactMap { $0 }
    self.rules = rules
    hitBefore = Column(objects: rules.promotion == .secondHit ? objects : 0)
    lastNextUse = Column(objects: rules.demotes ? objects : 0)
  }

  var stateBytes: Int { tiers.reduce(hitBefore.bytes + lastNextUse.bytes) { $0 + $1.stateBytes } }

  var evictions: UInt64 { (disk ?? memory)?.counts.evictions ?? 0 }
  var choice: PolicyChoice? { memory?.tier.choice ?? disk?.tier.choice }

  func counts(_ totals: SimulationTotals, hasCosts: Bool) -> Counts {
    var counts = totals.counts(
      memory: memory?.counts ?? TierCounts(), disk: disk?.counts ?? TierCounts(),
      hasCosts: hasCosts)
    counts.promotions = promotions
    counts.demotions = demotions
    return counts
  }

  func prefetch(_ ahead: (far: ObjectID, near: ObjectID)) {
    memory?.prefetch(ahead.far, ahead.near)
    disk?.prefetch(ahead.far, ahead.near)
  }

  func resetCounts() {
    for tier in tiers { tier.tier.resetCounts() }
    promotions = 0
    demotions = 0
  }

  func get(_ object: TimedRequest) -> HybridAnswer<TierCopy> {
    if let copy = getFromMemory(object) { return .memory(copy) }
    var tiers = self
    let answer = rules.getFromDisk(object, in: &tiers)
    switch answer {
    case .disk(_, let isPromoted):
      if isPromoted { promotions += 1 }
      // Memory may have evicted objects even if it rejects this one.
      demoteVictims(of: object)
    case .memory: break
    case .none:
      rules.store(object, isFill: true, in: &tiers)
      demoteVictims(of: object)
    }
    return answer
  }

  func getFromMemory(_ object: TimedRequest) -> TierCopy? {
    note(object.request)
    guard let copy = memory?.use(object.request, object.now) else { return nil }
    foreseeOnDisk(object)
    demoteVictims(of: object)
    return copy
  }

  func set(_ object: TimedRequest) {
    note(object.request)
    memory?.evicted.clear()
    var tiers = self
    rules.store(object, isFill: false, in: &tiers)
    demoteVictims(of: object)
  }

  func delete(_ object: TimedRequest) {
    note(object.request)
    var tiers = self
    rules.delete(object, in: &tiers)
  }

  func modify(_ request: Request) {
    note(request)
    for tier in tiers where tier.tier.contains(request.id) { tier.setStale(request.id, true) }
  }

  func expire(_ object: TimedRequest) {
    note(object.request)
    for tier in tiers { tier.changeExpiry(of: object) }
  }

  private func note(_ request: Request) {
    guard rules.demotes else { return }
    lastNextUse[request.id] = request.nextUse
  }

  func demoteVictims(of object: TimedRequest) {
    guard rules.demotes, let memory else { return }
    var tiers = self
    for place in 0..<memory.evicted.count
    where rules.demote(Victim(id: memory.evicted[place], object: object), in: &tiers) {
      demotions += 1
    }
  }

  func isPermanent(_ object: TimedRequest) -> Bool { false }
  func isPermanent(_ copy: TierCopy) -> Bool { false }
  func isPermanent(_ victim: Victim) -> Bool { false }

  func life(_ object: TimedRequest) -> UInt64 {
    guard let disk else { return .max }
    return lifeLeft(disk.tier.expiryFrom(object.now, object.timeToLive), object.now)
  }

  func lifeLeft(_ copy: TierCopy, of object: TimedRequest) -> UInt64 {
    lifeLeft(copy.expires, object.now)
  }

  func lifeLeft(_ victim: Victim) -> UInt64 {
    lifeLeft(memory?.tier.expiry(victim.id) ?? Request.noExpiry, victim.object.now)
  }

  private func lifeLeft(_ expires: UInt64, _ now: UInt64) -> UInt64 {
    expires == Request.noExpiry ? .max : expires - min(expires, now)
  }

  func foreseeOnDisk(_ object: TimedRequest) {
    guard let disk, disk.needsNextUse, disk.tier.contains(object.request.id) else { return }
    disk.foresee(object.request)
  }

  func useOnDisk(_ object: TimedRequest) -> TierCopy? { disk?.use(object.request, object.now) }

  func isOnDisk(_ object: TimedRequest) -> Bool {
    // If the use evicted nothing, the object is still resident.
    disk.map { $0.evicted.count == 0 || $0.tier.contains(object.request.id) } ?? false
  }

  func toggleHitBefore(_ object: TimedRequest) -> Bool {
    let stood = hitBefore[object.request.id]
    hitBefore[object.request.id] = !stood
    return stood
  }

  func putInMemory(_ object: TimedRequest) -> Bool { memory?.put(object) ?? false }

  func putOnDisk(_ object: TimedRequest) {
    forgetHits(object.request.id)
    _ = disk?.put(object)
  }

  func promote(_ copy: TierCopy, of object: TimedRequest) -> Bool {
    guard let memory else { return false }
    var request = object.request
    request.size = copy.size
    request.expires = min(copy.expires, memory.tier.expiryFrom(object.now, 0))
    request.cost = copy.cost
    guard memory.put(request, object.now) else { return false }
    memory.setStale(request.id, copy.isStale)
    return true
  }

  func demote(_ victim: Victim) -> Bool {
    guard let memory, let disk else { return false }
    let id = victim.id
    forgetHits(id)
    if let demotedLatency {
      let latency = demotedLatency(victim.object.request.index, memory.tier.size(id))
      disk.observe?(id, victim.object.now, latency)
    }
    let stored = disk.put(
      Request(
        id: id, size: memory.tier.size(id), index: victim.object.request.index,
        nextUse: lastNextUse[id], expires: memory.tier.expiry(id), cost: memory.tier.cost(id)),
      victim.object.now)
    if stored { disk.setStale(id, memory.isStale(id)) }
    return stored
  }

  func removeFromMemory(_ object: TimedRequest) { memory?.tier.remove(object.request.id) }
  func removeFromDisk(_ object: TimedRequest) { disk?.tier.remove(object.request.id) }

  private func forgetHits(_ id: ObjectID) {
    if rules.promotion == .secondHit { hitBefore[id] = false }
  }
}

/// The effects of the end of a read or a fetch, which is the `now` of an object.
extension HybridCore {
  func advance(to now: UInt64, last: UInt64) {
    for tier in tiers { tier.advance?(now, last) }
  }

  func endRead(_ object: TimedRequest) {
    memory?.evicted.clear()
    let id = object.request.id
    guard let disk, disk.holds(id, object.now), memory?.holds(id, object.now) != true else {
      return
    }
    let copy = TierCopy(
      size: disk.tier.size(id), isStale: disk.isStale(id), expires: disk.tier.expiry(id),
      cost: disk.tier.cost(id))
    var tiers = self
    if rules.promote(copy, of: object, in: &tiers) { promotions += 1 }
    demoteVictims(of: object)
  }

  func endFetch(_ object: TimedRequest) {
    memory?.evicted.clear()
    let id = object.request.id
    guard !tiers.contains(where: { $0.holds(id, object.now) }) else { return }
    // A copy that is still resident has expired.
    for tier in tiers where tier.tier.contains(id) { tier.tier.remove(id) }
    var tiers = self
    rules.store(object, isFill: true, in: &tiers)
    demoteVictims(of: object)
  }
}
