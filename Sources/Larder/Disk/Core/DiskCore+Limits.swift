import LarderEngine

extension DiskCore {
  /// Gives the cache other limits; what no longer fits is given up, as the policy says. The policy
  /// is told of the entries as when a database is opened. O(n log n) in the entries.
  ///
  /// - Throws: `limit` or `configuration`, when nothing has changed; `closed`; `database`.
  func resize(_ limits: DiskLimits) throws(DiskCacheError) -> DiskFreed {
    var wanted = configuration
    wanted.limits = limits
    try wanted.check()
    try checkPolicy(wanted)
    return try measuringFreed { [self] () throws(DiskCacheError) in
      let facts = facts()
      configuration = wanted
      bytesSinceFreeCheck = .max
      try remakeTier(configuration)
      try replay(facts)
      tier.resetCounts()
    }
  }

  /// What the policy has to be told again of the entries that it has.
  private func facts() -> [ObjectID: Fact] {
    var facts: [ObjectID: Fact] = [:]
    for place in slots.indices.dropFirst() {
      let (id, slot) = (ObjectID(place), slots[place])
      guard slot.isStored, slot.state == .known else { continue }
      let expires = tier.expiry(id)
      if slot.cost == 1, expires == Request.noExpiry { continue }
      facts[id] = Fact(cost: slot.cost, expires: expires)
    }
    return facts
  }
}
