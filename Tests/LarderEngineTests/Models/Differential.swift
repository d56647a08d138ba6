import LarderEngine

/// Replays random traces through the engine and through the models, and reports the first difference
/// as a script to read.
struct Differential {
  /// What the engine counts.
  static func engine(_ trace: TestTrace, _ setup: SimulationSetup, sparse: Bool) throws -> Counts {
    let simulation = try PolicyRegistry.makeSimulation(setup, over: trace.columns(sparse: sparse))
    simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
    return simulation.counts
  }

  /// Nil when engine and model agree; otherwise the smallest trace on which they do not.
  static func difference(
    on trace: TestTrace, _ setup: SimulationSetup, sparse: Bool
  ) throws -> String? {
    func differs(_ trace: TestTrace) throws -> Bool {
      try engine(trace, setup, sparse: sparse) != NaiveSimulation.counts(of: trace, setup)
    }
    guard try differs(trace) else { return nil }
    let smallest = try trace.shrunk(while: differs)
    let found = try engine(smallest, setup, sparse: sparse)
    let expected = try NaiveSimulation.counts(of: smallest, setup)
    return """
      \(setup.summary), columns \(sparse ? "sparse" : "all"):
      \(smallest)
      \(expected.map { found.differences(from: $0) } ?? "there is no model")
      """
  }
}

extension SimulationSetup {
  /// One line for a failure message.
  var summary: String {
    switch arrangement {
    case .memory(let tier): "memory \(tier.summary) \(unit)"
    case .disk(let tier): "disk \(tier.summary) \(unit)"
    case .hybrid(let memory, let disk, let rules):
      "\(rules.inclusion) hybrid of \(memory.summary) and \(disk.summary) \(unit), "
        + "promotion \(rules.promotion)"
    }
  }
}

extension TierSetup {
  /// A few words for a failure message.
  var summary: String {
    "\(policy) \(capacity)" + (timeToLiveSeconds.map { " (ttl \($0) s)" } ?? "")
  }
}

extension Counts {
  /// The fields in which the engine's counts, these, differ from a model's.
  func differences(from model: Counts) -> String {
    func fields(_ value: Any, _ prefix: String) -> [(String, String)] {
      Mirror(reflecting: value).children.flatMap { child -> [(String, String)] in
        let name = prefix + (child.label ?? "")
        return child.value is TierCounts
          ? fields(child.value, name + ".") : [(name, "\(child.value)")]
      }
    }
    return zip(fields(self, ""), fields(model, "")).filter { $0.1 != $1.1 }
      .map { "  \($0.0): engine \($0.1), model \($1.1)" }.joined(separator: "\n")
  }
}
