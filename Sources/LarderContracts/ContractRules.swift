import LarderEngine
import LarderPolicies

struct ContractRules<Policy: EvictionPolicy & ~Copyable> {
  let spec: PolicySpec
  let registered: RegisteredPolicy

  /// Returns the violation of a rule, shortened as far as possible, or nil if none was found.
  func violation(of rule: PolicyContract.Rule) -> ContractViolation? {
    let (trials, check) = plan(rule)
    func problem(_ trial: ContractTrial) -> ContractProblem? {
      do throws(ContractProblem) {
        try check(trial)
        return nil
      } catch {
        return error
      }
    }
    for trial in trials where problem(trial) != nil {
      var smallest = trial
      // Trials of these rules do not use random traces, and shorter ones break nothing.
      if rule != .memory, rule != .ghosts {
        smallest.trace = trial.trace.shrunk { trace in
          var shorter = trial
          shorter.trace = trace
          return problem(shorter) != nil
        }
      }
      let found = problem(smallest) ?? ContractProblem("it did not show a second time")
      let isLong = smallest.trace.requests.count > 200
      return ContractViolation(
        rule: rule, policy: spec.description, capacity: smallest.capacity, unit: smallest.unit,
        seed: smallest.seed, request: found.request.map { $0 + 1 }, problem: found.text,
        script: isLong ? "" : script(of: smallest))
    }
    return nil
  }

  private typealias Check = (ContractTrial) throws(ContractProblem) -> Void

  /// The trials of a rule, and its check.
  private func plan(_ rule: PolicyContract.Rule) -> (trials: [ContractTrial], check: Check) {
    func each(
      _ seeds: Range<UInt64>, _ units: [CapacityUnit] = [.objects, .bytes],
      _ features: TestTraceMaker.Features? = nil, capacity: (UInt64) -> UInt64
    ) -> [ContractTrial] {
      units.flatMap { unit in
        seeds.map { seed in
          // Each loop of the simulator is for traces with some features and without others.
          ContractTrial(
            features ?? TestTraceMaker.Features(rawValue: Int(seed % 16)),
            capacity: capacity(seed), unit: unit, seed: seed)
        }
      }
    }
    func eventful() -> [ContractTrial] {
      each(0..<40, [.objects, .bytes], TestTraceMaker.Features(rawValue: 15)) { _ in 7 }
    }
    switch rule {
    case .setup:
      let largest = PolicySetup.capacityMax
      let trials = [CapacityUnit.objects, .bytes].enumerated().flatMap { seed, unit in
        [1, 2, 3, largest - 1, largest].map {
          ContractTrial([.sizes, .costs], capacity: $0, unit: unit, seed: UInt64(seed), for: 5)
        }
      }
      return (trials, checkResidency)
    case .residency: return (each(0..<150) { 1 + $0 % 17 }, checkResidency)
    case .removal:
      return (
        Policy.description.learns ? [] : each(0..<60, [.objects], []) { _ in 9 }, checkRemoval
      )
    case .ghosts:
      return ([ContractTrial(capacity: 10, trace: TestTrace(ids: [100]))], checkGhosts)
    case .growth: return (each(0..<40, [.bytes], [.sizes, .costs]) { _ in 12 }, checkGrowth)
    case .simulation: return (each(0..<48) { _ in 7 }, checkSimulation)
    case .repeatability: return (eventful(), checkRepeatability)
    case .seed: return (Policy.description.isRandom ? [] : eventful(), checkSeed)
    case .hitWords: return (eventful(), checkHitWords)
    case .memory:
      return ([ContractTrial(capacity: 50, trace: TestTrace(ids: [1]))], checkMemory)
    }
  }

  // MARK: Drivers

  func driver(
    _ trial: ContractTrial, objects: Int? = nil, seed: UInt64? = nil, usesWords: Bool = false
  ) throws(ContractProblem) -> ContractDriver<Policy> {
    try ContractDriver(
      spec, capacity: trial.capacity, unit: trial.unit,
      objects: objects ?? trial.trace.objects + 1, seed: seed ?? trial.seed,
      usesWords: usesWords)
  }

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

