import Synchronization
import TestSupport
import Testing

@testable import LarderEngine
@testable import LarderPolicies

/// MRU that stores no object with an odd number, and counts what it is asked to do.
private struct HalfMRU: OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "half-mru", family: .recency, summary: "MRU for even numbers.", paper: "none")
  static let calls = Mutex(0)

  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  var victim: ObjectID {
    HalfMRU.calls.withLock { $0 += 1 }
    return list.front()
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    HalfMRU.calls.withLock { $0 += 1 }
    // By fingerprint: a simulation has ids of its own.
    return request.fingerprint & 1 == 0
  }
}

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

  @Test(arguments: [
    (32_767, "auto", "lirs"), (32_768, "auto", "w-tinylfu"),
    (32_768, "auto:policies=arc/lru", "arc"),
  ])
  func largeCacheStartsWithTheFastest(entriesMax: Int, spec: String, leader: String) throws {
    let choice = try #require(try tier(spec, entriesMax: entriesMax).choice)
    #expect(choice.leader.hasPrefix(leader) && choice.switches == 0)
  }

  /// LRU and MRU have no ghosts: `auto` remembers what they evict. A large cache does so no longer
  /// after its policy has led for 16 requests per object, if that is the better one.
  @Test(arguments: [
    (32_767, "mru/lru", true), (32_768, "mru/lru", false), (32_768, "lru/mru", true),
  ])
  func largeCacheRestsFromGhosts(entriesMax: Int, policies: String, hasGhosts: Bool) throws {
    let tier = try PolicyRegistry.makeCacheTier(
      CacheTierSetup(
        policy: try PolicySpec(parsing: "auto:policies=\(policies):margin=1:half-life=1"),
        entriesMax: entriesMax, bytesMax: nil, objects: 40_000))
    loop(tier, objects: 40_000, requests: 500_000)
    #expect(ghosts(tier) > 5_000)
    loop(tier, objects: 40_000, requests: 500_000)
    let choice = try #require(tier.choice)
    #expect(choice.switches == 0)
    #expect(hasGhosts ? ghosts(tier) > 5_000 : ghosts(tier) == 0)
  }

  private func ghosts(_ tier: CacheTier) -> Int {
    (1...40_000).count { !tier.contains(ObjectID($0)) && tier.remembers(ObjectID($0)) }
  }

  @Test(arguments: [50, 99, 101, 400])
  func changedLimitKeepsWhatFits(entriesMax: Int) throws {
    var tier = try tier("auto:shadow=20", entriesMax: 100)
    loop(tier, objects: 100, requests: 1000)
    try resize(&tier, "auto:shadow=20", entriesMax, .objects)
    #expect(tier.count == min(100, entriesMax))
    loop(tier, objects: 1000, requests: 5000)
    #expect(tier.count == entriesMax)
  }

  private func resize(
    _ tier: inout CacheTier, _ spec: String, _ capacity: Int, _ unit: CapacityUnit
  ) throws {
    try PolicyRegistry.resize(
      &tier,
      to: CacheTierSetup(
        policy: try PolicySpec(parsing: spec), entriesMax: unit == .objects ? capacity : nil,
        bytesMax: unit == .bytes ? UInt64(capacity) : nil, objects: 5000))
    while tier.isChanging { tier.moveWaiting { Request.fingerprint(of: $0) } }
  }

  @Test(arguments: ["1000", "75", "20"], [CapacityUnit.objects, .bytes])
  func changedLimitKeepsTheChoice(shadow: String, unit: CapacityUnit) throws {
    let spec = "auto:policies=lru/mru:shadow=\(shadow)"
    let size = unit == .objects ? 1 : 7
    var tier = try tier(
      spec, entriesMax: unit == .objects ? 100 : nil, bytesMax: unit == .bytes ? 700 : nil)
    loop(tier, objects: 190, requests: 20_000, size: UInt32(size))
    let before = try #require(tier.choice)
    #expect(before.leader == "mru" && before.switches == 1)
    for capacity in [160, 80, 10] {
      try resize(&tier, spec, capacity * size, unit)
      let after = try #require(tier.choice)
      #expect(after.leader == "mru" && after.switches == 1)
      for (ratio, old) in zip(after.hitRatios, before.hitRatios) {
        #expect(abs(ratio - old) < 1e-9)
      }
      let requests = (before.samples / before.sampleShare, after.samples / after.sampleShare)
      #expect(abs(requests.0 - requests.1) < 1)
    }
    try resize(&tier, spec, 160 * size, unit)
    // LRU has no hit.
    #expect(loop(tier, objects: 190, requests: 1900, size: UInt32(size)) > 1200)
    #expect(try #require(tier.choice).switches == 1)
  }

  @Test func onlyTheChoiceOfThePortfolioIsKept() throws {
    let tier = try tier("auto:policies=lru/mru", entriesMax: 100)
    loop(tier, objects: 120, requests: 12_000)
    let choice = try #require(tier.choice)
    for policies in ["mru/lru", "lru", "lru/mru/lfu", "lru/clock(bits=2)"] {
      let other = try self.tier("auto:policies=\(policies)", entriesMax: 100)
      let fresh = other.choice
      other.setRestoring(true, choice: choice)
      other.setRestoring(false, choice: choice)
      #expect(other.choice == fresh)
    }
  }

  @Test(arguments: NaivePolicies.specs(of: "auto"), [CapacityUnit.objects, .bytes])
  func changingLimitsAgreeWithTheModel(spec: String, unit: CapacityUnit) throws {
    var random = TestRandom(seed: 5)
    var switches = 0
    for _ in 0..<TestEffort.rounds(8, atLeast: 2) {
      func capacity() -> Int { 1 + random.below(unit == .objects ? 60 : 600) }
      func model(_ capacity: Int) throws -> NaiveMember {
        try NaiveMember(
          PolicySpec(parsing: spec), UInt64(capacity),
          PolicySetup(
            capacity: UInt64(capacity), unit: unit, objects: 5000, seed: 0,
            spec: try PolicySpec(parsing: spec)))
      }
      let first = capacity()
      var naive = try model(first)
      var tier = try tier(
        spec, entriesMax: unit == .objects ? first : nil,
        bytesMax: unit == .bytes ? UInt64(first) : nil)
      for index in 0..<2000 {
        if random.oneIn(250) {
          let next = capacity()
          try resize(&tier, spec, next, unit)
          naive.change(to: try model(next))
        }
        // A loop and random requests in turns.
        let id = ObjectID(
          1 + (index / 300 % 2 == 0 ? index % 50 : random.below(random.below(200) + 1)))
        if random.oneIn(50) {
          tier.remove(id)
          naive.remove(id)
        } else {
          let isHit = tier.access(id, 0) == .hit
          #expect(naive.access(id, 0) == isHit)
          if !isHit || random.oneIn(8) {
            var request = Request(id: id, size: unit == .objects ? 1 : UInt32(1 + random.below(30)))
            request.cost = Float(1 + random.below(5))
            #expect((tier.set(request, 0) == .rejected) == (naive.set(request, 0) == .rejected))
          }
        }
        let auto = try #require(naive.policy as? NaiveAuto)
        let choice = try #require(tier.choice)
        let model = (naive.copies.count, naive.contains(id), auto.leading, auto.switches)
        let real = (tier.count, tier.contains(id), choice.leading, choice.switches)
        guard model == real else {
          Issue.record("request \(index): \(real), not \(model)")
          return
        }
        switches = max(switches, choice.switches)
      }
    }
    // The others wait for more requests.
    #expect(switches > 0 || !spec.hasSuffix("margin=0"))
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

  @Test func policyThatCannotLeadIsAnError() throws {
    let spec = try PolicySpec(parsing: "auto:policies=lru-k(k=8)/lru")
    #expect(throws: PolicyError.self) {
      try PolicyProbe(spec, capacity: 10, objects: 800_000_000)
    }
  }

  #if compiler(>=6.2)
    /// A policy that refuses half of a large cache, and one that takes it back: a request moves and
    /// evicts a few objects, whatever their number. An added policy stays, so in a process.
    @Test func changeOfTheLeaderTakesManyShortCalls() async {
      await #expect(processExitsWith: .success) {
        try PolicyRegistry.add(HalfMRU.self)
        let objects = 10_000
        let tier = try PolicyRegistry.makeCacheTier(
          CacheTierSetup(
            policy: try PolicySpec(parsing: "auto:policies=lru/half-mru"), entriesMax: objects,
            bytesMax: nil, objects: 3 * objects))
        var most = 0
        func request(_ id: Int) throws {
          let before = HalfMRU.calls.withLock { $0 }
          if tier.access(ObjectID(id), 0) != .hit { _ = tier.set(Request(id: ObjectID(id)), 0) }
          most = max(most, HalfMRU.calls.withLock { $0 } - before)
          try #require(tier.victims.count <= 64 + 1)
        }
        for index in 0..<6 * objects { try request(1 + index % (objects * 3 / 2)) }
        try #require(tier.choice?.switches == 1 && tier.count < objects * 4 / 5)
        for index in 0..<10 * objects { try request(1 + index % (objects / 8)) }
        try #require(tier.choice?.switches == 2)
        // A refused object is offered twice.
        try #require(most > 64 && most <= 3 * 64)
      }
    }
  #endif
}
