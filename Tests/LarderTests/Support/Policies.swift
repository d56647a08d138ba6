import LarderEngine

@testable import Larder

/// The policies that tests go through: the registry's, so that a new one is covered unasked.
enum Policies {
  /// Those that a real cache can have.
  static let executable = PolicyRegistry.standard.map(\.description)
    .filter { !$0.needs.contains(.nextUse) }.map(\.name)

  /// Those that need to know the future.
  static let clairvoyant = PolicyRegistry.standard.map(\.description)
    .filter { $0.needs.contains(.nextUse) }.map(\.name)

  /// Those whose hits need no lock.
  static let lockless = executable.filter { name in
    (try? MemoryCache<Int, Int>(count: 10, policy: name))?.blocks.slots != nil
  }
}
