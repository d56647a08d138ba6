/// The tiers of a simulated hybrid: what `HybridRules` decides over, by object id.
final class HybridCore: HybridTiers {
  /// A request at a time.
  struct Object {
    var request: Request
    /// Microseconds.
    var now: UInt64
    /// Microseconds; 0 for no time to live of its own.
    var timeToLive: UInt64
  }

  /// What memory has evicted while it served a request.
  struct Victim {
    var id: ObjectID
    var object: Object
  }

  let memory: SimulatedTier
  let disk: SimulatedTier
  let rules: HybridRules
  var promotions: UInt64 = 0
  private(set) var demotions: UInt64 = 0
  /// Where fetches take time and disk's policy is told of gets: what a fetch would take for the
  /// request at a place of the trace, for so many bytes.
  var demotedLatency: ((_ index: UInt64, _ bytes: UInt32) -> UInt64)?
  // A hit on disk came before, with nothing stored or promoted since.
  private var hitBefore: Column<Bool>
  // What the latest request said of the object, for its demotion.
  private var lastNextUse: Column<UInt32>

  /// Two tiers under one set of rules, for ids up to `objects`.
  init(memory: SimulatedTier, disk: SimulatedTier, rules: HybridRules, objects: Int) {
    self.memory = memory
    self.disk = disk
    self.rules = rules
    hitBefore = Column(objects: rules.promotion == .secondHit ? objects : 0)
    lastNextUse = Column(objects: rules.demotes ? objects : 0)
  }

  /// Memory held, in bytes.
  var stateBytes: Int {
    memory.stateBytes + disk.stateBytes + hitBefore.bytes + lastNextUse.bytes
  }

  /// Sets all counts to zero.
  func resetCounts() {
    memory.tier.resetCounts()
    disk.tier.resetCounts()
    promotions = 0
    demotions = 0
  }

  // MARK: Requests

  /// A get; what no tier answers is stored.
  func get(_ object: Object) -> HybridAnswer<TierCopy> {
    if let copy = getFromMemory(object) { return .memory(copy) }
    var tiers = self
    let answer = rules.getFromDisk(object, in: &tiers)
    switch answer {
    case .disk(_, let isPromoted):
      if isPromoted { promotions += 1 }
      // What memory refuses may have made it evict all the same.
      demoteVictims(of: object)
    case .memory: break
    case .none:
      rules.store(object, isFill: true, in: &tiers)
      demoteVictims(of: object)
    }
    return answer
  }

  /// A get as far as memory can answer it.
  func getFromMemory(_ object: Object) -> TierCopy? {
    note(object.request)
    guard let copy = useInMemory(object) else { return nil }
    demoteVictims(of: object)
    return copy
  }

  /// A set.
  func set(_ object: Object) {
    note(object.request)
    memory.evicted.clear()
    var tiers = self
    rules.store(object, isFill: false, in: &tiers)
    demoteVictims(of: object)
  }

  /// The object is deleted.
  func delete(_ object: Object) {
    note(object.request)
    var tiers = self
    rules.delete(object, in: &tiers)
  }

  /// The object changed at its origin.
  func modify(_ request: Request) {
    note(request)
    if memory.tier.contains(request.id) { memory.setStale(request.id, true) }
    if disk.tier.contains(request.id) { disk.setStale(request.id, true) }
  }

  /// The object has another time to live from now on, in the tiers that hold it.
  func expire(_ object: Object) {
    note(object.request)
    for tier in [memory, disk] {
      let expires = tier.tier.expiryFrom(object.now, object.timeToLive)
      tier.changeExpiry(object.request.id, to: expires, now: object.now)
    }
  }

  private func note(_ request: Request) {
    guard rules.demotes else { return }
    lastNextUse[request.id] = request.nextUse
  }

  /// Offers what memory has just given up to disk.
  func demoteVictims(of object: Object) {
    guard rules.demotes else { return }
    var tiers = self
    for place in 0..<memory.evicted.count
    where rules.demote(Victim(id: memory.evicted[place], object: object), in: &tiers) {
      demotions += 1
    }
  }

  // MARK: Tiers

  func isPermanent(_ object: Object) -> Bool { false }

  func isPermanent(_ copy: TierCopy) -> Bool { false }

  func isPermanent(_ victim: Victim) -> Bool { false }

  func life(_ object: Object) -> UInt64 {
    lifeLeft(disk.tier.expiryFrom(object.now, object.timeToLive), object.now)
  }

  func lifeLeft(_ copy: TierCopy, of object: Object) -> UInt64 {
    lifeLeft(copy.expires, object.now)
  }

