import LarderEngine
import LarderPolicies
import Testing

@testable import Larder

/// An exclusive hybrid cache relies on policies that do not declare that hits may evict: they never
/// do.
@Suite struct HybridPolicyTests {
  @Test(arguments: Policies.executable, [CapacityUnit.objects, .bytes])
  func hitsEvictOnlyIfThePolicyDeclaresIt(policy: String, unit: CapacityUnit) throws {
    let tier = try PolicyRegistry.makeCacheTier(
      CacheTierSetup(
        policy: try PolicySpec(parsing: policy), entriesMax: unit == .objects ? 40 : nil,
        bytesMax: unit == .bytes ? 40 : nil, objects: 100, seed: 3))
    var random = TestRandom(seed: 9)
    var evicting = 0
    for _ in 0..<20_000 {
      let id = ObjectID(1 + min(random.below(100), random.below(100)))
      if tier.access(id, 0) == .hit {
        evicting += tier.victims.count > 0 ? 1 : 0
      } else {
        _ = tier.set(Request(id: id, size: unit == .bytes ? UInt32(1 + id % 9) : 1), 0)
      }
    }
    if !PolicyRegistry.evictsOnHit(policy) { #expect(evicting == 0) }
  }

  @Test func somePolicyDeclaresThatHitsEvict() {
    #expect(PolicyRegistry.evictsOnHit("slru"))
    #expect(!PolicyRegistry.evictsOnHit("lru"))
    #expect(PolicyRegistry.evictsOnHit("nothing"))
  }
}
