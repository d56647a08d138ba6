import LarderEngine

/// What the policy is told when a database is opened.
extension DiskCore {
  /// What the policy is told of an entry beside its size.
  struct Fact {
    var cost: Float
    var expires: UInt64
  }

  private struct Event {
    enum Kind: Int { case insert, replace, hit }
    var sequence: UInt64
    var id: ObjectID
    var kind: Kind
  }

  /// Tells the policy of everything that is there, in the order in which it was stored and last
  /// used: all that is kept of its state.
  func replay(_ facts: [ObjectID: Fact]) throws(DiskCacheError) {
    let limits = configuration.limits
    let resident = slots.count { $0.isStored && $0.state == .known }
    if resident > limits.count ?? .max || valueBytes + rowBytes > limits.bytes ?? .max {
      // The limits are lower than the last time: the policy chooses with all of the past in mind.
      try remakeTier(configuration.withoutLimits)
      tell(events(), facts)
      while tier.count > 0,
        tier.count > limits.count ?? .max || valueBytes + rowBytes > limits.bytes ?? .max
      {
        drop(tier.giveUp(), .evict(.capacity))
        statistics.evictions += 1
      }
      try remakeTier(configuration)
    }
    tier.setRestoring(true)
    tell(events(), facts)
    tier.setRestoring(false)
  }

  private func events() -> [Event] {
    var events: [Event] = []
    for place in slots.indices.dropFirst() {
      let (id, slot) = (ObjectID(place), slots[place])
      guard slot.isStored, slot.state == .known else { continue }
      events.append(Event(sequence: slot.inserted, id: id, kind: .insert))
      if slot.stored > slot.inserted {
        events.append(Event(sequence: slot.stored, id: id, kind: .replace))
      }
      if slot.hits > 0 { events.append(Event(sequence: slot.accessed, id: id, kind: .hit)) }
      sequence = max(sequence, slot.accessed)
    }
    events.sort {
      ($0.sequence, $0.id, $0.kind.rawValue) < ($1.sequence, $1.id, $1.kind.rawValue)
    }
    return events
  }

  private func tell(_ events: [Event], _ facts: [ObjectID: Fact]) {
    for event in events where slots[Int(event.id)].isStored {
      let id = event.id
      if event.kind == .hit {
        // Before any time, so that nothing expires here.
        for _ in 0..<min(slots[Int(id)].hits, Self.replayedHitsMax) where tier.contains(id) {
          _ = tier.access(id, 0)
          if dropVictims(sparing: id, counting: \.evictions) { drop(id, .evict(.capacity)) }
        }
      } else {
        let fact = facts[id] ?? Fact(cost: 1, expires: Request.noExpiry)
        let slot = slots[Int(id)]
        var request = Request(
          id: id, size: weight(slot.bytes, row: slot.rowUnits), expires: fact.expires,
          cost: fact.cost)
        if let digest = slot.digest { request.fingerprint = digest.fingerprint }
        var outcome = tier.set(request, 0)
        // It was stored: a policy that waits for a second request has had it.
        if outcome == .rejected { outcome = tier.set(request, 0) }
        let isVictim = dropVictims(sparing: id, counting: \.evictions)
        if outcome == .rejected || isVictim { drop(id, .evict(.capacity)) }
      }
    }
  }

  /// Hits of one entry that are told to the policy again: what a frequency policy is to know of an
  /// entry's past, without the time of each.
  private static var replayedHitsMax: UInt8 { 15 }
}