  func compare(
    _ trial: ContractTrial, _ one: ContractDriver<Policy>, _ other: ContractDriver<Policy>,
    _ what: String, before: (Int, Request) throws(ContractProblem) -> Void = { _, _ in }
  ) throws(ContractProblem) {
    try replay(trial) { (index, operation, request) throws(ContractProblem) in
      try before(index, request)
      let expected = try one.step(operation, request)
      let found = try other.step(operation, request)
      if expected != found {
        throw ContractProblem("\(what): expected '\(expected)', found '\(found)'")
      }
    }
  }
}

extension ContractRules where Policy: ~Copyable {
  func checkResidency(_ trial: ContractTrial) throws(ContractProblem) {
    let driver = try driver(trial)
    try driver.checkEverything()
    try replay(trial) { (_, operation, request) throws(ContractProblem) in
      _ = try driver.step(operation, request)
      try driver.checkEverything()
    }
  }

  func checkRemoval(_ trial: ContractTrial) throws(ContractProblem) {
    let (visited, other) = (try driver(trial), try driver(trial))
    let visitor = Request(id: ObjectID(trial.trace.objects + 1))
    let change =
      "an object was stored while there was room, and removed at once, before each request"
    try compare(trial, other, visited, change) { (index, request) throws(ContractProblem) in
      if visited.used < trial.capacity {
        let outcome = try visited.step(.get, visitor)
        // A policy may reject it as well.
        if !outcome.evicted.isEmpty {
          throw ContractProblem("it evicts \(outcome.evicted) while there is room")
        }
        try visited.remove(visitor.id)
      }
      // Make room regularly, so that the visitor also meets a cache that has evicted.
      if index % 7 == 6 {
        try visited.remove(request.id)
        try other.remove(request.id)
      }
    }
  }

  func checkGhosts(_ trial: ContractTrial) throws(ContractProblem) {
    // The single request of the trial's trace carries the number of objects.
    let last = ObjectID(trial.trace.objects)
    let driver = try driver(trial, objects: Int(last) * 2)
    for id in 1...last { _ = try driver.step(.get, Request(id: id, index: UInt64(id - 1))) }
    for id in 1...last where driver.remembers(id) { try driver.remove(id) }
    for id in 1...last * 2 where driver.remembers(id) {
      throw ContractProblem("\(id) is remembered after all that was remembered was removed")
    }
    let fresh = try self.driver(trial, objects: Int(last) * 2)
    for id in last + 1...last + ObjectID(trial.capacity) {
      let request = Request(id: id, index: UInt64(id - 1))
      let (found, expected) = (try driver.step(.get, request), try fresh.step(.get, request))
      if found != expected {
        throw ContractProblem(
          "after \(last) objects came and all that was remembered was removed, \(id) is '\(found)'"
            + " and not '\(expected)'")
      }
    }
  }

  func checkGrowth(_ trial: ContractTrial) throws(ContractProblem) {
    let whole = try driver(trial)
    let growing = try ContractDriver<Policy>(
      spec, capacity: trial.capacity, unit: trial.unit, objects: 1, seed: trial.seed,
      roomForSizes: trial.trace.objects + 1)
    try compare(trial, whole, growing, "with room made as ids come") { _, request in
      if Int(request.id) > growing.objects { growing.reserve(objects: Int(request.id)) }
    }
  }

  func checkRepeatability(_ trial: ContractTrial) throws(ContractProblem) {
    try compare(trial, try driver(trial), try driver(trial), "told the same at the same time")
    let silent = try driver(trial)
    silent.givesHints = false
    try compare(trial, try driver(trial), silent, "without hints")
    func outcomes() throws(ContractProblem) -> [ContractOutcome] {
      let one = try driver(trial)
      var outcomes: [ContractOutcome] = []
      try replay(trial) { (_, operation, request) throws(ContractProblem) in
        outcomes.append(try one.step(operation, request))
      }
      return outcomes
    }
    let (first, later) = (try outcomes(), try outcomes())
    if let index = first.indices.first(where: { first[$0] != later[$0] }) {
      throw ContractProblem(
        "told the same later: expected '\(first[index])', found '\(later[index])'", at: index)
    }
  }

