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

  private let tier: TierDriver

  init(_ tier: TierDriver) { self.tier = tier }

  /// Whether the object is resident.
  public func contains(_ id: ObjectID) -> Bool { tier.contains(id) }

  /// Whether the policy still knows anything about the object.
  public func remembers(_ id: ObjectID) -> Bool { tier.remembers(id) }

  /// Sum of the sizes of the resident objects.
  public var used: UInt64 { tier.used }

  /// Memory held, in bytes.
  public var stateBytes: Int { tier.stateBytes }

  /// A get: a hit, or a miss that is stored where it fits.
  public func request(_ request: Request) -> Outcome {
    if tier.contains(request.id) {
      tier.hit(request)
      return .hit
    }
    return tier.store(request) ? .stored(evicted: tier.victims) : .rejected
  }

  /// Replaces the value of a resident object and returns what was evicted, in order.
  public func replace(_ request: Request) -> [ObjectID] {
    _ = tier.replace(request)
    return tier.victims
  }

  /// Deletes an object, ghosts included.
  public func remove(_ id: ObjectID) { tier.remove(id) }

  /// Makes room for ids up to `objects`.
  public func reserve(objects: Int) { tier.reserve(objects) }
}
