/// A tier of a full simulation: the interface for real caches, and additions for simulations. It is
/// a class because a copy of its closures for each request cost more than the request.
@usableFromInline final class SimulatedTier {
  @usableFromInline let tier: CacheTier
  /// Performs a get and returns the copy that answers it, if any; may leave victims.
  @usableFromInline let use: (Request, _ now: UInt64) -> TierCopy?
  @usableFromInline let isStale: (ObjectID) -> Bool
  @usableFromInline let setStale: (ObjectID, Bool) -> Void
  /// Updates the next use of a resident object after another tier answered.
  @usableFromInline let foresee: (Request) -> Void
  @usableFromInline let needsNextUse: Bool
  @usableFromInline let holds: (ObjectID, _ now: UInt64) -> Bool
  /// Passes a get to a policy that observes gets; nil for others. See `PolicyNotice.request`.
  @usableFromInline let observe: ((ObjectID, _ now: UInt64, _ fetchLatency: UInt64) -> Void)?
  /// Passes the time, or the end of a flight, to a policy that follows these.
  @usableFromInline let advance: ((_ now: UInt64, _ landing: UInt64) -> Void)?
  @usableFromInline let prefetch: (ObjectID, _ earlier: ObjectID) -> Void

  @inlinable init<Policy: EvictionPolicy & ~Copyable>(_ held: Held<Tier<Policy, FullShape>>) {
    let tier = CacheTier(held)
    let victims = tier.victims
    use = { request, now in
      victims.clear()
      return held.with { tier in
        let id = request.id
        guard case .hit = tier.access(request, now: now, evicted: { victims.append($0) })
        else { return nil }
        // The policy may have evicted the object on this hit. It still answers.
        return TierCopy(
          size: tier.size(of: id), isStale: tier.isStale(id), expires: tier.expiry(of: id),
          cost: tier.cost(of: id))
      }
    }
    isStale = { id in held.with { $0.isStale(id) } }
    setStale = { id, isStale in held.with { $0.setStale(id, isStale) } }
    foresee = { request in held.with { $0.policy.notice(.nextUse(request)) } }
    needsNextUse = Policy.description.needs.contains(.nextUse)
    holds = { id, now in held.with { $0.holds(id, now: now) } }
    observe =
      Policy.notices.contains(.requests)
      ? { id, now, latency in
        held.with { $0.policy.notice(.request(id, now: now, fetchLatency: latency)) }
      } : nil
    advance =
      Policy.notices.contains(.requests) || Policy.notices.contains(.time)
      ? { now, landing in
        held.with {
          if Policy.notices.contains(.requests) { $0.policy.notice(.fetchCompleted(at: landing)) }
          if Policy.notices.contains(.time) { $0.policy.notice(.time(now)) }
        }
      } : nil
    prefetch = { id, earlier in
      held.with {
        $0.prefetch(id)
        $0.policy.prefetchNeighbours(earlier)
      }
    }
    self.tier = tier
  }

  func put(_ request: Request, _ now: UInt64) -> Bool { tier.set(request, now) != .rejected }

  /// Stores or replaces an object with its TTL, and returns true if it was accepted.
  func put(_ object: TimedRequest) -> Bool {
    var request = object.request
    request.expires = tier.expiryFrom(object.now, object.timeToLive)
    return put(request, object.now)
  }

  func changeExpiry(of object: TimedRequest) {
    guard holds(object.request.id, object.now) else { return }
    tier.renew(object.request.id, tier.expiryFrom(object.now, object.timeToLive))
  }

  var evicted: VictimList { tier.victims }
  var victims: [ObjectID] { (0..<evicted.count).map { evicted[$0] } }
  var counts: TierCounts { tier.counts }
  var stateBytes: Int { tier.stateBytes }
}

/// The copy of an object that answers a get.
@usableFromInline struct TierCopy {
  @usableFromInline var size: UInt32
  @usableFromInline var isStale: Bool
  @usableFromInline var expires: UInt64
  @usableFromInline var cost: Float

  @inlinable @inline(__always) init(size: UInt32, isStale: Bool, expires: UInt64, cost: Float) {
    self.size = size
    self.isStale = isStale
    self.expires = expires
    self.cost = cost
  }
}
