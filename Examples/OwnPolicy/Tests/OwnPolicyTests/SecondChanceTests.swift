import Larder
import LarderContracts
import LarderEngine
import LarderPolicies
import Testing

@testable import OwnPolicy

@Suite struct SecondChanceTests {
  /// All that Larder asks of a policy.
  @Test func keepsTheContract() throws {
    try PolicyContract.check(SecondChance.self)
  }

  /// A cache of an app takes it by its name.
  @Test func aCacheHasIt() throws {
    try PolicyRegistry.add(SecondChance.self)
    let cache = try MemoryCache<Int, String>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 2), policy: "second-chance", shards: 1))
    cache.set("one", for: 1)
    cache.set("two", for: 2)
    #expect(cache.value(for: 1) == "one")
    cache.set("three", for: 3)
    #expect(
      cache.value(for: 1) == "one" && cache.value(for: 2) == nil && cache.value(for: 3) == "three")
  }
}
