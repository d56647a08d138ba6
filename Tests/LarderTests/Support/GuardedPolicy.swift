import LarderEngine
import LarderPolicies

/// A policy behind an admission filter.
struct GuardedPolicy: Sendable, CustomStringConvertible {
  let policy: String
  let admission: String

  var description: String { "\(policy) behind \(admission)" }

  /// Every filter of the registry, with parameters with which it rejects entries of the tests'
  /// traces, combined with some policies: with lock-free hits, with ghosts, with sketches, by
  /// value.
  static let all: [GuardedPolicy] = AdmissionRegistry.all.map(\.description).flatMap { filter in
    specs(of: filter.name).flatMap { admission in
      ["lru", "sieve", "2q", "s3-fifo", "w-tinylfu", "gdsf"].compactMap { policy in
        let canCompare = (try? PolicySpec(parsing: policy)).map(PolicyRegistry.knowsVictim) ?? false
        guard canCompare || !filter.comparesVictims else { return nil }
        return GuardedPolicy(policy: policy, admission: admission)
      }
    }
  }

  private static func specs(of filter: String) -> [String] {
    switch filter {
    case "size": ["size:max=5", "size:max=0.08"]
    case "probabilistic": ["probabilistic", "probabilistic:p=0.9:scale=6"]
    case "second-hit": ["second-hit:window=60", "second-hit:window=20:error=0.1"]
    case "adaptsize": ["adaptsize:interval=1000"]
    default: [filter]
    }
  }
}
