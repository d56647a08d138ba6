import LarderPolicies
import Synchronization
import TestSupport
import Testing

@testable import LarderEngine

@Suite(.endsInTime) struct ConcurrentAccessTests {
  /// Every policy of the registry whose hits need no lock, and one with a wider counter.
  private static let policies =
    PolicyRegistry.standard.map(\.description.name).filter { name in
      (try? tier(name))?.hitWords() != nil
    } + ["clock:bits=3"]

  private static func tier(_ policy: String) throws -> CacheTier {
    try PolicyRegistry.makeCacheTier(
      CacheTierSetup(
        policy: try PolicySpec(parsing: policy), entriesMax: 30, bytesMax: nil, objects: 400))
  }

  @Test(arguments: policies)
  func concurrentHitEqualsOrdinaryHit(policy: String) throws {
    let (ordinary, shared) = (try Self.tier(policy), try Self.tier(policy))
    let hits = try #require(shared.hitWords())
    var random = SeededGenerator(seed: 5)
    var count = 0
    for _ in 0..<20_000 {
      // Some objects are requested more often than others.
      let id = ObjectID(1 + min(random.next(below: 400), random.next(below: 60)))
      let outcome = ordinary.access(id, 0)
      #expect(hits.hit(id) == (outcome == .hit))
      if outcome == .hit {
        count += 1
      } else {
        let request = Request(id: id)
        #expect(ordinary.set(request, 0) == shared.set(request, 0))
        let places = 0..<ordinary.victims.count
        #expect(shared.victims.count == places.count)
        #expect(places.allSatisfy { ordinary.victims[$0] == shared.victims[$0] })
      }
    }
    #expect(count > 5_000)
  }

  /// Hits at any time, also while the policy moves the object, keep the policy consistent: it holds
  /// what its tier reports, and evicts all objects one by one.
  @Test(arguments: policies)
  func hitsDuringStoresKeepPolicyConsistent(policy: String) async throws {
    final class Shared: @unchecked Sendable {
      let tier: CacheTier
      let hits: HitWords
      let isOver = Atomic<Bool>(false)
      let found = Atomic<Int>(0)

      init(_ tier: CacheTier, _ hits: HitWords) {
        self.tier = tier
        self.hits = hits
      }
    }
    let made = try Self.tier(policy)
    let shared = Shared(made, try #require(made.hitWords()))
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<2 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(thread))
          while !shared.isOver.load(ordering: .relaxed) {
            for _ in 0..<500 where shared.hits.hit(ObjectID(1 + random.next(below: 400))) {
              shared.found.wrappingAdd(1, ordering: .relaxed)
            }
            // There may be fewer threads than tasks.
            await Task.yield()
          }
        }
      }
      group.addTask {
        var random = SeededGenerator(seed: 9)
        for step in 0..<60_000 {
          let id = ObjectID(1 + random.next(below: 400))
          if step % 7 == 0 {
            shared.tier.remove(id)
          } else if shared.tier.access(id, 0) != .hit {
            _ = shared.tier.set(Request(id: id), 0)
          }
          if step % 1000 == 0 { await Task.yield() }
        }
        while shared.found.load(ordering: .relaxed) == 0 { await Task.yield() }
        shared.isOver.store(true, ordering: .relaxed)
      }
    }
    let tier = shared.tier
    let residents = (1...400).filter { tier.contains(ObjectID($0)) }
    #expect(residents.count == tier.count)
    var given: [Int] = []
    while tier.count > 0 { given.append(Int(tier.giveUp())) }
    #expect(given.sorted() == residents)
  }

  @Test func sharedExpiriesExistAfterBeginExpiries() throws {
    let tier = try Self.tier("sieve")
    #expect(tier.sharedExpiries() == nil)
    #expect(tier.set(Request(id: 2), 0) == .stored)
    tier.beginExpiries()
    #expect(tier.set(Request(id: 1, expires: 10), 0) == .stored)
    let expiries = try #require(tier.sharedExpiries())
    #expect(~expiries[1].load(ordering: .relaxed) == 10)
    #expect(~expiries[2].load(ordering: .relaxed) == Request.noExpiry)
    #expect(tier.access(1, 10) == .expired)
    #expect(!tier.contains(1))
  }

  @Test func listPoliciesHaveNoHitWords() throws {
    #expect(try Self.tier("lru").hitWords() == nil)
    #expect(try Self.tier("gdsf").hitWords() == nil)
  }
}
