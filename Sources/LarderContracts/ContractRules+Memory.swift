import LarderEngine

/// What a policy may keep.
extension ContractRules where Policy: ~Copyable {
  func checkMemory(_ trial: ContractTrial) throws(ContractProblem) {
    try checkState(trial)
    // With parameters of the user's own, what is remembered is the user's business.
    if spec.values.isEmpty, !Policy.description.needs.contains(.nextUse) {
      try checkGhostsAreBounded(trial)
    }
  }

  /// The same objects again and again: what grows at every doubling of the requests grows without
  /// end.
  private func checkState(_ trial: ContractTrial) throws(ContractProblem) {
    let objects = 300
    let driver = try driver(trial, objects: objects)
    var random = TestRandom(seed: trial.seed)
    var sizes: [Int] = []
    var (done, end) = (0, 2000)
    while sizes.count < 6 {
      while done < end {
        // Next uses are made up: a policy that needs them is not asked to be right here.
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

  /// Objects that come once, with the parameters that a real cache has.
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
}
