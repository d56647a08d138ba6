import LarderEngine

/// The calls that broke a rule as a script: what a person reads, and may keep as a test.
enum ContractScript {
  /// The lines of a trace, with what comes of each as long as the policy keeps the rule.
  static func text<Policy: EvictionPolicy & ~Copyable>(
    of trial: ContractTrial, _ type: Policy.Type, _ spec: PolicySpec
  ) -> String {
    let unit = trial.unit == .objects ? "objects" : "bytes"
    var lines = ["policy \(spec)", "capacity \(trial.capacity) \(unit)"]
    let driver = try? ContractDriver<Policy>(
      spec, capacity: trial.capacity, unit: trial.unit, objects: trial.trace.objects + 1,
      seed: trial.seed)
    let nextUses = trial.trace.nextUses
    var isBroken = false
    for (index, line) in trial.trace.requests.enumerated() {
      var text = words(line, trial.unit)
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
