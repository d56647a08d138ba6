import LarderEngine
import LarderPolicies
import LarderTraces

/// Candidates for a trace: every policy with every combination of the parameter values that it
/// declares as worth trying, alone and behind every admission filter with such values.
///
/// Offline policies are excluded, because no cache can run them. Also excluded are the rules of
/// servers unless requested, which exist to simulate those servers; policies that need costs or
/// expiry times, for traces without them; policies that weigh the latency of fetches, which a
/// search does not simulate; and filters by size, for traces without sizes: they would equal
/// others.
package struct SearchSpace: Sendable, Hashable {
  /// Candidates without duplicates, the simplest first. Of candidates with equal scores the first
  /// one wins.
  package let candidates: [Candidate]

  package init(
    for columns: RequestColumns, unit: CapacityUnit, policies: [PolicySpec]? = nil
  ) throws {
    let hasSizes = unit == .bytes && columns.sizes != nil
    var specs: [PolicySpec] = []
    let known = Set(PolicyRegistry.all.map(\.description.name))
    if let other = policies?.first(where: { !known.contains($0.name) }) {
      let isBound = PolicyRegistry.isBound(other.name)
      throw AdviceError.policy(
        other.description,
        reason: isBound ? "no cache can run a bound" : "a search trains no models")
    }
    for policy in PolicyRegistry.all {
      let description = policy.description
      let asked = policies?.filter { $0.name == description.name }
      if asked?.isEmpty == true, description.name != "lru" { continue }
      if policies == nil, description.server != nil { continue }
      var reason = Self.uselessness(description, in: columns)
      if policy.type?.notices.contains(.requests) ?? false {
        reason = "it depends on fetch times, and a search has none"
      }
      if let reason {
        if let asked = asked?.first { throw AdviceError.policy(asked.description, reason: reason) }
        continue
      }
      let exact = asked?.filter { !$0.values.isEmpty } ?? []
      let isWhole = asked.map { $0.count > exact.count || $0.isEmpty } ?? true
      if isWhole { specs += try Self.specs(description.name, description.parameters) }
      let declared =
        isWhole && asked != nil && !description.configurations.isEmpty
        ? try PolicyRegistry.configurations(of: description.name) : []
      for spec in declared + exact where !specs.contains(spec) { specs.append(spec) }
    }
    var filters: [PolicySpec] = []
    for filter in AdmissionRegistry.all where hasSizes || !filter.description.comparesSizes {
      filters += try Self.specs(filter.description.name, filter.description.parameters)
    }
    var candidates = specs.map { Candidate(policy: $0) }
    for filter in filters {
      let compares = AdmissionRegistry.description(of: filter)?.comparesVictims ?? false
      candidates += specs.filter { !compares || PolicyRegistry.knowsVictim($0) }
        .map { Candidate(policy: $0, admission: filter) }
    }
    self.candidates = candidates.enumerated().sorted { left, right in
      let (first, second) = (left.element.simplicity, right.element.simplicity)
      return first == second ? left.offset < right.offset : first < second
    }.map(\.element)
  }

  /// Reason for which a policy cannot work as intended on the trace; nil if it can.
  private static func uselessness(
    _ policy: PolicyDescription, in columns: RequestColumns
  ) -> String? {
    let needs = policy.needs
    if needs.contains(.nextUse) { return "it knows the future, so no cache can run it" }
    if needs.contains(.ttl), columns.ttls == nil { return "the trace has no expiry times" }
    // A policy that needs only costs equals another policy without them.
    if needs == .cost, columns.costs == nil { return "the trace has no costs" }
    return nil
  }

  private static func specs(
    _ name: String, _ parameters: [PolicyParameter]
  ) throws(PolicyError) -> [PolicySpec] {
    var combinations: [[String: String]] = [[:]]
    for parameter in parameters where !parameter.searched.isEmpty {
      combinations = combinations.flatMap { values in
        parameter.searched.map { value in
          var values = values
          if value != parameter.defaultValue { values[parameter.name] = value }
          return values
        }
      }
    }
    var specs: [PolicySpec] = []
    for values in combinations { specs.append(try PolicySpec(name: name, values: values)) }
    return specs
  }
}

