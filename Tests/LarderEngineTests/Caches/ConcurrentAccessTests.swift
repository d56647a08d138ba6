import Testing

@testable import LarderEngine

/// A hit that may be one of many at once is to a policy what any hit is.
@Suite struct ConcurrentAccessTests {
  private static let policies = ["fifo", "random", "clock", "clock:bits=3", "sieve", "s3-fifo"]

  private func tier(_ policy: String) throws -> CacheTier {
    try PolicyRegistry.makeCacheTier(
      CacheTierSetup(
        policy: try PolicySpec(parsing: policy), capacity: 30, unit: .objects, objects: 400))
  }

  @Test(arguments: policies)
  func decidesAsTheOrdinaryHitDoes(policy: String) throws {
    let (ordinary, shared) = (try tier(policy), try tier(policy))
    let access = try #require(shared.accessConcurrently)
    var random = SeededGenerator(seed: 5)
    var hits = 0
    for _ in 0..<20_000 {
      // Some objects are requested more often than others.
      let id = ObjectID(1 + min(random.next(below: 400), random.next(below: 60)))
      let outcome = ordinary.access(id, 0)
      #expect(access(id, 0) == outcome)
      if outcome == .hit {
        hits += 1
      } else {
        let request = Request(id: id)
        #expect(ordinary.set(request, 0) == shared.set(request, 0))
        let places = 0..<ordinary.victims.count
        #expect(shared.victims.count == places.count)
        #expect(places.allSatisfy { ordinary.victims[$0] == shared.victims[$0] })
      }
    }
    #expect(hits > 5_000)
  }

  @Test func whatHasExpiredStays() throws {
    let tier = try tier("sieve")
    let access = try #require(tier.accessConcurrently)
    #expect(tier.set(Request(id: 1, expires: 10), 0) == .stored)
    #expect(access(1, 9) == .hit)
    #expect(access(1, 10) == .expired)
    #expect(tier.contains(1))
    #expect(access(2, 10) == .absent || access(2, 10) == .expired)
    #expect(tier.access(1, 10) == .expired)
    #expect(!tier.contains(1))
  }

  @Test func policiesWithListsHaveNone() throws {
    #expect(try tier("lru").accessConcurrently == nil)
    #expect(try tier("gdsf").accessConcurrently == nil)
  }

  /// What S3-FIFO says that it has forgotten is known to it no more, and no victim.
  @Test(arguments: ["s3-fifo", "s3-fifo:ghost=0.05", "s3-fifo:ghost=0"])
  func forgottenGhostsAreForgotten(policy: String) throws {
    let tier = try tier(policy)
    var random = SeededGenerator(seed: 6)
    var told = 0
    for step in 0..<20_000 {
      let id = ObjectID(1 + random.next(below: 400))
      if step % 11 == 0 { tier.remove(ObjectID(1 + random.next(below: 400))) }
      if step % 500 == 0, tier.count > 0 { _ = tier.giveUp() }
      if tier.access(id, 0) == .hit { continue }
      _ = tier.set(Request(id: id), 0)
      let forgotten = tier.victims.forgotten
      guard forgotten != .none else { continue }
      told += 1
      #expect(!tier.remembers(forgotten))
      #expect((0..<tier.victims.count).allSatisfy { tier.victims[$0] != forgotten })
    }
    #expect(told > 1_000 || policy.hasSuffix("=0"))
  }
}
