/// All policies, by name. To add one to this package, add a file to `Policies/` and a line to
/// `standard`; policies of other packages are registered with `add`.
public enum PolicyRegistry {
  /// The policies of this package, in the order in which lists show them.
  package static let standard: [RegisteredPolicy] = [
    RegisteredPolicy(FIFO.self),
    RegisteredPolicy(LRU.self),
    RegisteredPolicy(MRU.self),
    RegisteredPolicy(LRUMAD.self),
    RegisteredPolicy(LACache.self),
    RegisteredPolicy(LFU.self),
    RegisteredPolicy(LFUDA.self),
    RegisteredPolicy(Hyperbolic.self),
    RegisteredPolicy(RandomEviction.self),
    RegisteredPolicy(RedisLRU.self),
    RegisteredPolicy(RedisLFU.self),
    RegisteredPolicy(Nginx.self),
    RegisteredPolicy(Varnish.self),
    RegisteredPolicy(Memcached.self),
    RegisteredPolicy(Clock.self),
    RegisteredPolicy(Sieve.self),
    RegisteredPolicy(SLRU.self),
    RegisteredPolicy(LRUK.self),
    RegisteredPolicy(TwoQ.self),
    RegisteredPolicy(MQ.self),
    RegisteredPolicy(ARC.self),
    RegisteredPolicy(CAR.self),
    RegisteredPolicy(LIRS.self),
    RegisteredPolicy(ClockPro.self),
    RegisteredPolicy(S3FIFO.self),
    RegisteredPolicy(QDLP.self),
    RegisteredPolicy(S4FIFO.self),
    RegisteredPolicy(Clock2QPlus.self),
    RegisteredPolicy(TinyLFU.self),
    RegisteredPolicy(WTinyLFU.self),
    RegisteredPolicy(TinyUFO.self),
    RegisteredPolicy(LHD.self),
    RegisteredPolicy(LeCaR.self),
    RegisteredPolicy(Cacheus.self),
    RegisteredPolicy(GDSF.self),
    RegisteredPolicy(GreedyDual.self),
    RegisteredPolicy(EarliestExpiry.self),
    RegisteredPolicy(Cost.self),
    RegisteredPolicy(Belady.self),
    RegisteredPolicy(BeladySize.self),
  ]

  /// Policies that train a model with an optional library.
  ///
  /// They are known by name like all others, but are part of no list of all policies: reports,
  /// advice and `--policy all` include them only if they are named. Without a library
  /// (`GradientBoosting.provide`) they cannot be created.
  public static let learned: [RegisteredPolicy] = [
    RegisteredPolicy(LRB.self),
    RegisteredPolicy(ThreeLCache.self),
  ]

  /// Bounds on the possible hits, which take a policy's place in a simulation of one tier.
  public static let bounds: [RegisteredPolicy] = [
    RegisteredPolicy(PFOOUpper.self),
    RegisteredPolicy(PFOOLower.self),
  ]

  /// Policies and bounds of this package.
  static let standardByName = Dictionary(
    (standard + learned + bounds).map { ($0.description.name, $0) },
    uniquingKeysWith: { first, _ in first })

  /// Returns the policy that `spec` names, after checking the names of its parameters.
  ///
  /// - Throws: `unknownPolicy` or `unknownParameter`.
  public static func policy(named spec: PolicySpec) throws(PolicyError) -> RegisteredPolicy {
    guard let policy = registered(spec.name) else {
      let known = everything.map(\.description.name).sorted()
      throw .unknownPolicy(spec.name, nearest: spec.name.nearest(among: known))
    }
    let known = policy.description.parameters.map(\.name)
    for parameter in spec.values.keys.sorted() where !known.contains(parameter) {
      throw .unknownParameter(policy: spec.name, parameter: parameter, known: known)
    }
    return policy
  }

  /// Checks a policy's name and the values of its parameters by creating a tiny one.
  public static func validate(_ spec: PolicySpec) throws(PolicyError) {
    let policy = try policy(named: spec)
    if policy.isBound { return }
    _ = try policy.makeCacheTier(
      CacheTierSetup(policy: spec, entriesMax: 1, bytesMax: nil, objects: 1))
  }

