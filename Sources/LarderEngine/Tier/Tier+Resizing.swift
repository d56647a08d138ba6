extension Tier where Policy: ~Copyable {
  /// Gives the tier the limits of `setup`, in the unit that it has; the rest of `setup` must be
  /// what the tier was made from. What does not fit is evicted, as the policy chooses.
  ///
  /// A policy divides its capacity when it is made, so with another capacity there is another
  /// policy: it is told of the objects in the order in which the old one would have evicted them.
  /// What else the old one had learned, ghosts included, is forgotten, and so is what an admission
  /// filter has. With the same capacity both stay. O(objects), and what the policy takes.
  ///
  /// - Parameters:
  ///   - fingerprint: What stands for the key of a resident object; see `Request.fingerprint`.
  ///   - evicted: Told of each victim. None is counted.
  /// - Throws: what making the policy or the filter throws; nothing has changed then.
  @usableFromInline
  mutating func resize(
    _ setup: CacheTierSetup, fingerprint: (ObjectID) -> UInt32, evicted: (ObjectID) -> Void
  ) throws(PolicyError) {
    assert(Shape.limits, "the tier does not count its objects")
    let isSame = setup.capacity == capacity
    let made = try TierFilter(
      setup, policy: Policy.description.name, knowsVictim: Policy.knowsVictim)
    let fresh = try Policy(
      PolicySetup(
        capacity: setup.capacity, unit: Shape.weighs ? .bytes : .objects, objects: objects,
        seed: setup.seed, spec: setup.policy))
    while count > 0, used > setup.capacity || count > setup.objectsMax { evicted(giveUp()) }
    capacity = setup.capacity
    objectsMax = setup.objectsMax
    timeToLive = setup.timeToLiveMicroseconds ?? 0
    if isSame { return }
    var order: [ObjectID] = []
    order.reserveCapacity(count)
    while count > 0 { order.append(giveUp()) }
    policy = fresh
    if placesGhosts { placeGhosts() }
    filter = made
    let counted = counts
    isRestoring = true
    for id in order {
      var request = Request(
        id: id, size: size(of: id), expires: expiry(of: id), cost: cost(of: id))
      request.fingerprint = fingerprint(id)
      var isStored = false
      // A policy that waits for a second request has had it.
      for _ in 0..<2 where !isStored { isStored = store(request, evicted: evicted) }
      if !isStored { evicted(id) }
    }
    isRestoring = false
    counts = counted
  }
}
