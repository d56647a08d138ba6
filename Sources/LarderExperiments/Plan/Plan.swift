import Larder
import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces

/// Expands a workload to the cells to run, in a fixed order: by trace, then configuration, policy,
/// capacity and seed, each in the order of the file.
package struct Plan: Sendable {
  private let workload: Workload
  private let facts: [TraceFacts]
  private let isRandom: @Sendable (PolicySpec) -> Bool
  private let needsFuture: @Sendable (PolicySpec) -> Bool = PolicyRegistry.needsFuture

  package static func cells(
    of workload: Workload, facts: [TraceFacts],
    isRandom: @escaping @Sendable (PolicySpec) -> Bool = PolicyRegistry.isRandom
  ) throws(PlanError) -> [PlannedCell] {
    var names: [String] = []
    for facts in facts where !names.contains(facts.name) { names.append(facts.name) }
    if names.isEmpty { throw Self.missing(seed: workload.seeds.first ?? 1) }
    var cells: [PlannedCell] = []
    for name in names {
      let plan = Plan(
        workload: workload, facts: facts.filter { $0.name == name }, isRandom: isRandom)
      try plan.add(to: &cells)
    }
    if cells.isEmpty {
      throw PlanError(
        "nothing to run: 'mode' does not include simulate, and 'execute' selects no cell")
    }
    for requirements in workload.requirements { try requirements.check(cells) }
    return cells
  }

  private static func missing(seed: UInt64) -> PlanError { PlanError("no trace for seed \(seed)") }

  private func add(to cells: inout [PlannedCell]) throws(PlanError) {
    var places: [PlannedCell: Int] = [:]
    for configuration in workload.configurations {
      if policies(of: configuration).isEmpty {
        throw PlanError(of: configuration.name, " has no policy, and the workload names none")
      }
      if capacities(of: configuration).isEmpty {
        throw PlanError(of: configuration.name, " has no capacity, and the workload names none")
      }
      for policies in policies(of: configuration) {
        try checkFilters(configuration, policies)
        for capacity in capacities(of: configuration) {
          for seed in seeds(for: policies, of: configuration) {
            let cell = try cell(configuration, policies, capacity, seed: seed)
            guard cell.isSimulated || cell.isExecuted else { continue }
            // One cache may have several capacities as written.
            var key = cell
            (key.cell.capacity, key.cell.capacityLabel, key.cell.memoryCapacity) = (0, "", nil)
            key.isExecuted = false
            if let place = places[key] {
              if cell.isExecuted { cells[place].isExecuted = true }
            } else {
              places[key] = cells.count
              cells.append(cell)
            }
          }
        }
      }
    }
  }

  private struct TierPolicies {
    var memory: PolicySpec?
    var disk: PolicySpec?
    var swept: PolicySpec?
    var name: String
    var all: [PolicySpec] { [memory, disk].compactMap { $0 } }
  }

  private func policies(of configuration: ConfigurationSpec) -> [TierPolicies] {
    func tiers(_ swept: PolicySpec?, memory: PolicySpec?, disk: PolicySpec?) -> TierPolicies {
      let memory = configuration.kind == .disk ? nil : memory
      let disk = configuration.kind == .memory ? nil : disk
      let name = [memory, disk].compactMap { $0?.description }.joined(separator: "+")
      return TierPolicies(memory: memory, disk: disk, swept: swept, name: name)
    }
    if let server = configuration.server {
      let own = server.simulated(workload.execution?.load ?? .closed)
      var policies = tiers(nil, memory: own, disk: own)
      policies.name = server.policy
      return [policies]
    }
    if !configuration.runsPolicies {
      // A name without parameters always parses.
      let own = try? PolicySpec(parsing: configuration.contender.replacing(":", with: "-"))
      var policies = tiers(nil, memory: own, disk: own)
      policies.name = configuration.ownPolicy
      return [policies]
    }
    let (memory, disk) = (configuration.memory.policy, configuration.disk.policy)
    guard configuration.sweepsPolicies else { return [tiers(nil, memory: memory, disk: disk)] }
    // Bounds hold for a single tier, so hybrids skip them.
    let swept = workload.policies.filter {
      configuration.kind != .hybrid || !PolicyRegistry.isBound($0.name)
    }
    return swept.map { tiers($0, memory: memory ?? $0, disk: disk ?? $0) }
  }

  private func capacities(of configuration: ConfigurationSpec) -> [CapacitySpec] {
    configuration.sweptTier.capacity.map { [$0] } ?? workload.capacities
  }

  private func seeds(
    for policies: TierPolicies, of configuration: ConfigurationSpec
  ) -> [UInt64] {
    let filters = configuration.tiers.compactMap(\.admission)
    let matter =
      facts.contains { $0.seed != nil } || configuration.time.map { !$0.isConstant } ?? false
      || policies.all.contains(where: isRandom)
      || filters.contains { AdmissionRegistry.description(of: $0)?.isRandom ?? false }
    return matter ? workload.seeds : Array(workload.seeds.prefix(1))
  }

  private func cell(
    _ configuration: ConfigurationSpec, _ policies: TierPolicies, _ capacity: CapacitySpec,
    seed: UInt64
  ) throws(PlanError) -> PlannedCell {
    guard
      let facts = facts.first(where: { $0.seed == seed }) ?? facts.first(where: { $0.seed == nil })
    else { throw Self.missing(seed: seed) }
    let unit = try unit(of: facts)
    guard configuration.server == nil || unit == .bytes else {
      throw PlanError(
        of: configuration.name,
        ": a server's capacity is in bytes, and '\(facts.name)' has no sizes: set them in the "
          + "source, such as {trace: ..., sizes: 1KB}")
    }
    if configuration.server != nil, workload.modes.contains(.simulate),
      case .trace(let speed) = workload.execution?.load, speed != 1
    {
      throw PlanError(
        of: configuration.name,
        ": a server ages by its own clock, so with simulate its load is {trace: 1x} or a rate")
    }
    let whole = try resolve(capacity, unit, facts, configuration)
    let arrangement = try arrangement(configuration, policies, whole, unit, facts)
    var memoryCapacity: UInt64?
    if case .hybrid(let memory, _, _) = arrangement { memoryCapacity = memory.capacity }
    let cell = Cell(
      workload: workload.name, trace: facts.name, configuration: configuration.name,
      kind: configuration.kind,
      policy: policies.name, capacity: whole,
      capacityLabel: capacity.description, memoryCapacity: memoryCapacity, unit: unit, seed: seed,
      admission: configuration.admission)
    let isExecuted = isExecuted(configuration, policies, capacity)
    let time: FetchModel?
    let scaled: Arrangement
    do {
      time = try configuration.time?.model(seed: seed)
      scaled = try facts.sampling.scaled(arrangement)
    } catch {
      throw PlanError(of: configuration.name, ": \(error)")
    }
    // Offline policies cannot be executed and are always simulated.
    let isSimulated =
      configuration.runsPolicies
      && (workload.modes.contains(.simulate) || policies.all.contains(where: needsFuture)
        || time != nil || configuration.prefix != nil
        || configuration.layout != nil)
    if let layout = configuration.layout { try check(layout, configuration, whole, unit) }
    let segments = try segments(of: configuration, unit)
    var planned = PlannedCell(
      cell: cell,
      setup: SimulationSetup(
        arrangement: scaled, unit: unit, seed: seed, time: time,
        segments: segments),
      contender: configuration.contender, preset: configuration.preset, isSimulated: isSimulated,
      isExecuted: isExecuted, prefix: configuration.prefix?.order,
      layout: configuration.layout)
    planned.process = configuration.process
    planned.server = configuration.server
    planned.countsTime = workload.countsTime(of: configuration)
    return planned
  }

  private func checkFilters(
    _ configuration: ConfigurationSpec, _ policies: TierPolicies
  ) throws(PlanError) {
    for (tier, policy) in [
      (configuration.memory, policies.memory), (configuration.disk, policies.disk),
    ] {
      guard let filter = tier.admission, let policy,
        AdmissionRegistry.description(of: filter)?.comparesVictims ?? false,
        !PolicyRegistry.knowsVictim(policy)
      else { continue }
      let error = PolicyError.noVictim(admission: filter.name, policy: policy.name)
      throw PlanError(of: configuration.name, ": \(error)")
    }
  }

  private func isExecuted(
    _ configuration: ConfigurationSpec, _ policies: TierPolicies, _ capacity: CapacitySpec
  ) -> Bool {
    workload.modes.contains(.execute)
      && (configuration.time.map { isExecutable($0, configuration) } ?? true)
      && configuration.prefix == nil && configuration.layout == nil
      && !policies.all.contains(where: needsFuture)
      && (workload.execution?.filter.passes(
        configuration: configuration, policy: policies.swept,
        capacity: configuration.sweepsCapacities ? capacity : nil) ?? true)
  }

  private func isExecutable(_ time: FetchSpec, _ configuration: ConfigurationSpec) -> Bool {
    guard case .trace = workload.execution?.load else { return false }
    return workload.execution?.origin == .wait && time.clock == .trace && time.coalesces
      && configuration.contender == ConfigurationSpec.defaultCache
  }

  private func segments(
    of configuration: ConfigurationSpec, _ unit: CapacityUnit
  ) throws(PlanError) -> SegmentSetup? {
    guard configuration.kind == .disk, let bytes = configuration.disk.segmentBytes else {
      return nil
    }
    guard unit == .bytes else {
      throw PlanError(
        of: configuration.name, ": segments need a trace with sizes and capacities in bytes")
    }
    let execution = workload.execution ?? ExecutionSpec()
    var setup = SegmentSetup(
      bytes: UInt64(bytes), inlineBytesMax: UInt64(execution.inlineBytesMax))
    if execution.durability == .none {
      let standard = DiskConfiguration()
      setup.groupWrites = standard.groupWrites
      setup.groupBytes = UInt64(standard.groupBytes)
    }
    return setup
  }

  private func check(
    _ layout: FlashLayout, _ configuration: ConfigurationSpec, _ capacity: UInt64,
    _ unit: CapacityUnit
  ) throws(PlanError) {
    guard unit == .bytes else {
      throw PlanError(
        of: configuration.name, ": a layout needs a trace with sizes and capacities in bytes")
    }
    if let fault = layout.fault(capacity: capacity) {
      throw PlanError(of: configuration.name, ": \(fault)")
    }
  }

  private func unit(of facts: TraceFacts) throws(PlanError) -> CapacityUnit {
    guard let unit = workload.unit else { return facts.footprintBytes == nil ? .objects : .bytes }
    if unit == .bytes, facts.footprintBytes == nil {
      throw PlanError(
        "'\(facts.name)' has no sizes, so capacities cannot count bytes: remove 'unit', or set it "
          + "to objects", isOfUnit: true)
    }
    return unit
  }

  private func arrangement(
    _ configuration: ConfigurationSpec, _ policies: TierPolicies, _ capacity: UInt64,
    _ unit: CapacityUnit, _ facts: TraceFacts
  ) throws(PlanError) -> Arrangement {
    func tier(_ spec: TierSpec, _ policy: PolicySpec, _ capacity: UInt64) -> TierSetup {
      TierSetup(
        policy: policy, capacity: capacity, timeToLiveSeconds: spec.timeToLiveSeconds,
        objectsMax: spec.objectsMax, admission: spec.admission)
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
        let share = configuration.memory.share ?? ConfigurationSpec.defaultMemoryShare
        memoryCapacity = share.of(capacity)
        guard memoryCapacity > 0 else {
          throw PlanError(
            of: configuration.name,
            ": \(share) of \(capacity) \(unit.rawValue) leaves nothing for memory; set a larger "
              + "'share' or a 'capacity'")
        }
      }
      return .hybrid(
        memory: tier(configuration.memory, memory, memoryCapacity),
        disk: tier(configuration.disk, disk, capacity), rules: configuration.rules)
    case (nil, nil):
      throw PlanError(of: configuration.name, " has no policy, and the workload names none")
    }
  }

  private func resolve(
    _ capacity: CapacitySpec, _ unit: CapacityUnit, _ facts: TraceFacts,
    _ configuration: ConfigurationSpec
  ) throws(PlanError) -> UInt64 {
    do {
      return try capacity.resolve(unit: unit, of: facts)
    } catch {
      throw PlanError(of: configuration.name, capacity: error.text, " on '\(facts.name)': \(error)")
    }
  }
}

