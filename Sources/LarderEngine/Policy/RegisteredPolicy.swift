/// A policy in the registry: its description, and closures to run it. They are made in the module
/// that names the policy's type, and all that they reach for each request is `@inlinable`, so that
/// the loops are specialised for a policy of any package.
public struct RegisteredPolicy: Sendable {
  /// Name, parameters, needs and paper.
  public let description: PolicyDescription
  /// True if the policy's decisions depend on the time of requests.
  public let followsTime: Bool
  /// True for a bound on the hits of policies, which is not a policy.
  public let isBound: Bool
  package let isReachable: Bool
  @usableFromInline package let type: (any (EvictionPolicy & ~Copyable).Type)?
  package let makeCacheTier: @Sendable (CacheTierSetup) throws(PolicyError) -> CacheTier
  /// Closures of its simulation; nil without the package trait Simulation.
  let simulated: SimulatedPolicy?

  /// Creates the registry entry of a policy: see `PolicyRegistry.add`.
  @inlinable public init<Policy: EvictionPolicy & ~Copyable>(_ policy: Policy.Type) {
    #if Simulation
      let simulated: SimulatedPolicy? = SimulatedPolicy(policy)
    #else
      let simulated: SimulatedPolicy? = nil
    #endif
    self.init(
      Policy.description, policy, followsTime: Policy.notices.contains(.time),
      simulated: simulated
    ) { (setup: CacheTierSetup) throws(PolicyError) -> CacheTier in
      CacheTier(Held(try Tier<Policy, FullShape>(setup)))
    }
  }

  @usableFromInline init(
    _ description: PolicyDescription, _ type: any (EvictionPolicy & ~Copyable).Type,
    followsTime: Bool, simulated: SimulatedPolicy?,
    makeCacheTier: @escaping @Sendable (CacheTierSetup) throws(PolicyError) -> CacheTier
  ) {
    self.type = type
    self.description = description
    self.followsTime = followsTime
    self.simulated = simulated
    self.makeCacheTier = makeCacheTier
    isBound = false
    isReachable = false
  }

  package init(
    bound: PolicyDescription, isReachable: Bool,
    prepare:
      @escaping @Sendable (RequestColumns, CapacityUnit) throws(PolicyError) -> any PreparedBound
  ) {
    type = nil
    description = bound
    followsTime = false
    isBound = true
    self.isReachable = isReachable
    simulated = SimulatedPolicy(bound: bound.name, isReachable: isReachable, prepare)
    makeCacheTier = { _ throws(PolicyError) -> CacheTier in
      throw .boundOnly(bound.name, where: "a real cache")
    }
  }
}

extension TierSetup {
  package func refuseLimits(to bound: String, over columns: RequestColumns) throws(PolicyError) {
    if columns.ttls != nil || timeToLiveSeconds != nil {
      throw .boundOnly(bound, where: "a cache whose entries expire")
    }
    if objectsMax != nil {
      throw .boundOnly(bound, where: "a cache with a limit on the number of objects")
    }
    if admission != nil { throw .boundOnly(bound, where: "a cache with an admission filter") }
  }
}
