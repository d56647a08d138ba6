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