/// The order of designs from which the simplest of equals is recommended: LRU, then those with
/// fewer parameters and without a filter, then those of lower cost per request.
package struct Simplicity: Comparable {
  private let parts: Int
  private let cost: Double

  package init(of costs: [Double], parameters: Int, isLRU: Bool) {
    parts = isLRU ? -1 : parameters
    cost = costs.reduce(0, +)
  }

  package static func < (one: Self, other: Self) -> Bool {
    (one.parts, one.cost) < (other.parts, other.cost)
  }
}

/// A design that may be advised: an eviction policy, and the admission filter in front of it.
package struct Candidate: Sendable, Hashable, CustomStringConvertible {
  package let policy: PolicySpec
  package var admission: PolicySpec?
  /// True for a design of a server, which has its own defaults.
  var isServer = false

  package var description: String {
    policy.description + (admission.map { "+\($0.description)" } ?? "")
  }

  package var words: String {
    policy.description + (admission.map { " behind \($0.description)" } ?? "")
  }

  fileprivate var simplicity: Simplicity {
    let filter = admission.map { 2 + $0.values.count } ?? 0
    return Simplicity(
      of: [ReplayCost.of(self, weighs: false)], parameters: policy.values.count + filter,
      isLRU: description == "lru")
  }

  /// The tier of a real cache with this design, scaled to a sample of the objects: capacity and
  /// parameters that count requests or objects are scaled down. The capacity is that of a trace
  /// that may itself be `sampled`, the parameters are those of all the traffic.
  ///
  /// - Throws: `PolicyError` for an unknown policy or parameter.
  func tier(
    capacity: UInt64, rate: Double = 1, sampled: Double = 1, timeToLiveSeconds: UInt32? = nil
  ) throws(PolicyError) -> TierSetup {
    let policy = isServer ? policy : try PolicyRegistry.inRealCache(policy)
    var tier = try TraceSampling(rate: rate * sampled).scaled(
      TierSetup(
        policy: policy, capacity: 0, timeToLiveSeconds: timeToLiveSeconds, admission: admission))
    tier.capacity = TraceSampling(rate: rate).scaled(capacity)
    return tier
  }
}

extension PolicySpec {
  /// The policy for a sample of the objects: parameters that count something are scaled down.
  func scaled(by rate: Double) throws(PolicyError) -> PolicySpec {
    // A cache with a policy of its own is not registered.
    guard rate < 1, let policy = PolicyRegistry.registered(name) else { return self }
    return try scaled(by: rate, policy.description.parameters) { spec throws(PolicyError) in
      try PolicyRegistry.validate(spec)
    }
  }

  func scaled(
    by rate: Double, _ parameters: [PolicyParameter],
    _ validate: (PolicySpec) throws(PolicyError) -> Void
  ) throws(PolicyError) -> PolicySpec {
    var own = values
    for one in parameters { own[one.name] = one.sampleValue ?? own[one.name] }
    var spec = try PolicySpec(name: name, values: own)
    for parameter in parameters where parameter.isCount {
      let text = spec.values[parameter.name] ?? parameter.defaultValue
      guard let count = Double(text), count > 0 else { continue }
      var scaled = max(1, (count * rate).rounded())
      while scaled < count {
        var values = spec.values
        values[parameter.name] = "\(UInt64(scaled))"
        let candidate = try PolicySpec(name: spec.name, values: values)
        if (try? validate(candidate)) != nil {
          spec = candidate
          break
        }
        scaled *= 2
      }
    }
    return spec
  }

  init(name: String, values: [String: String]) throws(PolicyError) {
    let parameters = values.sorted { $0.key < $1.key }.map { ":\($0.key)=\($0.value)" }
    try self.init(parsing: name + parameters.joined())
  }
}
