import Foundation
import Larder
import LarderEngine
import LarderPolicies

/// Draws configurations of caches from the bytes of an input.
extension FuzzInput {
  /// A clock that starts at an ordinary or an extreme instant.
  mutating func clock() -> FuzzClock {
    FuzzClock(
      pick([1_700_000_000_000_000, 1_700_000_000_000_000, 0, 1, .max / 2, .max - 10_000_000]))
  }

  /// A policy's text: a policy of the registry, with a parameter of any value, or any text.
  mutating func policyText() -> String {
    let policies = PolicyRegistry.standard
    switch byte() % 6 {
    case 0: return text(upTo: 24)
    case 1:
      let description = policies[below(policies.count)].description
      guard !description.parameters.isEmpty else { return description.name }
      let parameter = description.parameters[below(description.parameters.count)]
      return "\(description.name):\(parameter.name)=\(text(upTo: 12))"
    default: return policies[below(policies.count)].description.name
    }
  }

  mutating func admissionText() -> String? {
    maybe { input in
      input.below(4) == 0
        ? input.text(upTo: 24) : input.pick(AdmissionRegistry.all.map(\.description.name))
    }
  }

  mutating func pressureRule() -> MemoryPressureRule {
    let (one, other) = (share(), share())
    let isSorted = below(8) > 0
    return MemoryPressureRule(
      keptOnWarning: isSorted ? max(one, other) : one,
      keptWhenCritical: isSorted ? min(one, other) : other)
  }

  mutating func memoryConfiguration(clock: FuzzClock) -> MemoryCacheConfiguration {
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(
        count: maybe { $0.integer(below: 100) }, weight: maybe { $0.integer(below: 5000) },
        age: maybe { $0.duration() }),
      policy: CachePolicy(policyText()), admission: admissionText(),
      shards: maybe { $0.flag() ? 1 : $0.integer(below: 9) },
      hashing: pick([.standard, .fast, .seeded(7)]), clock: clock, pressureRule: pressureRule(),
      refreshAfterWrite: maybe { $0.duration() },
      staleWhileRevalidate: maybe { $0.duration() },
      expireAfterAccess: maybe { $0.duration() }, promptExpiry: maybe { $0.duration() })
    configuration.seed = UInt64(byte())
    configuration.expiryAlarm = clock.alarm
    return configuration
  }

  mutating func diskConfiguration() throws(DiskCacheError) -> DiskConfiguration {
    var encryption: DiskEncryption?
    if below(6) == 0 {
      encryption = try DiskEncryption(key: Data(count: pick([16, 24, 32, 32, 0, 1, 33])))
    }
    return DiskConfiguration(
      policy: CachePolicy(policyText()), admission: admissionText(),
      limits: DiskLimits(
        bytes: maybe { $0.unsigned(below: 5000) }, count: maybe { $0.integer(below: 100) },
        age: maybe { $0.duration() }, freeBytes: maybe { $0.unsigned(below: 2) } ?? 0),
      durability: pick([.none, .normal, .full]), inlineBytesMax: integer(below: 200),
      segmentBytes: flag() ? integer(below: 9000) : nil,
      groupWrites: integer(below: 100), pageCacheBytes: integer(below: 100_000),
      encryption: encryption,
      troubleHandling: pick([nil, .startEmpty, .fail]))
  }

  mutating func hybridConfiguration(
    clock: FuzzClock
  ) throws(DiskCacheError) -> HybridCacheConfiguration {
    HybridCacheConfiguration(
      memory: maybe { MemoryTier($0.memoryConfiguration(clock: clock)) },
      disk: flag() ? try diskConfiguration() : nil,
      rules: HybridRules(
        inclusion: pick(HybridRules.Inclusion.allCases),
        promotion: pick(HybridRules.Promotion.allCases),
        placement: maybe {
          HybridRules.Placement(
            memoryOnlyBelowSeconds: UInt32(truncatingIfNeeded: $0.integer(below: 100)),
            diskOnlyFromSeconds: UInt32(truncatingIfNeeded: $0.integer(below: 100)))
        }),
      copiesOnRead: flag(), strategy: pick(CacheStrategy.allCases),
      staleIfError: maybe { $0.duration() }, staleWhileRevalidate: maybe { $0.duration() },
      pressureRule: pressureRule(), suite: text(upTo: 4), clock: clock)
  }
}