  /// Rejects bounds for configurations they do not apply to; accepts all policies. Finds errors of
  /// `makeSimulation` before anything runs.
  ///
  /// - Throws: `boundOnly`, or the errors of `policy(named:)`.
  public static func checkBound(
    in setup: SimulationSetup, over columns: RequestColumns
  ) throws(PolicyError) {
    switch setup.arrangement {
    case .memory(let tier), .disk(let tier):
      guard try policy(named: tier.policy).isReachable else { return }
      try tier.refuseLimits(to: tier.policy.name, over: columns)
    case .hybrid(let memory, let disk, _):
      for tier in [memory, disk] where try policy(named: tier.policy).isBound {
        throw .boundOnly(tier.policy.name, where: "a tier of a hybrid cache")
      }
    }
  }

  /// Creates a simulation of `setup` over a trace.
  ///
  /// - Throws: `PolicyError` if a policy or parameter does not exist, or if a policy needs the next
  ///   use and `columns` does not have it.
  public static func makeSimulation(
    _ setup: SimulationSetup, over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    switch setup.arrangement {
    case .memory(let tier), .disk(let tier):
      var isDisk = false
      if case .disk = setup.arrangement { isDisk = true }
      if let segments = setup.segments {
        return try makeSegmented(setup, tier, isDisk, segments, over: columns)
      }
      return try checked(tier, columns).makeSingleTier(
        RegisteredPolicy.SingleTier(
          setup: tier, isDisk: isDisk, unit: setup.unit, seed: setup.seed,
          recordsOutcomes: setup.recordsOutcomes, time: setup.time, columns: columns))
    case .hybrid(let memory, let disk, let rules):
      let policies = (memory: try checked(memory, columns), disk: try checked(disk, columns))
      // One tier may need a cost that the other has stored.
      let keepsCosts =
        columns.costs != nil
        && [policies.memory, policies.disk].contains { $0.description.needs.contains(.cost) }
      func tier(
        _ tier: TierSetup, _ policy: RegisteredPolicy
      ) throws(PolicyError) -> SimulatedTier {
        var made = CacheTierSetup(
          tier, unit: setup.unit, objects: columns.objects, seed: setup.seed)
        made.keepsCosts = keepsCosts
        return try policy.makeSimulatedTier(made)
      }
      let core = HybridCore(
        memory: try tier(memory, policies.memory), disk: try tier(disk, policies.disk),
        rules: rules, objects: columns.objects)
      if let time = setup.time {
        return TimedHybridSimulation(core: core, model: time, unit: setup.unit, over: columns)
      }
      return HybridSimulation(
        core: core, unit: setup.unit, recordsOutcomes: setup.recordsOutcomes, over: columns)
    }
  }

  private static func makeSegmented(
    _ setup: SimulationSetup, _ tier: TierSetup, _ isDisk: Bool, _ segments: SegmentSetup,
    over columns: RequestColumns
  ) throws(PolicyError) -> any Simulation {
    guard isDisk, setup.unit == .bytes, setup.time == nil else {
      throw .badSetup(
        "segments", "\(segments.bytes) bytes",
        expected: "one tier on disk whose capacity is in bytes, without time")
    }
    var made = CacheTierSetup(tier, unit: .bytes, objects: columns.objects, seed: setup.seed)
    if columns.costs == nil { made.keepsCosts = false }
    return SegmentedSimulation(
      try checked(tier, columns).makeSimulatedTier(made), segments,
      recordsOutcomes: setup.recordsOutcomes, over: columns)
  }

  /// Creates a single tier without a simulation, for tests and for inspecting a policy's decisions.
  ///
  /// - Throws: `PolicyError` if a policy or parameter does not exist, or if capacity or objects are
  ///   out of range.
  public static func makeProbe(
    _ setup: TierSetup, unit: CapacityUnit, objects: Int, seed: UInt64 = 0
  ) throws(PolicyError) -> PolicyProbe {
    try checkCapacity(setup.capacity, setup.objectsMax, of: setup.policy)
    guard 0...ObjectID.maximumCount ~= objects else {
      throw .badSetup(
        "objects", "\(objects)", expected: "a whole number from 0 to \(ObjectID.maximumCount)")
    }
    return PolicyProbe(
      try policy(named: setup.policy).makeSimulatedTier(
        CacheTierSetup(setup, unit: unit, objects: objects, seed: seed)), objects: objects)
  }

  /// Creates the tier of a real cache.
  ///
  /// - Throws: `PolicyError` if a policy or parameter does not exist, if the policy needs the
  ///   future, or if it does not support the capacity.
  package static func makeCacheTier(
    _ setup: CacheTierSetup
  ) throws(PolicyError) -> CacheTier {
    let policy = try checked(
      setup.policy, capacity: setup.capacity, objectsMax: UInt64(max(setup.objectsMax, 0)),
      knowsNextUse: false)
    var setup = setup
    setup.objectsMax = min(setup.objectsMax, CacheTierSetup.residentsMax)
    setup.policy = try inRealCache(setup.policy)
    return try policy.makeCacheTier(setup)
  }

