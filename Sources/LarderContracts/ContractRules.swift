import LarderEngine

/// The rules of the contract for one policy with one set of parameters.
struct ContractRules<Policy: EvictionPolicy & ~Copyable> {
  let spec: PolicySpec
  let registered: RegisteredPolicy

  /// What breaks a rule, as short as it can be made; nil where nothing was found.
  func violation(of rule: PolicyContract.Rule) -> ContractViolation? {
    for trial in trials(rule) {
      guard problem(rule, trial) != nil else { continue }
      var smallest = trial
      // What these rules try is no random trace, and breaks nothing when shorter.
      if rule != .memory, rule != .ghosts {
        smallest.trace = trial.trace.shrunk { trace in
          var shorter = trial
          shorter.trace = trace
          return problem(rule, shorter) != nil
        }
      }
      let found = problem(rule, smallest) ?? ContractProblem("it did not show a second time")
      let isLong = smallest.trace.requests.count > 200
      return ContractViolation(
        rule: rule, policy: spec.description, capacity: smallest.capacity, unit: smallest.unit,
        seed: smallest.seed, request: found.request.map { $0 + 1 }, problem: found.text,
        script: isLong ? "" : ContractScript.text(of: smallest, Policy.self, spec))
    }
    return nil
  }

  private func trials(_ rule: PolicyContract.Rule) -> [ContractTrial] {
    let everything: TestTraceMaker.Features = [.sizes, .times, .operations, .costs]
    let units: [CapacityUnit] = [.objects, .bytes]
    switch rule {
    case .setup:
      let largest = PolicySetup.capacityMax
      return units.enumerated().flatMap { seed, unit in
        [1, 2, 3, largest - 1, largest].map {
          ContractTrial([.sizes, .costs], capacity: $0, unit: unit, seed: UInt64(seed), for: 5)
        }
      }
    case .residency:
      return units.flatMap { unit in
        (0..<150 as Range<UInt64>).map { seed in
          ContractTrial(
            TestTraceMaker.Features(rawValue: Int(seed % 16)), capacity: 1 + seed % 17,
            unit: unit, seed: seed)
        }
      }
    case .removal:
      if Policy.description.learns { return [] }
      return (0..<60 as Range<UInt64>).map { ContractTrial([], capacity: 9, seed: $0) }
    case .ghosts: return [ContractTrial(capacity: 10, seed: 0, trace: TestTrace(ids: [100]))]
    case .growth:
      return (0..<40 as Range<UInt64>).map {
        ContractTrial([.sizes, .costs], capacity: 12, unit: .bytes, seed: $0)
      }
    case .simulation:
      // Each loop of the simulator is for traces that have some of these and not others.
      return units.flatMap { unit in
        (0..<48 as Range<UInt64>).map { seed in
          ContractTrial(
            TestTraceMaker.Features(rawValue: Int(seed % 16)), capacity: 7, unit: unit, seed: seed)
        }
      }
    case .repeatability, .seed, .hitWords:
      if rule == .seed, Policy.description.isRandom { return [] }
      return units.flatMap { unit in
        (0..<40 as Range<UInt64>).map {
          ContractTrial(everything, capacity: 7, unit: unit, seed: $0)
        }
      }
    case .memory: return [ContractTrial(capacity: 50, seed: 0, trace: TestTrace(ids: [1]))]
    }
  }

  /// How a trial breaks a rule.
  private func problem(
    _ rule: PolicyContract.Rule, _ trial: ContractTrial
  ) -> ContractProblem? {
    do throws(ContractProblem) {
      switch rule {
      case .setup, .residency: try checkResidency(trial)
      case .removal: try checkRemoval(trial)
      case .ghosts: try checkGhosts(trial)
      case .growth: try checkGrowth(trial)
      case .repeatability: try checkRepeatability(trial)
      case .seed: try checkSeed(trial)
      case .hitWords: try checkHitWords(trial)
      case .memory: try checkMemory(trial)
      case .simulation: try checkSimulation(trial)
      }
      return nil
    } catch {
      return error
    }
  }

  // MARK: Drivers

  /// A driver for a trial, with room for one object more than its trace has.
  func driver(
    _ trial: ContractTrial, objects: Int? = nil, seed: UInt64? = nil, usesWords: Bool = false
  ) throws(ContractProblem) -> ContractDriver<Policy> {
    try ContractDriver(
      spec, capacity: trial.capacity, unit: trial.unit,
      objects: objects ?? trial.trace.objects + 1, seed: seed ?? trial.seed,
      usesWords: usesWords)
  }

  /// Goes through a trace with a body that knows the index of each request.
  func replay(
    _ trial: ContractTrial,
    _ body: (Int, LarderEngine.Operation, Request) throws(ContractProblem) -> Void
  ) throws(ContractProblem) {
    let nextUses = trial.trace.nextUses
    for (index, line) in trial.trace.requests.enumerated() {
      do throws(ContractProblem) {
        try body(index, line.operation, trial.trace.request(at: index, nextUses))
      } catch {
        throw ContractProblem(error.text, at: error.request ?? index)
      }
    }
  }

  /// Drives two policies through a trace and finds where they part.
  func compare(
    _ trial: ContractTrial, _ one: ContractDriver<Policy>, _ other: ContractDriver<Policy>,
    _ what: String
  ) throws(ContractProblem) {
    try replay(trial) { (_, operation, request) throws(ContractProblem) in
      let expected = try one.step(operation, request)
      let found = try other.step(operation, request)
      if expected != found {
        throw ContractProblem("\(what): expected '\(expected)', found '\(found)'")
      }
    }
  }
}
