import LarderPolicies
import Testing

@testable import LarderEngine

/// Ghosts in slots, as real caches drive them.
@Suite struct GhostSlotTests {
  private func tier(
    _ policy: String, entriesMax: Int? = nil, bytesMax: UInt64? = nil
  ) throws -> CacheTier {
    let tier = try PolicyRegistry.makeCacheTier(setup(policy, entriesMax, bytesMax))
    #expect(tier.placeGhosts())
    return tier
  }

  private func setup(
    _ policy: String, _ entriesMax: Int?, _ bytesMax: UInt64?
  ) throws -> CacheTierSetup {
    CacheTierSetup(
      policy: try PolicySpec(parsing: policy), entriesMax: entriesMax, bytesMax: bytesMax,
      objects: 100)
  }

  /// A set of a waiting object evicts one that has moved: its id is free once it is settled.
  @Test func victimOfTheOtherPolicyIsSettledByItsOwn() throws {
    var tier = try tier("s3-fifo", bytesMax: 100)
    for id: ObjectID in 1...65 { _ = tier.set(Request(id: id, expires: 1000), 0) }
    try tier.resize(setup("s3-fifo", nil, 66))
    tier.moveWaiting { _ in 0 }
    #expect(tier.set(Request(id: 65, size: 3), 2000) == .stored)
    #expect(tier.victims.count == 1 && tier.victims[0] == 1 && tier.victims.move == nil)
    #expect(tier.settle(1).outcome == .full)
    tier.repackGhosts(64) { _, _ in }
    #expect(tier.settle(1).outcome == .ghost && !tier.remembers(1))
    #expect(tier.set(Request(id: 1), 2000) == .stored)
  }

  /// A cache makes a quarter more slots than ghosts, of at most `ghostPlacesMax`.
  @Test func ghostsAreNoMoreThanSlots() throws {
    let tier = try tier("s3-fifo:ghost=100", entriesMax: 2_000_000)
    #expect(tier.ghostsMax == ThreeQueues.ghostPlacesMax / 2)
  }
}