  /// Changes the limits of a tier that was created from `setup` to those of `setup`, in the tier's
  /// unit, and leaves the objects that no longer fit among its victims. See `Tier.resize`.
  /// O(objects).
  ///
  /// - Throws: `PolicyError` if the policy does not support the capacity; the tier is then
  ///   unchanged.
  package static func resize(
    _ tier: CacheTier, to setup: CacheTierSetup, fingerprint: (ObjectID) -> UInt32
  ) throws(PolicyError) {
    var setup = setup
    try checkCapacity(setup.capacity, UInt64(max(setup.objectsMax, 0)), of: setup.policy)
    setup.objectsMax = min(setup.objectsMax, CacheTierSetup.residentsMax)
    setup.policy = try inRealCache(setup.policy)
    if let error = tier.resizeBody(setup, fingerprint) { throw error }
  }

  /// True if a hit may make a policy evict, and for an unknown policy.
  package static func evictsOnHit(_ spec: String) -> Bool {
    guard let parsed = try? PolicySpec(parsing: spec), let policy = try? policy(named: parsed)
    else { return true }
    return policy.evictsOnHit
  }

  /// True if a policy can predict its victims, for filters that compare them; false for an unknown
  /// policy.
  package static func knowsVictim(_ spec: PolicySpec) -> Bool {
    registered(spec.name)?.knowsVictim ?? false
  }

  /// Rejects capacities that no policy supports. Every tier is created after this check.
  private static func checkCapacity(
    _ capacity: UInt64, _ objectsMax: UInt64?, of policy: PolicySpec
  ) throws(PolicyError) {
    guard 1...PolicySetup.capacityMax ~= capacity else {
      throw .capacity(
        policy: policy.name, capacity: capacity, expected: "1 to \(PolicySetup.capacityMax)")
    }
    if objectsMax == 0 {
      throw .capacity(policy: policy.name, capacity: 0, expected: "at least 1 object")
    }
  }

  private static func checked(
    _ tier: TierSetup, _ columns: RequestColumns
  ) throws(PolicyError) -> RegisteredPolicy {
    try checked(
      tier.policy, capacity: tier.capacity, objectsMax: tier.objectsMax,
      knowsNextUse: columns.nextUses != nil)
  }

  /// Returns the policy of a tier with valid limits.
  private static func checked(
    _ spec: PolicySpec, capacity: UInt64, objectsMax: UInt64?, knowsNextUse: Bool
  ) throws(PolicyError) -> RegisteredPolicy {
    let policy = try policy(named: spec)
    try checkCapacity(capacity, objectsMax, of: spec)
    if policy.description.needs.contains(.nextUse), !knowsNextUse {
      throw .missingNeed(policy: spec.name, need: "the next use of each object")
    }
    return policy
  }
}

/// Policies of other packages.
extension PolicyRegistry {
  private static let added = Locked<[RegisteredPolicy]>([])

  /// All policies: those of this package, then the added ones, in order.
  public static var all: [RegisteredPolicy] { standard + added.withLock { $0 } }

  /// Registers a policy, so that simulations, caches, workload files and reports know its name.
  ///
  /// Register policies when the program starts, before any simulation and before any cache is
  /// created. Call this in the module that defines the policy: the loops are specialised there.
  ///
  /// - Throws: `cannotAdd` if the name is taken, or contains anything but lower-case letters,
  ///   digits and hyphens.
  @inlinable public static func add<Policy: EvictionPolicy & ~Copyable>(
    _ policy: Policy.Type
  ) throws(PolicyError) {
    try add(RegisteredPolicy(policy))
  }

  /// Registers a type-erased policy, like `add(_:)` with its type.
  ///
  /// - Throws: `cannotAdd`, like `add(_:)` with its type.
  public static func add(_ policy: RegisteredPolicy) throws(PolicyError) {
    let name = policy.description.name
    for word in [name] + policy.description.parameters.map(\.name) where !isPlain(word) {
      throw .cannotAdd(
        name, reason: "'\(word)' is not made of lower-case letters, digits and hyphens")
    }
    let isNew = added.withLock { added in
      if standardByName[name] != nil || added.contains(where: { $0.description.name == name }) {
        return false
      }
      added.append(policy)
      return true
    }
    if !isNew { throw .cannotAdd(name, reason: "there is a policy of this name already") }
  }

