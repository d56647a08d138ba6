/// A tier of a simulation of more than gets, or of a probe: what a real cache drives, and what only a simulation
/// says or asks.
@usableFromInline struct SimulatedTier {
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
  /// Brings what a request for an object will touch near, and what the state of another points to
  /// whose request comes earlier.
  @usableFromInline let prefetch: (ObjectID, _ earlier: ObjectID) -> Void

  /// Hides the policy of a tier.
  @inlinable init<Policy: EvictionPolicy & ~Copyable>(_ held: Held<Tier<Policy, FullShape>>) {
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
    prefetch = { id, earlier in
      held.with {
        $0.prefetch(id)
        $0.prefetchNeighbours(earlier)
      }
    }
    self.tier = tier
  }

  /// Brings what the requests ahead of one will touch near.
  @inline(__always) func prefetch(ahead position: Int, in columns: RequestColumns) {
    let last = columns.count - 1
    prefetch(columns.ids[min(position + 16, last)], columns.ids[min(position + 8, last)])
  }

  /// Stores an object or replaces it, and says whether it was accepted; may leave victims.
  func put(_ request: Request, _ now: UInt64) -> Bool { tier.set(request, now) != .rejected }

  /// Gives an object another expiry if it is resident and has not expired. Not a reference to it.
  @discardableResult func changeExpiry(_ id: ObjectID, to expires: UInt64, now: UInt64) -> Bool {
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

/// What a simulated tier knows of the copy of an object that answers a get.
@usableFromInline struct TierCopy {
  /// Its size, in units of the capacity.
  @usableFromInline var size: UInt32
  /// Whether it is older than the origin's.
  @usableFromInline var isStale: Bool
  /// When it expires, microseconds.
  @usableFromInline var expires: UInt64
  /// What fetching it cost.
  @usableFromInline var cost: Float

  /// A copy from its parts.
  @inlinable @inline(__always) init(size: UInt32, isStale: Bool, expires: UInt64, cost: Float) {
    self.size = size
    self.isStale = isStale
    self.expires = expires
    self.cost = cost
  }
}

/// One tier that is driven by hand, a request at a time, and tells what it evicts.
public final class PolicyProbe {
  /// What a get did.
  public enum Outcome: Hashable, Sendable {
    /// The object was resident.
    case hit
    /// It was stored, and these were evicted for it, in order.
    case stored(evicted: [ObjectID])
    /// It was refused: larger than the capacity, or not admitted.
    case rejected
  }

  private let simulated: SimulatedTier
  private var objects: Int

  init(_ tier: SimulatedTier, objects: Int) {
    simulated = tier
    self.objects = objects
  }

  /// Ids end where memory for them does, in release builds, too.
  private func check(_ id: ObjectID) {
    precondition(
      id != .none && Int(id) <= objects,
      "PolicyProbe: id \(id) is out of range: expected 1 to \(objects); call reserve(objects:)")
  }

  /// True if the object is resident.
  public func contains(_ id: ObjectID) -> Bool {
    check(id)
    return simulated.tier.contains(id)
  }

  /// True if the policy still knows anything about the object.
  public func remembers(_ id: ObjectID) -> Bool {
    check(id)
    return simulated.tier.remembers(id)
  }

  /// Sum of the sizes of the resident objects.
  public var used: UInt64 { simulated.tier.used }

  /// Memory held, in bytes.
  public var stateBytes: Int { simulated.stateBytes }

  /// A get: a hit, or a miss that is stored where it fits.
  public func request(_ request: Request) -> Outcome {
    check(request.id)
    if simulated.use(request, 0) != nil { return .hit }
    return simulated.put(request, 0) ? .stored(evicted: simulated.victims) : .rejected
  }

  /// Replaces the value of a resident object and returns what was evicted, in order.
  public func replace(_ request: Request) -> [ObjectID] {
    check(request.id)
    _ = simulated.put(request, 0)
    return simulated.victims
  }

  /// What the last request or replacement evicted, in order: a refused object may have made room,
  /// too.
  public var evicted: [ObjectID] { simulated.victims }

  /// Deletes an object, ghosts included.
  public func remove(_ id: ObjectID) {
    check(id)
    simulated.tier.remove(id)
  }

  /// Makes room for ids up to `objects`.
  public func reserve(objects: Int) {
    simulated.tier.reserve(objects)
    self.objects = max(self.objects, objects)
  }
}
