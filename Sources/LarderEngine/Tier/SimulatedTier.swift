/// A tier of a simulated hybrid or of a probe: what a real cache drives, and what only a simulation
/// says or asks.
@usableFromInline
struct SimulatedTier {
  /// What a real cache would drive.
  @usableFromInline let tier: CacheTier
  /// A get, with all that a trace says of it: the copy that is there to be used, if there is one;
  /// may leave victims.
  @usableFromInline let use: (Request, _ now: UInt64) -> TierCopy?
  /// What fetching a resident object cost.
  @usableFromInline let cost: (ObjectID) -> Float
  /// Whether a resident object is older than the origin's.
  @usableFromInline let isStale: (ObjectID) -> Bool
  /// Marks a resident object as older than the origin's, or as fresh.
  @usableFromInline let setStale: (ObjectID, Bool) -> Void
  /// Another tier answered for a resident object.
  @usableFromInline let foresee: (Request) -> Void
  /// Whether the policy must be told of that.
  @usableFromInline let needsNextUse: Bool
  /// Whether an object is resident and would answer a get at a time.
  @usableFromInline let holds: (ObjectID, _ now: UInt64) -> Bool
  /// Tells a policy that is told of all gets of one; nil for others. See `EvictionPolicy.observe`.
  @usableFromInline let observe: ((ObjectID, _ now: UInt64, _ fetchLatency: UInt64) -> Void)?
  /// Tells a policy that follows time of it, and one that is told of gets that a flight has ended;
  /// nil for others.
  @usableFromInline let advance: ((_ now: UInt64, _ landing: UInt64) -> Void)?
  /// Brings what a request for an object will touch near.
  @usableFromInline let prefetch: (ObjectID) -> Void

  /// Hides the policy of a tier.
  @inlinable
  init<Policy: EvictionPolicy & ~Copyable>(_ held: Held<Tier<Policy, FullShape>>) {
    let tier = CacheTier(held)
    let victims = tier.victims
    use = { request, now in
      victims.clear()
      return held.with { tier in
        let id = request.id
        guard case .hit = tier.access(request, now: now, evicted: { victims.append($0) })
        else { return nil }
        // A policy may have given the object up on this hit. It is still answered.
        return TierCopy(
          size: tier.size(of: id), isStale: tier.isStale(id), expires: tier.expiry(of: id),
          cost: tier.cost(of: id))
      }
    }
    cost = { id in held.with { $0.cost(of: id) } }
    isStale = { id in held.with { $0.isStale(id) } }
    setStale = { id, isStale in held.with { $0.setStale(id, isStale) } }
    foresee = { request in held.with { $0.foresee(request) } }
    needsNextUse = Policy.description.needs.contains(.nextUse)
    holds = { id, now in held.with { $0.contains(id) && !$0.isOver(id, now: now) } }
    observe =
      Policy.observesRequests
      ? { id, now, latency in
        held.with { $0.policy.observe(id, now: now, fetchLatency: latency) }
      } : nil
    advance =
      Policy.observesRequests || Policy.followsTime
      ? { now, landing in
        held.with {
          $0.policy.advance(to: landing)
          $0.policy.follow(now)
        }
      } : nil
    prefetch = { id in held.with { $0.prefetch(id) } }
    self.tier = tier
  }

  /// Stores an object or replaces it, and says whether it was accepted; may leave victims.
  func put(_ request: Request, _ now: UInt64) -> Bool { tier.set(request, now) != .rejected }

  /// Gives an object another expiry if it is resident and has not expired. Not a reference to it.
  @discardableResult
  func changeExpiry(_ id: ObjectID, to expires: UInt64, now: UInt64) -> Bool {
    guard holds(id, now) else { return false }
    tier.renew(id, expires)
    return true
  }

  /// What the last `use` or `put` evicted, in order.
  var evicted: VictimList { tier.victims }
  /// A copy of `evicted`.
  var victims: [ObjectID] { (0..<evicted.count).map { evicted[$0] } }
  /// What has happened since the start or the last `resetCounts`.
  var counts: TierCounts { tier.counts }
  /// Memory held, in bytes.
  var stateBytes: Int { tier.stateBytes }
}