  /// The policy or bound of a name, or nil.
  package static func registered(_ name: String) -> RegisteredPolicy? {
    standardByName[name] ?? added.withLock { $0.first { $0.description.name == name } }
  }

  /// True if a name can be typed: specs end it at a colon, lists at a comma, and hybrids at a plus
  /// sign, and all are read in lower case.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
      }
  }
}

extension PolicyRegistry {
  /// Returns the spec with the defaults of real caches, so that simulating it produces their
  /// counts.
  ///
  /// - Throws: `unknownPolicy` or `unknownParameter`.
  public static func inRealCache(_ spec: PolicySpec) throws(PolicyError) -> PolicySpec {
    var text = spec.description
    for parameter in try policy(named: spec).description.parameters {
      if let value = parameter.realDefault, spec.values[parameter.name] == nil {
        text += ":\(parameter.name)=\(value)"
      }
    }
    return text == spec.description ? spec : try PolicySpec(parsing: text)
  }
}

extension SimulationSetup {
  /// Returns the setup whose simulation has the counts of real caches created for this one: see
  /// `PolicyRegistry.inRealCache`.
  ///
  /// - Throws: `unknownPolicy` or `unknownParameter`.
  package func inRealCaches() throws(PolicyError) -> SimulationSetup {
    var setup = self
    switch arrangement {
    case .memory(let tier): setup.arrangement = .memory(try tier.inRealCache())
    case .disk(let tier): setup.arrangement = .disk(try tier.inRealCache())
    case .hybrid(let memory, let disk, let rules):
      setup.arrangement = .hybrid(
        memory: try memory.inRealCache(), disk: try disk.inRealCache(), rules: rules)
    }
    return setup
  }
}

extension TierSetup {
  fileprivate func inRealCache() throws(PolicyError) -> TierSetup {
    var tier = self
    tier.policy = try PolicyRegistry.inRealCache(policy)
    return tier
  }
}

extension PolicyRegistry {
  /// The configurations that a policy declares as worth trying, without the defaults: its own list,
  /// or all combinations of the values that its parameters declare as `searched`.
  ///
  /// - Throws: `unknownPolicy`, and `noConfigurations` if it declares none.
  public static func configurations(of name: String) throws(PolicyError) -> [PolicySpec] {
    let description = try policy(named: PolicySpec(parsing: name)).description
    var texts = description.configurations
    if texts.isEmpty { texts = combinations(description.parameters) }
    var specs: [PolicySpec] = []
    for text in texts { specs.append(try PolicySpec(parsing: "\(description.name):\(text)")) }
    if specs.isEmpty { throw .noConfigurations(policy: description.name) }
    return specs
  }

  /// All combinations of values worth trying except that of the defaults. Values equal to a default
  /// are omitted.
  private static func combinations(_ parameters: [PolicyParameter]) -> [String] {
    var texts = [""]
    for parameter in parameters where !parameter.searched.isEmpty {
      texts = texts.flatMap { text in
        parameter.searched.map { value in
          let isDefault = value == parameter.defaultValue
          return isDefault ? text : (text.isEmpty ? "" : text + ":") + "\(parameter.name)=\(value)"
        }
      }
    }
    return texts.filter { !$0.isEmpty }
  }
}

extension PolicySpec {
  /// The policies that a text names: one, or with `name:*` all configurations that the policy
  /// declares. They are not checked.
  ///
  /// - Throws: the errors of `init(parsing:)` and `PolicyRegistry.configurations(of:)`.
  public static func list(parsing text: String) throws(PolicyError) -> [PolicySpec] {
    guard text.hasSuffix(":*") else { return [try PolicySpec(parsing: text)] }
    let policy = try PolicySpec(parsing: text.dropLast(2))
    guard policy.values.isEmpty else { throw .malformedParameter(policy: policy.name, text: "*") }
    return try PolicyRegistry.configurations(of: policy.name)
  }
}

extension PolicyRegistry {
  /// All registered names: all policies, the learned ones, and the bounds.
  package static var everything: [RegisteredPolicy] { all + learned + bounds }

  /// True if a policy trains models; false for an unknown policy.
  package static func isLearned(_ name: String) -> Bool {
    registered(name)?.description.needs.contains(.boosting) ?? false
  }
}
