import LarderEngine

/// Memory before disk, as the doc comment of `Simulation` describes it.
struct NaiveHybrid {
  var memory: NaiveTier
  var disk: NaiveTier
  let rules: HybridRules
  var promotions: UInt64 = 0
  var demotions: UInt64 = 0

  init(memory: NaiveTier, disk: NaiveTier, rules: HybridRules) {
    self.memory = memory
    self.disk = disk
    self.rules = rules
  }

  mutating func get(_ request: Request, _ context: NaiveContext) -> NaiveAnswer {
    if let (copy, evicted) = memory.lookUp(request, context) {
      if disk.policy.contains(request.id) { disk.policy.foresee(request) }
      if rules.inclusion == .exclusive { demote(evicted, context) }
      return .memory(copy)
    }
    if let (copy, _) = disk.lookUp(request, context) {
      if isPromoted(request.id, copy) { promote(request, copy, context) }
      return .disk(copy)
    }
    switch rules.inclusion {
    case .inclusive:
      _ = disk.store(disk.timed(request, context), version: context.version)
      _ = memory.store(memory.timed(request, context), version: context.version)
    case .exclusive:
      let outcome = memory.store(memory.timed(request, context), version: context.version)
      finishExclusive(outcome, request, context)
    }
    return .miss
  }

  mutating func set(_ request: Request, _ context: NaiveContext) {
    switch rules.inclusion {
    case .inclusive:
      disk.set(request, context)
      memory.set(request, context)
    case .exclusive:
      disk.drop(request.id)
      let outcome = memory.set(
        memory.timed(request, context), version: context.version, now: context.now)
      finishExclusive(outcome, request, context)
    }
  }

  mutating func delete(_ id: ObjectID) {
    memory.drop(id)
    disk.drop(id)
  }

  /// What memory gave up moves to disk; what memory refused is stored there instead.
  private mutating func finishExclusive(
    _ outcome: NaiveTier.Outcome, _ request: Request, _ context: NaiveContext
  ) {
    switch outcome {
    case .stored(let evicted): demote(evicted, context)
    case .rejected: _ = disk.store(disk.timed(request, context), version: context.version)
    }
  }

  private mutating func demote(_ evicted: NaiveVictims, _ context: NaiveContext) {
    for (id, copy) in evicted where copy.expires > context.now {
      var request = context.latest[id] ?? Request(id: id)
      request.size = copy.size
      request.expires = copy.expires
      if case .stored = disk.store(request, version: copy.version) { demotions += 1 }
    }
  }

  /// Counts a disk hit, and says whether the rule lets it pass to memory.
  private mutating func isPromoted(_ id: ObjectID, _ copy: NaiveCopy) -> Bool {
    switch rules.promotion {
    case .never: return false
    case .always: return true
    case .secondHit:
      let hits = copy.promotionHits + 1
      disk.copies[id]?.promotionHits = hits % 2
      return hits == 2
    }
  }

  private mutating func promote(_ request: Request, _ copy: NaiveCopy, _ context: NaiveContext) {
    var request = request
    request.size = copy.size
    request.expires = min(copy.expires, memory.expiry(ttlSeconds: 0, now: context.now))
    guard case .stored(let evicted) = memory.store(request, version: copy.version) else { return }
    promotions += 1
    guard rules.inclusion == .exclusive else { return }
    disk.drop(request.id)
    demote(evicted, context)
  }
}
