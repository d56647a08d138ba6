import LarderEngine
internal import LarderHistoryPolicies
internal import LarderQueuePolicies
internal import LarderValuePolicies

#if Simulation
  internal import LarderResearchAdaptive
  internal import LarderResearchModels
  internal import LarderResearchQueues
  internal import LarderResearchServers
#endif

/// All policies, by name. Each is registered in its own file (`RegisteredPolicy.lru`) and named
/// here; a policy of another package is added with `add`.
public enum PolicyRegistry {
  package static let standard: [RegisteredPolicy] = {
    #if Simulation
      [
        .fifo, .lru, .mru, .lruMAD, .laCache, .lfu, .lfuda, .hyperbolic, .random, .redisLRU,
        .redisLFU, .nginx, .varnish, .memcached, .clock, .sieve, .slru, .lruK, .twoQ, .mq, .arc,
        .car, .lirs, .clockPro, .s3FIFO, .qdLP, .s4FIFO, .clock2QPlus, .tinyLFU, .wTinyLFU,
        .tinyUFO, .lhd, .leCaR, .cacheus, .auto, .gdsf, .greedyDual, .ttl, .cost, .belady,
        .beladySize,
      ]
    #else
      [
        .fifo, .lru, .lfu, .random, .clock, .sieve, .slru, .mq, .arc, .car, .lirs, .s3FIFO,
        .s4FIFO, .clock2QPlus, .wTinyLFU, .auto, .gdsf, .greedyDual, .ttl, .cost,
      ]
    #endif
  }()

  /// Policies that train a model with an optional library; none without the trait Simulation.
  public static let learned: [RegisteredPolicy] = {
    #if Simulation
      [.lrb, .threeLCache]
    #else
      []
    #endif
  }()

  /// Bounds on the possible hits of one tier; none without the trait Simulation.
  public static let bounds: [RegisteredPolicy] = {
    #if Simulation
      [.pfooUpper, .pfooLower]
    #else
      []
    #endif
  }()

  static let standardByName = Dictionary(
    (standard + learned + bounds).map { ($0.description.name, $0) },
    uniquingKeysWith: { first, _ in first })

  /// Returns the policy that `spec` names, after checking the names of its parameters.
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

  package static func resize(
    _ tier: inout CacheTier, to setup: CacheTierSetup
  ) throws(PolicyError) {
    var setup = setup
    try checkCapacity(setup.capacity, UInt64(max(setup.objectsMax, 0)), of: setup.policy)
    setup.objectsMax = min(setup.objectsMax, CacheTierSetup.residentsMax)
    setup.policy = try inRealCache(setup.policy)
    try tier.resize(setup)
  }

  package static func evictsOnHit(_ spec: String) -> Bool {
    registered(String(spec.prefix { $0 != ":" }))?.description.traits.contains(.evictsOnHit)
      ?? true
  }

  package static func knowsVictim(_ spec: PolicySpec) -> Bool {
    registered(spec.name)?.description.traits.contains(.namesVictim) ?? false
  }

  package static func isLearned(_ name: String) -> Bool {
    registered(name)?.description.needs.contains(.boosting) ?? false
  }

  static func checkCapacity(
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

  static func checked(
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
  package static var everything: [RegisteredPolicy] { all + learned + bounds }

  /// Registers a policy, so that simulations, caches, workload files and reports know its name.
  @inlinable public static func add<Policy: EvictionPolicy & ~Copyable>(
    _ policy: Policy.Type
  ) throws(PolicyError) {
    try add(RegisteredPolicy(policy))
  }

  /// Registers a type-erased policy, like `add(_:)` with its type.
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
    if !isNew { throw .cannotAdd(name, reason: "a policy of this name is already registered") }
  }

  package static func registered(_ name: String) -> RegisteredPolicy? {
    standardByName[name] ?? added.withLock { $0.first { $0.description.name == name } }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
      }
  }

  /// Returns the spec with the defaults of real caches.
  public static func inRealCache(_ spec: PolicySpec) throws(PolicyError) -> PolicySpec {
    var text = spec.description
    for parameter in try policy(named: spec).description.parameters {
      if let value = parameter.realDefault, spec.values[parameter.name] == nil {
        text += ":\(parameter.name)=\(value)"
      }
    }
    return text == spec.description ? spec : try PolicySpec(parsing: text)
  }

  /// The configurations that a policy declares as worth trying, without the defaults: its own list,
  /// or all combinations of the values that its parameters declare as `searched`.
  public static func configurations(of name: String) throws(PolicyError) -> [PolicySpec] {
    let description = try policy(named: PolicySpec(parsing: name)).description
    var texts = description.configurations
    if texts.isEmpty { texts = combinations(description.parameters) }
    var specs: [PolicySpec] = []
    for text in texts { specs.append(try PolicySpec(parsing: "\(description.name):\(text)")) }
    if specs.isEmpty { throw .noConfigurations(policy: description.name) }
    return specs
  }

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

extension SimulationSetup {
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

extension PolicySpec {
  /// The policies that a text names: one, or with `name:*` all declared configurations.
  public static func list(parsing text: String) throws(PolicyError) -> [PolicySpec] {
    guard text.hasSuffix(":*") else { return [try PolicySpec(parsing: text)] }
    let policy = try PolicySpec(parsing: text.dropLast(2))
    guard policy.values.isEmpty else {
      throw .malformedParameter(policy: policy.name, text: "expected name=value, found '*'")
    }
    return try PolicyRegistry.configurations(of: policy.name)
  }

  package static func checkedList(parsing text: String) throws(PolicyError) -> [PolicySpec] {
    var specs: [PolicySpec] = []
    if text == "all" {
      for policy in PolicyRegistry.all {
        specs.append(try PolicySpec(parsing: policy.description.name))
      }
      return specs
    }
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let named = try list(parsing: String(part.trimmed))
      for spec in named { try PolicyRegistry.validate(spec) }
      specs += named
    }
    return specs
  }
}
