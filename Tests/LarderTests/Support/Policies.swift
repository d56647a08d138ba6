import LarderEngine
import LarderPolicies

@testable import Larder

/// The policies under test: all of the registry, so that a new one is covered automatically.
enum Policies {
  static let executable = PolicyRegistry.standard.map(\.description)
    .filter { !$0.needs.contains(.nextUse) }.map(\.name)

  static let clairvoyant = PolicyRegistry.standard.map(\.description)
    .filter { $0.needs.contains(.nextUse) }.map(\.name)

  /// Policies with lock-free hits.
  static let lockless = executable.filter { name in
    (try? MemoryCache<Int, Int>(count: 10, policy: CachePolicy(name)))?.blocks.slots != nil
  }
}
