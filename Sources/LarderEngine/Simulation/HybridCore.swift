/// The decisions of a cache with memory in front of disk, without its keys and values: the rules of
/// inclusion, promotion and demotion, shared by the simulator and the real cache.
final class HybridCore {
  /// Where a get was answered.
  enum Answer {
    /// In memory; the size served.
    case memory(UInt32)
    /// On disk; the size served.
    case disk(UInt32)
    /// Nowhere: fetched from the origin.
    case origin
  }

  let memory: TierDriver
  let disk: TierDriver
  private let rules: HybridRules
  private(set) var promotions: UInt64 = 0
  private(set) var demotions: UInt64 = 0
  // A hit on disk came before, with nothing stored or promoted since.
  private var hitBefore: Column<Bool>
  // What the latest request said of the object, for its demotion.
  private var lastNextUse: Column<UInt32>
  private var lastCost: Column<Float>

  /// Two tiers under one set of rules, for ids up to `objects`.
  init(memory: TierDriver, disk: TierDriver, rules: HybridRules, objects: Int) {
    self.memory = memory
    self.disk = disk
    self.rules = rules
    let demotes = rules.inclusion == .exclusive
    hitBefore = Column(objects: rules.promotion == .secondHit ? objects : 0)
    lastNextUse = Column(objects: demotes ? objects : 0)
    lastCost = Column(objects: demotes ? objects : 0)
  }

  /// Memory held, in bytes.
  var stateBytes: Int {
    memory.stateBytes + disk.stateBytes + hitBefore.bytes + lastNextUse.bytes + lastCost.bytes
  }

  /// Sets all counts to zero.
  func resetCounts() {
    memory.resetCounts()
    disk.resetCounts()
    promotions = 0
    demotions = 0
  }

  /// A get at `now` (microseconds) with a time to live of its own (seconds, 0 for none).
  func get(_ request: Request, now: UInt64, ttlSeconds: UInt32) -> (Answer, isStale: Bool) {
    note(request)
    let id = request.id
    if memory.find(id, now, true) {
      let answer = Answer.memory(memory.size(id))
      let isStale = memory.isStale(id)
      memory.hit(request)
      if disk.needsNextUse, disk.contains(id) { disk.foresee(request) }
      demoteVictims(of: request, now: now)
      return (answer, isStale)
    }
    if disk.find(id, now, true) {
      let answer = Answer.disk(disk.size(id))
      let isStale = disk.isStale(id)
      disk.hit(request)
      if disk.contains(id), wantsPromotion(id) { promote(request, now: now) }
      return (answer, isStale)
    }
    fill(request, now: now, ttlSeconds: ttlSeconds)
    return (.origin, false)
  }

  /// A set at `now`.
  func set(_ request: Request, now: UInt64, ttlSeconds: UInt32) {
    note(request)
    switch rules.inclusion {
    case .inclusive:
      forgetHits(request.id)
      put(request, in: disk, now: now, ttlSeconds: ttlSeconds)
      put(request, in: memory, now: now, ttlSeconds: ttlSeconds)
    case .exclusive:
      forgetHits(request.id)
      disk.remove(request.id)
      let accepted = put(request, in: memory, now: now, ttlSeconds: ttlSeconds)
      demoteVictims(of: request, now: now)
      if !accepted { put(request, in: disk, now: now, ttlSeconds: ttlSeconds) }
    }
  }

  /// The object is deleted.
  func delete(_ request: Request) {
    note(request)
    memory.remove(request.id)
    disk.remove(request.id)
  }

  /// The object changed at its origin.
  func modify(_ request: Request) {
    note(request)
    if memory.contains(request.id) { memory.setStale(request.id, true) }
    if disk.contains(request.id) { disk.setStale(request.id, true) }
  }

  private func note(_ request: Request) {
    guard rules.inclusion == .exclusive else { return }
    lastNextUse[request.id] = request.nextUse
    lastCost[request.id] = request.cost
  }

  private func wantsPromotion(_ id: ObjectID) -> Bool {
    switch rules.promotion {
    case .always: return true
    case .never: return false
    case .secondHit:
      let wanted = hitBefore[id]
      hitBefore[id] = !wanted
      return wanted
    }
  }

  /// Copies or moves what disk holds into memory.
  private func promote(_ request: Request, now: UInt64) {
    let id = request.id
    let isStale = disk.isStale(id)
    var copy = request
    copy.size = disk.size(id)
    copy.expires = min(disk.expiry(id), memory.expiryFrom(now, 0))
    guard memory.store(copy) else { return }
    memory.setStale(id, isStale)
    promotions += 1
    if rules.inclusion == .exclusive {
      disk.remove(id)
      demoteVictims(of: request, now: now)
    }
  }

  /// Stores what the origin gave.
  private func fill(_ request: Request, now: UInt64, ttlSeconds: UInt32) {
    forgetHits(request.id)
    if rules.inclusion == .inclusive {
      store(request, in: disk, now: now, ttlSeconds: ttlSeconds)
      store(request, in: memory, now: now, ttlSeconds: ttlSeconds)
    } else if store(request, in: memory, now: now, ttlSeconds: ttlSeconds) {
      demoteVictims(of: request, now: now)
    } else {
      store(request, in: disk, now: now, ttlSeconds: ttlSeconds)
    }
  }

  @discardableResult
  private func store(
    _ request: Request, in tier: borrowing TierDriver, now: UInt64, ttlSeconds: UInt32
  ) -> Bool {
    var request = request
    request.expires = tier.expiryFrom(now, ttlSeconds)
    return tier.store(request)
  }

  /// What a set does to one tier; says whether the tier holds the value afterwards or evicted it
  /// again, and false when it refused it.
  @discardableResult
  private func put(
    _ request: Request, in tier: borrowing TierDriver, now: UInt64, ttlSeconds: UInt32
  ) -> Bool {
    guard tier.find(request.id, now, false) else {
      return store(request, in: tier, now: now, ttlSeconds: ttlSeconds)
    }
    var request = request
    request.expires = tier.expiryFrom(now, ttlSeconds)
    return tier.replace(request)
  }

  private func forgetHits(_ id: ObjectID) {
    if rules.promotion == .secondHit { hitBefore[id] = false }
  }

  /// Moves what memory has just given up to disk.
  private func demoteVictims(of request: Request, now: UInt64) {
    guard rules.inclusion == .exclusive else { return }
    let victims = memory.victims
    for id in victims {
      let expires = memory.expiry(id)
      guard expires > now else { continue }
      let isStale = memory.isStale(id)
      forgetHits(id)
      let stored = disk.store(
        Request(
          id: id, size: memory.size(id), index: request.index, nextUse: lastNextUse[id],
          expires: expires, cost: lastCost[id]))
      if stored {
        disk.setStale(id, isStale)
        demotions += 1
      }
    }
  }
}