extension PolicyRegistry {
  @Sendable package static func isRandom(_ spec: PolicySpec) -> Bool {
    registered(spec.name)?.description.isRandom ?? false
  }

  @Sendable package static func needsFuture(_ spec: PolicySpec) -> Bool {
    needsFuture(named: spec.name)
  }

  package static func needsFuture(named name: String) -> Bool {
    registered(name)?.description.needs.contains(.nextUse) ?? false
  }

  package static func isBound(_ name: String) -> Bool {
    bounds.contains { $0.description.name == name }
  }
}

/// A mismatch between a workload and its traces.
package struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// Names of the configuration and the capacity at fault, for their lines; nil for none.
  let configuration: String?
  let capacity: String?
  let isOfUnit: Bool

  package init(
    _ description: String, configuration: String? = nil, capacity: String? = nil,
    isOfUnit: Bool = false
  ) {
    (self.description, self.configuration) = (description, configuration)
    (self.capacity, self.isOfUnit) = (capacity, isOfUnit)
  }

  /// A mismatch of a configuration, which `message` does not name.
  package init(of configuration: String, capacity: String? = nil, _ message: String) {
    self.init(
      "configuration '\(configuration)'\(message)", configuration: configuration,
      capacity: capacity)
  }
}

extension Plan {
  package static func notes(of cells: [PlannedCell], in workload: Workload) -> [String] {
    var notes = boundNotes(workload)
    guard workload.modes.contains(.execute) else {
      if workload.execution != nil {
        notes.append("The key 'execute' has no effect: 'mode' does not include execute.")
      }
      return notes
    }
    let simulated = cells.filter { !$0.isExecuted }
    let future = simulated.filter { cell in
      cell.setup.tiers.contains { PolicyRegistry.needsFuture($0.policy) }
    }
    if !future.isEmpty {
      let policies = names(future.map(\.cell.policy))
      notes.append("Simulated only, because real caches do not know the future: \(policies).")
    }
    let timed = simulated.filter { $0.setup.time != nil }
    if !timed.isEmpty, !cells.contains(where: { $0.isExecuted && $0.setup.time != nil }) {
      notes.append(
        "Simulated only: \(names(timed.map(\.cell.configuration))). Caches whose fetches take "
          + "time are executed with 'load: {trace: 1x}' and 'origin: wait', unless they do not "
          + "coalesce.")
    }
    return notes
  }

  private static func names(_ all: [String]) -> String {
    var seen: Set<String> = []
    return all.filter { seen.insert($0).inserted }.joined(separator: ", ")
  }

  private static func boundNotes(_ workload: Workload) -> [String] {
    let bounds = workload.policies.map(\.name).filter { PolicyRegistry.isBound($0) }
    let hybrids = workload.configurations.filter { $0.kind == .hybrid && $0.sweepsPolicies }
    guard !bounds.isEmpty, !hybrids.isEmpty else { return [] }
    return [
      "Bounds apply to one tier, so \(hybrids.map(\.name).joined(separator: ", ")) ran without "
        + "\(bounds.joined(separator: ", "))."
    ]
  }
}
