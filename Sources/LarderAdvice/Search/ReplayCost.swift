import LarderSimulation

/// How long replaying a request through a design takes, in average requests of a search over
/// objects of one size: what budgets count, so that a search among slow designs ends as soon as one
/// among fast ones. From constant tables and not from clocks, so that advice is the same on every
/// machine.
enum ReplayCost {
  /// What a request costs on average over the search space of objects of one size.
  private static let standardNanoseconds = 57.0
  /// By how much sizes slow a policy down.
  private static let sizesFactor = 1.7
  /// What a filter adds, nanoseconds: 10 M Zipf requests for 1 M objects of 8 KiB, capacity 10 %,
  /// LRU behind the filter and alone, one thread of an AMD EPYC.
  static let filters = [
    "size": 36.0, "probabilistic": 33, "second-hit": 50, "tinylfu": 55, "adaptsize": 85,
  ]
  /// A filter that is not in the table is taken for a slow one.
  private static let unknownFilter = 80.0

  /// The cost of a design; `weighs` where objects have sizes.
  static func of(_ candidate: Candidate, weighs: Bool) -> Double {
    let policy = PolicyCost.of(candidate.policy.name).nanoseconds * (weighs ? sizesFactor : 1)
    let filter = candidate.admission.map { filters[$0.name] ?? unknownFilter } ?? 0
    return (policy + filter) / standardNanoseconds
  }

  /// The mean cost of designs; 1 for none.
  static func mean(_ candidates: [Candidate], weighs: Bool) -> Double {
    guard !candidates.isEmpty else { return 1 }
    return candidates.reduce(0) { $0 + of($1, weighs: weighs) } / Double(candidates.count)
  }
}