  func checkSeed(_ trial: ContractTrial) throws(ContractProblem) {
    try compare(
      trial, try driver(trial), try driver(trial, seed: trial.seed &+ 1),
      "another seed, and isRandom is false")
  }

  func checkHitWords(_ trial: ContractTrial) throws(ContractProblem) {
    let plain = try driver(trial)
    guard plain.hasWords else { return }
    if Policy.description.traits.contains(.evictsOnHit) {
      throw ContractProblem("it has hitWords, and evictsOnHit is a trait of it")
    }
    try compare(trial, plain, try driver(trial, usesWords: true), "hits through hitWords")
  }

  func checkSimulation(_ trial: ContractTrial) throws(ContractProblem) {
    var trial = trial
    // The tier handles expiry: the policy sees only removals.
    for place in trial.trace.requests.indices { trial.trace.requests[place].ttlSeconds = 0 }
    for isSparse in [false, true] {
      let driver = try driver(trial)
      try replay(trial) { (index, operation, request) throws(ContractProblem) in
        if operation == .get || operation == .set {
          driver.follow(UInt64(trial.trace.requests[index].timeSeconds) * 1_000_000)
        }
        _ = try driver.step(operation, request)
      }
      let simulation: any Simulation
      do throws(PolicyError) {
        simulation = try registered.makeSimulation(
          TierSetup(policy: spec, capacity: trial.capacity), unit: trial.unit, seed: trial.seed,
          over: trial.trace.columns(sparse: isSparse))
      } catch {
        throw ContractProblem("no simulation of it can be made: \(error)")
      }
      simulation.run(upTo: trial.trace.requests.count, untilFirstEviction: false)
      let counts = simulation.counts
      let found = "\(counts.hits) hits, \(Self.text(counts.memory))"
      let expected = "\(driver.hits) hits, \(Self.text(driver.counts))"
      if found != expected {
        throw ContractProblem("the simulator counts \(found), and not \(expected)")
      }
    }
  }

  private static func text(_ counts: TierCounts) -> String {
    "\(counts.admissions) admissions, \(counts.rejections) rejections, "
      + "\(counts.evictions) evictions, \(counts.bytesWritten) written"
  }
}

/// Bounds on the memory of a policy.
extension ContractRules where Policy: ~Copyable {
  func checkMemory(_ trial: ContractTrial) throws(ContractProblem) {
    try checkState(trial)
    if Policy.description.needs.contains(.nextUse) { return }
    // With parameters chosen by the user, the user bounds the remembered objects.
    if spec.values.isEmpty { try checkGhostsAreBounded(trial) }
    try checkGhostsAreDeclared(trial)
  }

  private func checkState(_ trial: ContractTrial) throws(ContractProblem) {
    let objects = 300
    let driver = try driver(trial, objects: objects)
    var random = TestRandom(seed: trial.seed)
    var sizes: [Int] = []
    var (done, end) = (0, 2000)
    while sizes.count < 6 {
      while done < end {
        // Next uses are invented: policies that depend on them need not be right here.
        let id = ObjectID(1 + min(random.below(objects), random.below(objects)))
        let request = Request(
          id: id, index: UInt64(done), nextUse: UInt32(done + 1 + random.below(objects)))
        _ = try driver.step(random.oneIn(20) ? .delete : .get, request)
        done += 1
      }
      sizes.append(driver.stateBytes)
      end *= 2
    }
    if zip(sizes.suffix(4), sizes.suffix(3)).allSatisfy({ $0 < $1 }) {
      throw ContractProblem(
        "stateBytes grows with every doubling of the requests for the same \(objects) objects: "
          + sizes.map(String.init).joined(separator: ", "))
    }
  }

