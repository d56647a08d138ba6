import LarderEngine

/// One cell with everything that is needed to run it.
public struct PlannedCell: Sendable, Hashable {
  /// The key of the results. Its seed chooses the trace.
  public var cell: Cell
  /// What to simulate.
  public var setup: SimulationSetup
  /// The name of the cache that is executed: see `ContenderRegistry`.
  public var contender: String
  /// The preset that the configuration names, nil for none.
  public var preset: String?

  /// A cell with its setup.
  public init(
    cell: Cell, setup: SimulationSetup, contender: String = ContenderRegistry.defaultName,
    preset: String? = nil
  ) {
    self.cell = cell
    self.setup = setup
    self.contender = contender
    self.preset = preset
  }
}

/// Turns a workload into the cells to run, always the same in the same order: by configuration,
/// then policy, capacity and seed, each in the order of the file.
///
/// A configuration that names all its policies is planned once and not once for each policy of the
/// workload; cells that come to the same (as `1%` and `1000` may) are planned once. Seeds beyond
/// the first are left out where they change nothing: the trace is a file and no policy is random.
public struct Plan: Sendable {
  /// The workload.
  private let workload: Workload
  /// What is known of the traces, by seed.
  private let facts: [TraceFacts]
  /// Whether a policy's results depend on the seed.
  private let isRandom: @Sendable (PolicySpec) -> Bool

  /// All cells. `facts` holds one entry for each seed, or a single one without a seed for all.
  ///
  /// - Throws: `PlanError` when a capacity does not fit a trace, or a trace's facts are missing.
  public static func cells(
    of workload: Workload, facts: [TraceFacts],
    isRandom: @escaping @Sendable (PolicySpec) -> Bool = PolicyRegistry.isRandom
  ) throws(PlanError) -> [PlannedCell] {
    let plan = Plan(workload: workload, facts: facts, isRandom: isRandom)
    var cells: [PlannedCell] = []
    var seen: Set<CellKey> = []
    for configuration in workload.configurations {
      if plan.policies(of: configuration).isEmpty {
        throw .noPolicy(configuration: configuration.name)
      }
      if plan.capacities(of: configuration).isEmpty {
        throw .noCapacity(configuration: configuration.name)
      }
      for policies in plan.policies(of: configuration) {
        for capacity in plan.capacities(of: configuration) {
          for seed in plan.seeds(for: policies) {
            let cell = try plan.cell(configuration, policies, capacity, seed: seed)
            let key = CellKey(
              configuration: cell.cell.configuration, policy: cell.cell.policy, setup: cell.setup)
            if seen.insert(key).inserted { cells.append(cell) }
          }
        }
      }
    }
    return cells
  }

  /// What makes two cells the same, whatever their capacities were called.
  private struct CellKey: Hashable {
    var configuration: String
    var policy: String
    var setup: SimulationSetup
  }

  /// The policies of a configuration's tiers.
  private struct TierPolicies {
    var memory: PolicySpec?
    var disk: PolicySpec?
    var all: [PolicySpec] { [memory, disk].compactMap { $0 } }
  }

  private func policies(of configuration: ConfigurationSpec) -> [TierPolicies] {
    func tiers(_ swept: PolicySpec?) -> TierPolicies {
      TierPolicies(
        memory: configuration.kind == .disk ? nil : configuration.memory.policy ?? swept,
        disk: configuration.kind == .memory ? nil : configuration.disk.policy ?? swept)
    }
    return configuration.sweepsPolicies ? workload.policies.map(tiers) : [tiers(nil)]
  }

  private func capacities(of configuration: ConfigurationSpec) -> [CapacitySpec] {
    configuration.sweptTier.capacity.map { [$0] } ?? workload.capacities
  }

  private func seeds(for policies: TierPolicies) -> [UInt64] {
    let matter = workload.sourceDependsOnSeed || policies.all.contains(where: isRandom)
    return matter ? workload.seeds : Array(workload.seeds.prefix(1))
  }

  private func cell(
    _ configuration: ConfigurationSpec, _ policies: TierPolicies, _ capacity: CapacitySpec,
    seed: UInt64
  ) throws(PlanError) -> PlannedCell {
    guard
      let facts = facts.first(where: { $0.seed == seed }) ?? facts.first(where: { $0.seed == nil })
    else { throw .factsMissing(seed: seed) }
    let unit = try unit(of: facts)
    let whole = try resolve(capacity, unit, facts, configuration)
    let arrangement = try arrangement(configuration, policies, whole, unit, facts)
    var memoryCapacity: UInt64?
    if case .hybrid(let memory, _, _) = arrangement { memoryCapacity = memory.capacity }
    let cell = Cell(
      workload: workload.name, trace: facts.name, configuration: configuration.name,
      kind: configuration.kind,
      policy: policies.all.map(\.description).joined(separator: "+"), capacity: whole,
      capacityLabel: capacity.description, memoryCapacity: memoryCapacity, unit: unit, seed: seed)
    return PlannedCell(
      cell: cell, setup: SimulationSetup(arrangement: arrangement, unit: unit, seed: seed))
  }

  private func unit(of facts: TraceFacts) throws(PlanError) -> CapacityUnit {
    guard let unit = workload.unit else { return facts.footprintBytes == nil ? .objects : .bytes }
    if unit == .bytes, facts.footprintBytes == nil { throw .noSizes(trace: facts.name) }
    return unit
  }

  private func arrangement(
    _ configuration: ConfigurationSpec, _ policies: TierPolicies, _ capacity: UInt64,
    _ unit: CapacityUnit, _ facts: TraceFacts
  ) throws(PlanError) -> Arrangement {
    func tier(_ spec: TierSpec, _ policy: PolicySpec, _ capacity: UInt64) -> TierSetup {
      TierSetup(policy: policy, capacity: capacity, timeToLiveSeconds: spec.timeToLiveSeconds)
    }
    switch (policies.memory, policies.disk) {
    case (let memory?, nil):
      return .memory(tier(configuration.memory, memory, capacity))
    case (nil, let disk?):
      return .disk(tier(configuration.disk, disk, capacity))
    case (let memory?, let disk?):
      let memoryCapacity: UInt64
      if let own = configuration.memory.capacity {
        memoryCapacity = try resolve(own, unit, facts, configuration)
      } else {
        memoryCapacity = configuration.memoryShare.of(capacity)
        guard memoryCapacity > 0 else {
          throw .memoryTooSmall(
            configuration: configuration.name, share: configuration.memoryShare, of: capacity,
            unit: unit)
        }
      }
      return .hybrid(
        memory: tier(configuration.memory, memory, memoryCapacity),
        disk: tier(configuration.disk, disk, capacity), rules: configuration.rules)
    case (nil, nil):
      throw .noPolicy(configuration: configuration.name)
    }
  }

  private func resolve(
    _ capacity: CapacitySpec, _ unit: CapacityUnit, _ facts: TraceFacts,
    _ configuration: ConfigurationSpec
  ) throws(PlanError) -> UInt64 {
    do {
      return try capacity.resolve(
        unit: unit, objects: facts.objects, footprintBytes: facts.footprintBytes)
    } catch {
      throw .capacity(error, configuration: configuration.name, trace: facts.name)
    }
  }
}

extension PolicyRegistry {
  /// Whether the policy draws random numbers; false for one that is not registered.
  @Sendable
  public static func isRandom(_ spec: PolicySpec) -> Bool {
    all.first { $0.description.name == spec.name }?.description.isRandom ?? false
  }
}
