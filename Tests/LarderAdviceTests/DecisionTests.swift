import Foundation
import LarderEngine
import LarderPolicies
import LarderTraces
import Testing

@testable import LarderExperiments

/// Today's cache against the proposed one.
@Suite struct DecisionTests {
  private func decision(
    _ trace: PreparedTrace, _ current: String?, capacities: String? = nil, prices: Prices? = nil
  ) throws -> Decision {
    var settings = AdviceSettings(threads: 2)
    settings.learned = nil
    settings.current = try current.map { try CurrentCache(parsing: $0) }
    settings.policies = [try PolicySpec(parsing: "fifo")]
    settings.prices = prices
    settings.capacities = try capacities.map { try CapacitySpec.list(parsing: $0) } ?? []
    return try #require(try Advisor(trace: trace, settings: settings).make().decision)
  }

  private func counts(
    _ policy: String, _ capacity: UInt64, _ trace: PreparedTrace
  ) throws -> Counts {
    let tier = TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: .memory(tier), unit: .bytes, seed: 1), over: trace.requests)
    simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
    return simulation.counts
  }

  /// 30 objects of 500 bytes are requested every 100 seconds, between objects requested once.
  private func scanned() throws -> PreparedTrace {
    var lines = ""
    for place in 0..<6000 {
      let id = place % 3 == 0 ? "page\(place / 3 % 30)" : "scan\(place)"
      lines += "\(place * 4),\(id),500\n"
    }
    return try AdviceStand.csv(lines, format: "csv:time=1:id=2:size=3:time-unit=s")
  }

  @Test func moneyEqualsAnIndependentCount() throws {
    let trace = try scanned()
    var prices = Prices()
    prices.currency = "EUR"
    prices.originPerMillionRequests = 7
    let decision = try decision(trace, "redis:allkeys-lru:983KiB", prices: prices)
    #expect(decision.today.cache == "redis allkeys-lru" && decision.today.capacity == 983 << 10)
    #expect(decision.proposed.cache.hasPrefix("redis allkeys-lfu"), "\(decision.proposed)")
    #expect(decision.gainPoints > 20 && decision.isServer && decision.currency == "EUR")
    for side in [decision.today, decision.proposed] {
      let policy =
        side.cache.contains("lfu-decay-time 60")
        ? "redis-lfu:decay=60"
        : side.cache.contains("lfu-decay-time")
          ? "redis-lfu:decay=10"
          : side.cache.contains("lfu") ? "redis-lfu" : "redis-lru"
      let counts = try counts(policy + ":memory=server", side.capacity, trace)
      #expect(side.hitRatio == Double(counts.hits) / 6000)
      let days = Double(5999 * 4) / 86400
      let misses = Double(6000 - counts.hits)
      #expect(abs((side.originRequestsPerDay ?? 0) / (misses / days) - 1) < 1e-9)
      #expect(abs((side.originBytesPerDay ?? 0) / (misses * 500 / days) - 1) < 1e-9)
      let month =
        misses / days * 30.44 * (7e-6 + 500 * prices.originPerGiB / Prices.gib)
        + Double(side.capacity) / Prices.gib * prices.memoryPerGiBMonth
      #expect(abs((side.monthlyCost ?? 0) / month - 1) < 1e-9)
    }
  }

  /// Each page is requested again after 20 minutes: nginx has evicted it after 10.
  @Test func settingsOfTheServerAreProposed() throws {
    let lines = (0..<600).map { "\($0 * 60),page\($0 % 20),100\n" }.joined()
    let trace = try AdviceStand.csv(lines, format: "csv:time=1:id=2:size=3:time-unit=s")
    let decision = try decision(trace, "nginx:1MiB")
    #expect(decision.today.hitRatio == 0)
    #expect(decision.proposed.cache == "nginx inactive=1h")
    #expect(decision.proposed.hitRatio == 580.0 / 600)
    // A quarter of the size holds everything, too.
    #expect(decision.proposed.capacity == 256 << 10 && decision.other == nil)
    // A TTL of 6 h fetches each page again.
    #expect(decision.ttlSeconds == nil)
  }

  @Test func equalDesignsKeepToday() throws {
    let lines = (0..<400).map { "\($0),page\($0 % 40),100\n" }.joined()
    let trace = try AdviceStand.csv(lines, format: "csv:time=1:id=2:size=3:time-unit=s")
    let decision = try decision(trace, "nginx:2000B")
    #expect(decision.keeps && decision.gainPoints == 0)
    // LRU never hits in a loop; FIFO does not either.
    #expect(decision.proposed == decision.today)
  }

  @Test func withoutACurrentCacheTodayIsLRU() throws {
    let decision = try decision(try scanned(), nil)
    #expect(decision.today.cache == "lru" && decision.isAssumed && !decision.isServer)
    #expect(decision.today.monthlyCost == nil && decision.currency == nil)
  }

  @Test func policyOfALibraryIsCompared() throws {
    let decision = try decision(try scanned(), "fifo:8KiB")
    #expect(decision.today.cache == "fifo" && !decision.isAssumed && !decision.isServer)
    #expect(decision.today.capacity == 8192)
    let simple = try CurrentCache(parsing: "s4-fifo:1MiB").design.candidate.policy
    #expect(simple.values["refuse-large"] == "false")
  }

  /// Nothing hits today, so that no TTL costs anything; the larger cache would lose hits by one.
  @Test func proposalOfAnotherSizeHasThatSizeAndItsTTL() throws {
    let decision = try decision(try scanned(), "lru:8KiB", capacities: "64KiB")
    #expect(decision.today.hitRatio == 0 && decision.proposed.capacity == 64 << 10)
    #expect(decision.proposed.hitRatio > 0.3 && decision.ttlSeconds == nil)
  }

  @Test func timesToLiveAreNeededToEvictByThem() throws {
    let trace = try scanned()
    #expect(throws: AdviceError.current("redis:volatile-ttl:1MiB", "the trace has no TTLs")) {
      _ = try decision(trace, "redis:volatile-ttl:1MiB")
    }
  }

  /// The proposal of a log that is read twice, with the scored part of its requests.
  @Test func plainerKeysAreProposedIfTheyHitMore() throws {
    let lines = { (isPlain: Bool) in
      (0..<600).map { "\($0),page\($0 % 20)\(isPlain ? "" : "-\($0 % 7)"),100\n" }.joined()
    }
    let format = "csv:time=1:id=2:size=3:time-unit=s"
    var settings = AdviceSettings(threads: 2)
    settings.current = try CurrentCache(parsing: "squid:4KiB")
    settings.policies = [try PolicySpec(parsing: "fifo")]
    var advisor = try Advisor(
      trace: try AdviceStand.csv(lines(false), format: format), settings: settings)
    advisor.plainer = (try AdviceStand.csv(lines(true), format: format), "query=drop")
    let decision = try #require(try advisor.make().decision)
    #expect(decision.keyOption == "query=drop" && decision.today.hitRatio == 0)
    #expect(decision.proposed.hitRatio == 1 && decision.scope.hasPrefix("the last 50 %"))
  }

  /// Objects of 30 sizes take 4.8 MB, and the first pages of their classes suffice.
  @Test func memoryBeyondTheSizeIsNotProposed() throws {
    let lines = (0..<450).map { "\($0),page\($0 % 150),\(Int(300 * pow(1.25, Double($0 % 30))))\n" }
    let trace = try AdviceStand.csv(lines.joined(), format: "csv:time=1:id=2:size=3:time-unit=s")
    let decision = try decision(trace, "memcached:4MiB")
    #expect(decision.keeps && decision.today.hitRatio == 300.0 / 450)
  }

  /// A working set that moves: policies that count requests keep what was requested before.
  @Test func everyPolicyOfSquidIsTried() throws {
    let lines = (0..<6000).map { "\($0),page\($0 / 20 + $0 * $0 % 47),4096\n" }
    let trace = try AdviceStand.csv(lines.joined(), format: "csv:time=1:id=2:size=3:time-unit=s")
    let decision = try decision(trace, "squid:heap-lfuda:128KiB")
    #expect(decision.proposed.cache == "squid lru" && decision.gainPoints > 0.2)
  }

  /// The objects take 2 MB.
  @Test func sizeThatIsFarTooLargeIsReducedAtOnce() throws {
    #expect(try decision(try scanned(), "redis:allkeys-lru:1TiB").proposed.capacity == 4 << 20)
  }

  @Test(
    arguments: [
      ("redis:allkeys-lru:8mb", 8 << 20), ("valkey:allkeys-lru:8m", 8_000_000),
      ("redis:allkeys-lru:8MiB", 8 << 20), ("memcached:8", 8 << 20), ("memcached:8m", 8 << 20),
      ("nginx:8g", 8 << 30), ("nginx:8GB", 8_000_000_000), ("lru:8MB", 8_000_000),
      ("varnish:8MB", 8 << 20), ("squid:lru:8GB", 8 << 30),
    ] as [(String, UInt64)])
  func sizesAreAsInTheSettingsOfTheServer(_ text: String, _ bytes: UInt64) throws {
    #expect(try CurrentCache(parsing: text).capacity.amount == .bytes(bytes))
  }

  @Test(arguments: [
    ("redis", "expected a server or policy and a size"), ("redis:", "expected a server"),
    ("redis:4GiB", "redis needs its policy, one of allkeys-lru"),
    ("redis:noeviction:4GiB", "redis evicts by one of allkeys-lru"),
    ("nginx:8Gib4", "it ends with a size"), ("lruu:1GiB", "lruu"),
    ("nginx:inactive=x:1GiB", "inactive"), ("reddis:allkeys-lru:1GiB", "no server 'reddis'"),
    ("redis:allkeys-lru:900KiB", "redis needs at least 951 KiB"),
    ("memcached:1MiB", "memcached needs at least 2048 KiB"), ("memcached:2600KiB", "whole MiB"),
  ])
  func malformedCachesAreRefused(_ text: String, _ message: String) throws {
    let trace = try scanned()
    let error = #expect(throws: (any Error).self) { try decision(trace, text) }
    #expect(error.map { "\($0)".contains(message) } == true, "\(String(describing: error))")
  }
}