  private func checkGhostsAreBounded(_ trial: ContractTrial) throws(ContractProblem) {
    var text = spec.name
    for parameter in Policy.description.parameters {
      if let value = parameter.realDefault { text += ":\(parameter.name)=\(value)" }
    }
    guard let bounded = try? PolicySpec(parsing: text) else { return }
    let steps = [1000, 2000, 4000, 8000]
    let driver = try ContractDriver<Policy>(
      bounded, capacity: trial.capacity, unit: trial.unit, objects: 8000, seed: trial.seed)
    var remembered: [Int] = []
    var done = 0
    for end in steps {
      while done < end {
        done += 1
        _ = try driver.step(.get, Request(id: ObjectID(done), index: UInt64(done - 1)))
      }
      remembered.append((1...ObjectID(end)).count { driver.remembers($0) })
    }
    if zip(remembered, remembered.dropFirst()).allSatisfy({ $0 < $1 }) {
      throw ContractProblem(
        "of objects that come once it remembers more and more, "
          + remembered.map(String.init).joined(separator: ", ")
          + ": a real cache keeps their keys for as long; bound it, or give a parameter another"
          + " default inRealCaches")
    }
  }

  private func checkGhostsAreDeclared(_ trial: ContractTrial) throws(ContractProblem) {
    let last: ObjectID = 4000
    let driver = try self.driver(trial, objects: Int(last))
    for id in 2...last {
      for id in id % 2 == 0 ? [id, id - 1] : [id] {
        _ = try driver.step(.get, Request(id: id, index: UInt64(id)))
      }
    }
    let ghosts = (1...last).count { driver.remembers($0) && !driver.isResident($0) }
    if ghosts / 2 - 8 > driver.ghostsMax {
      throw ContractProblem(
        "it has \(ghosts) ghosts, and ghostsMax is \(driver.ghostsMax): a real cache makes room for"
          + " that number, and is slow with more")
    }
  }
}

struct ContractTrial {
  var capacity: UInt64
  var unit: CapacityUnit
  var seed: UInt64
  var trace: TestTrace

  init(
    _ features: TestTraceMaker.Features, capacity: UInt64, unit: CapacityUnit = .objects,
    seed: UInt64, for room: UInt64? = nil
  ) {
    var maker = TestTraceMaker(
      features: features, capacity: room ?? capacity, random: TestRandom(seed: seed))
    self.capacity = capacity
    self.unit = unit
    self.seed = seed
    trace = maker.make()
    if unit == .objects {
      for place in trace.requests.indices { trace.requests[place].size = 1 }
    }
  }

  init(capacity: UInt64, trace: TestTrace) {
    self.capacity = capacity
    unit = .objects
    seed = 0
    self.trace = trace
  }
}

extension ContractRules where Policy: ~Copyable {
  /// The calls that broke a rule, as a script that can be read and kept as a test: the requests of
  /// a trace, with their outcomes while the policy keeps the rule.
  private func script(of trial: ContractTrial) -> String {
    let unit = trial.unit == .objects ? "objects" : "bytes"
    var lines = ["policy \(spec)", "capacity \(trial.capacity) \(unit)"]
    let driver = try? driver(trial)
    let nextUses = trial.trace.nextUses
    var isBroken = false
    for (index, line) in trial.trace.requests.enumerated() {
      var text = Self.words(line, trial.unit)
      if !isBroken, let driver {
        do throws(ContractProblem) {
          let outcome = try driver.step(
            line.operation, trial.trace.request(at: index, nextUses))
          if line.operation == .get || line.operation == .set { text += " \(outcome)" }
        } catch {
          isBroken = true
          text += "  # \(error.text)"
        }
      }
      lines.append(text)
    }
    return lines.joined(separator: "\n")
  }

  private static func words(_ line: TestRequest, _ unit: CapacityUnit) -> String {
    switch line.operation {
    case .delete: return "delete \(line.id)"
    case .modify: return "# \(line.id) changes at its origin"
    case .bypass: return "# \(line.id) passes the cache"
    case .expire: return "# \(line.id) gets another time to live"
    case .get, .set:
      var text = "\(line.operation) \(line.id)"
      if unit == .bytes, line.size != 1 { text += " size \(line.size)" }
      if line.ttlSeconds != 0 {
        text += " expires \(UInt64(line.timeSeconds + line.ttlSeconds) * 1_000_000)"
      }
      if line.cost != 1 { text += " cost \(line.cost)" }
      return text
    }
  }
}
