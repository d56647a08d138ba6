import LarderPolicies
import Testing

@testable import LarderEngine

@Suite struct CandidateTests {
  private static let policies = PolicyRegistry.standard.map(\.description)
    .filter { !$0.needs.contains(.nextUse) }.map(\.name)

  private func tier(_ policy: String) throws -> CacheTier {
    try PolicyRegistry.makeCacheTier(
      CacheTierSetup(
        policy: try PolicySpec(parsing: policy), entriesMax: 30, bytesMax: nil, objects: 400))
  }

  @Test(arguments: policies)
  func isAnIDOrNone(policy: String) throws {
    let tier = try tier(policy)
    var random = SeededGenerator(seed: 7)
    for step in 0..<20_000 {
      let id = ObjectID(1 + random.next(below: 400))
      if step % 5 == 0 { tier.remove(ObjectID(1 + random.next(below: 400))) }
      if step % 600 == 0 { while tier.count > 0 { _ = tier.giveUp() } }
      if tier.access(id, 0) != .hit { _ = tier.set(Request(id: id), 0) }
      #expect(tier.victims.candidate <= 400)
    }
  }

  /// An empty cache: the requested object is too large.
  @Test(arguments: policies)
  func isNoneInEmptyCache(policy: String) throws {
    let tier = try PolicyRegistry.makeCacheTier(
      CacheTierSetup(
        policy: try PolicySpec(parsing: policy), entriesMax: nil, bytesMax: 30, objects: 400))
    #expect(tier.set(Request(id: 3, size: 31), 0) == .rejected)
    #expect(tier.count == 0)
    #expect(tier.victims.candidate == .none)
  }

  @Test(arguments: ["lru", "mru", "fifo"])
  func isTheNextVictim(policy: String) throws {
    let tier = try tier(policy)
    for id in 1...30 { _ = tier.set(Request(id: ObjectID(id)), 0) }
    for id in 31...400 {
      let candidate = tier.victims.candidate
      _ = tier.set(Request(id: ObjectID(id)), 0)
      #expect(tier.victims.count == 1 && tier.victims[0] == candidate)
    }
  }

  @Test(arguments: ["clock", "sieve", "s3-fifo", "qd-lp", "slru", "2q", "lfu"])
  func isTheNextVictimOfAScan(policy: String) throws {
    let tier = try tier(policy)
    var (said, right) = (0, 0)
    for id in 1...400 {
      let candidate = tier.victims.candidate
      _ = tier.set(Request(id: ObjectID(id)), 0)
      if tier.victims.count == 0 { continue }
      said += 1
      if tier.victims[0] == candidate { right += 1 }
    }
    #expect(said == 370)
    #expect(right >= said * 9 / 10)
  }
}
