import TestSupport
import Testing

@testable import LarderEngine

/// The policy `auto` as its callers see it: the choice, changes of limits, and errors.
@Suite struct PolicyChoiceTests {
  private func tier(
    _ spec: String, entriesMax: Int? = nil, bytesMax: UInt64? = nil
  ) throws -> CacheTier {
    try PolicyRegistry.makeCacheTier(
      CacheTierSetup(
        policy: try PolicySpec(parsing: spec), entriesMax: entriesMax, bytesMax: bytesMax,
        objects: 5000))
  }

  /// Returns the hits.
  @discardableResult private func loop(
    _ tier: CacheTier, objects: Int, requests: Int, size: UInt32 = 1
  ) -> Int {
    (0..<requests).count { index in
      let id = ObjectID(1 + index % objects)
      if tier.access(id, 0) == .hit { return true }
      _ = tier.set(Request(id: id, size: size), 0)
      return false
    }
  }

  /// With a sample of all objects, of a quarter, and in bytes, where the sample becomes smaller as
  /// the cache fills.
  @Test(arguments: ["1000", "25"], [CapacityUnit.objects, .bytes])
  func loopIsLedByMRU(shadow: String, unit: CapacityUnit) throws {
    let tier = try tier(
      "auto:policies=lru/mru:shadow=\(shadow)", entriesMax: unit == .objects ? 100 : nil,
      bytesMax: unit == .bytes ? 700 : nil)
    #expect(try #require(tier.choice).leader == "lru")
    #expect(try #require(tier.choice).hitRatios.isEmpty)
    loop(tier, objects: 120, requests: 12_000, size: 7)
    let choice = try #require(tier.choice)
    #expect(choice.policies == ["lru", "mru"])
    #expect(choice.leader == "mru")
    #expect(choice.switches == 1)
    #expect(choice.sampleShare == (shadow == "25" ? 0.25 : 1))
    #expect(choice.hitRatios[1] > choice.hitRatios[0] + 0.3)
    #expect(loop(tier, objects: 120, requests: 1200, size: 7) > 840)
  }

  @Test func onlyAutoHasAChoice() throws {
    #expect(try tier("lru", entriesMax: 10).choice == nil)
    let trace = ContractSpecs.trace([], capacity: 5, seed: 1)
    #expect(try ContractSpecs.simulation("lru", capacity: 5, over: trace).choice == nil)
    let simulation = try ContractSpecs.simulation("auto", capacity: 5, over: trace)
    #expect(try #require(simulation.choice).leader.hasPrefix("lirs"))
  }

  @Test(arguments: [50, 99, 101, 400])
  func changedLimitKeepsWhatFits(entriesMax: Int) throws {
    let tier = try tier("auto:shadow=20", entriesMax: 100)
    loop(tier, objects: 100, requests: 1000)
    try PolicyRegistry.resize(
      tier,
      to: CacheTierSetup(
        policy: try PolicySpec(parsing: "auto:shadow=20"), entriesMax: entriesMax, bytesMax: nil,
        objects: 5000), fingerprint: { Request.fingerprint(of: $0) })
    #expect(tier.count == min(100, entriesMax))
    loop(tier, objects: 1000, requests: 5000)
    #expect(tier.count == entriesMax)
  }

  /// An additional limit on objects, which the policies do not know: the object being stored is
  /// never the victim.
  @Test func limitOnObjectsEvictsOthers() throws {
    let tier = try tier("auto:policies=mru/lru/s4-fifo:shadow=2", entriesMax: 20, bytesMax: 4000)
    var random = TestRandom(seed: 3)
    for _ in 0..<20_000 {
      let id = ObjectID(1 + min(random.below(300), random.below(300)))
      if tier.access(id, 0) == .hit { continue }
      let size = UInt32(1 + random.below(100))
      #expect(tier.set(Request(id: id, size: size), 0) == .stored)
      #expect(tier.contains(id) && tier.count <= 20)
    }
  }

  @Test(arguments: [
    "auto", "belady", "varnish", "ttl", "lru/", "", "nothing", "lru:1", "mq(life=x)", "pfoo-u",
    "lru/lru/lru/lru/lru/lru/lru/lru/lru/lru/lru/lru/lru/lru/lru/lru/lru",
  ])
  func impossiblePortfolioIsAnError(policies: String) {
    #expect(throws: PolicyError.self) {
      try PolicyRegistry.validate(PolicySpec(parsing: "auto:policies=\(policies)"))
    }
  }

  @Test func idsAreThoseOfADictionary() {
    var ids = ShadowIDs()
    var expected: [UInt32: ObjectID] = [:]
    var random = TestRandom(seed: 1)
    for _ in 0..<20_000 {
      let key = UInt32(random.below(300)) &* 0x9E37_79B9
      #expect(ids.find(key) == expected[key] ?? .none)
      if expected[key] != nil {
        if random.oneIn(2) {
          ids.remove(key)
          expected[key] = nil
        }
        continue
      }
      if ids.isFull {
        let room = ids.free { id in id % 3 != 0 }
        expected = expected.filter { $0.value % 3 != 0 }
        #expect(room == ids.room && !ids.isFull)
      }
      expected[key] = ids.insert(key)
      #expect(ids.key(ids.find(key)) == key)
    }
  }
}
