import LarderEngine
import LarderTraces

@testable import LarderExperiments

/// Stands in for registries that other work may change.
enum Stand {
  static let policies = [
    "fifo", "lru", "mru", "lfu", "clock", "sieve", "slru", "s3-fifo", "random", "ttl", "cost",
    "gdsf", "belady",
  ]
  static let formats = [
    "oracle-general", "csv", "txt", "arc", "lirs", "vscsi", "adapt-size", "cache2k", "larder",
  ]

  /// Knows the policies and formats of these lists, and the generators of this build.
  static let checks = ComponentChecks(
    policy: { spec in
      guard policies.contains(spec.name) else {
        throw PolicyError.unknownPolicy(
          spec.name, nearest: NearestName.of(spec.name, in: policies))
      }
    },
    generator: ComponentChecks.registered.generator,
    format: { spec in
      guard formats.contains(spec.name) else {
        let hint = NearestName.of(spec.name, in: formats).map { "; did you mean '\($0)'?" } ?? ""
        throw ComponentError(
          component: spec.name, parameter: nil, message: "unknown format\(hint)")
      }
    })
}
