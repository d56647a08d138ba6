import LarderEngine

/// How each rule is tried.
extension ContractRules where Policy: ~Copyable {
  func checkResidency(_ trial: ContractTrial) throws(ContractProblem) {
    let driver = try driver(trial)
    try driver.checkEverything()
    try replay(trial) { (_, operation, request) throws(ContractProblem) in
      _ = try driver.step(operation, request)
      try driver.checkEverything()
    }
  }

  /// A visitor comes and goes in one of two caches whenever there is room.
  func checkRemoval(_ trial: ContractTrial) throws(ContractProblem) {
    let (visited, other) = (try driver(trial), try driver(trial))
    let visitor = Request(id: ObjectID(trial.trace.objects + 1))
    try replay(trial) { (index, operation, request) throws(ContractProblem) in
      if visited.used < trial.capacity {
        let outcome = try visited.step(.get, visitor)
        // A policy may refuse it, too.
        if !outcome.evicted.isEmpty {
          throw ContractProblem("it evicts \(outcome.evicted) while there is room")
        }
        try visited.remove(visitor.id)
      }
      // Make room now and then, so that the visitor is seen in a cache that has evicted, too.
      if index % 7 == 6 {
        try visited.remove(request.id)
        try other.remove(request.id)
      }
      let (found, expected) = (
        try visited.step(operation, request), try other.step(operation, request)
      )
      if found != expected {
        throw ContractProblem(
          "an object that was stored while there was room, and removed at once, before each request"
            + " up to this one changes '\(expected)' to '\(found)'")
      }
    }
  }

  func checkGhosts(_ trial: ContractTrial) throws(ContractProblem) {
    // The one request of the trial's trace says how many objects come.
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
    try replay(trial) { (_, operation, request) throws(ContractProblem) in
      if Int(request.id) > growing.objects { growing.reserve(objects: Int(request.id)) }
      let (expected, found) = (
        try whole.step(operation, request), try growing.step(operation, request)
      )
      if found != expected {
        throw ContractProblem(
          "with room made as ids come: expected '\(expected)', found '\(found)'")
      }
    }
  }

  /// Two at the same time, and a third after them.
  func checkRepeatability(_ trial: ContractTrial) throws(ContractProblem) {
    try compare(trial, try driver(trial), try driver(trial), "told the same at the same time")
    let silent = try driver(trial)
    silent.givesHints = false
    try compare(trial, try driver(trial), silent, "without hints")
    var outcomes: [ContractOutcome] = []
    let one = try driver(trial)
    try replay(trial) { (_, operation, request) throws(ContractProblem) in
      outcomes.append(try one.step(operation, request))
    }
    let later = try driver(trial)
    try replay(trial) { (index, operation, request) throws(ContractProblem) in
      let found = try later.step(operation, request)
      if found != outcomes[index] {
        throw ContractProblem(
          "told the same later: expected '\(outcomes[index])', found '\(found)'")
      }
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
    if Policy.evictsOnHit { throw ContractProblem("it has hitWords, and evictsOnHit is true") }
    try compare(trial, plain, try driver(trial, usesWords: true), "hits through hitWords")
  }

  /// The engine's own tier, specialised where the policy is defined, against this module's driver.
  func checkSimulation(_ trial: ContractTrial) throws(ContractProblem) {
    var trial = trial
    // Expiry is the tier's business: the policy sees removals alone.
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