  func lifeLeft(_ victim: Victim) -> UInt64 {
    lifeLeft(memory.tier.expiry(victim.id), victim.object.now)
  }

  private func lifeLeft(_ expires: UInt64, _ now: UInt64) -> UInt64 {
    expires == Request.noExpiry ? .max : expires - min(expires, now)
  }

  private func useInMemory(_ object: Object) -> TierCopy? {
    guard let copy = memory.use(object.request, object.now) else { return nil }
    foreseeOnDisk(object)
    return copy
  }

  /// Disk's copy, if there is one, was requested without disk being asked.
  func foreseeOnDisk(_ object: Object) {
    if disk.needsNextUse, disk.tier.contains(object.request.id) { disk.foresee(object.request) }
  }

  func useOnDisk(_ object: Object) -> TierCopy? { disk.use(object.request, object.now) }

  func isOnDisk(_ object: Object) -> Bool {
    // After a use that evicted nothing it is there.
    disk.evicted.count == 0 || disk.tier.contains(object.request.id)
  }

  func toggleHitBefore(_ object: Object) -> Bool {
    let stood = hitBefore[object.request.id]
    hitBefore[object.request.id] = !stood
    return stood
  }

  func putInMemory(_ object: Object) -> Bool {
    var request = object.request
    request.expires = memory.tier.expiryFrom(object.now, object.timeToLive)
    return memory.put(request, object.now)
  }

  func putOnDisk(_ object: Object) {
    forgetHits(object.request.id)
    var request = object.request
    request.expires = disk.tier.expiryFrom(object.now, object.timeToLive)
    _ = disk.put(request, object.now)
  }

  func promote(_ copy: TierCopy, of object: Object) -> Bool {
    var request = object.request
    request.size = copy.size
    request.expires = min(copy.expires, memory.tier.expiryFrom(object.now, 0))
    request.cost = copy.cost
    guard memory.put(request, object.now) else { return false }
    memory.setStale(request.id, copy.isStale)
    return true
  }

  func demote(_ victim: Victim) -> Bool {
    let id = victim.id
    forgetHits(id)
    if let demotedLatency {
      let latency = demotedLatency(victim.object.request.index, memory.tier.size(id))
      disk.observe?(id, victim.object.now, latency)
    }
    let stored = disk.put(
      Request(
        id: id, size: memory.tier.size(id), index: victim.object.request.index,
        nextUse: lastNextUse[id], expires: memory.tier.expiry(id), cost: memory.cost(id)),
      victim.object.now)
    if stored { disk.setStale(id, memory.isStale(id)) }
    return stored
  }

  func removeFromMemory(_ object: Object) { memory.tier.remove(object.request.id) }

  func removeFromDisk(_ object: Object) { disk.tier.remove(object.request.id) }

  private func forgetHits(_ id: ObjectID) {
    if rules.promotion == .secondHit { hitBefore[id] = false }
  }
}

/// What the end of a read or a fetch does to the tiers of a simulated hybrid. Objects have the end
/// of their flight as their `now`.
extension HybridCore {
  /// The time is `now`; policies that are told of requests hear of `last`, see
  /// `FlightBoard.landing`.
  func advance(to now: UInt64, last: UInt64) {
    memory.advance?(now, last)
    disk.advance?(now, last)
  }

  /// A read from disk has ended: the rules for promotion are asked now, about the copy that disk
  /// holds now. What disk has given up meanwhile, or memory holds already, is not promoted.
  func endRead(_ object: Object) {
    memory.evicted.clear()
    let id = object.request.id
    guard !memory.holds(id, object.now), disk.holds(id, object.now) else { return }
    let copy = TierCopy(
      size: disk.tier.size(id), isStale: disk.isStale(id), expires: disk.tier.expiry(id),
      cost: disk.cost(id))
    var tiers = self
    if rules.promote(copy, of: object, in: &tiers) { promotions += 1 }
    demoteVictims(of: object)
  }

  /// A fetch from the origin has ended: what it brings is stored, unless a tier holds it already.
  func endFetch(_ object: Object) {
    memory.evicted.clear()
    let id = object.request.id
    guard !memory.holds(id, object.now), !disk.holds(id, object.now) else { return }
    // What is still there has expired.
    if memory.tier.contains(id) { memory.tier.remove(id) }
    if disk.tier.contains(id) { disk.tier.remove(id) }
    var tiers = self
    rules.store(object, isFill: true, in: &tiers)
    demoteVictims(of: object)
  }
}
