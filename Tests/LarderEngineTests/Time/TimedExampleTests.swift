import LarderEngine
import LarderPolicies
import Testing

@Suite struct TimedExampleTests {
  /// Requests written as `a0 b12`: an object and a time in microseconds.
  private static func counts(
    _ text: String, policy: String, capacity: UInt64, _ model: FetchModel
  ) throws -> Counts {
    try counts(
      text, .memory(TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)), model)
  }

  private static func counts(
    _ text: String, _ arrangement: Arrangement, _ model: FetchModel
  ) throws -> Counts {
    let requests = try text.split(separator: " ").map { word in
      let letter = try #require(word.first?.asciiValue)
      return (id: ObjectID(letter - 96), time: try #require(UInt64(word.dropFirst())))
    }
    let ids = Column<ObjectID>(objects: requests.count)
    let times = Column<UInt64>(objects: requests.count)
    for (place, request) in requests.enumerated() {
      ids[ObjectID(place)] = request.id
      times[ObjectID(place)] = request.time
    }
    let columns = RequestColumns(
      count: requests.count, objects: 26, ids: ids.view, times: times.view, owner: nil)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: arrangement, unit: .objects, time: model),
      over: columns)
    simulation.run(upTo: requests.count, untilFirstEviction: false)
    let counts = simulation.counts
    _ = (ids.bytes, times.bytes)
    return counts
  }

  /// One slot, fetches of 10 us. a misses at 0 and is resident at 10: the requests at 1 and 2 wait
  /// 9 and 8. b replaces a at 30, so a misses at 30.
  @Test func delayedHitsWaitForTheRest() throws {
    let counts = try Self.counts(
      "a0 a1 a2 b20 a25 a30 b35", policy: "lru", capacity: 1, try FetchModel(latencies: [10]))
    let time = try #require(counts.time)
    #expect(counts.hits == 2 && time.delayedHits == 2 && time.originFetches == 3)
    #expect(time.totalLatency == 10 + 9 + 8 + 10 + 10 && time.maxInFlight == 1)
    #expect(time.p50Latency == 9 && time.p90Latency == 10 && time.p99Latency == 10)
  }

  /// Without coalescing every request fetches separately: the first result is stored.
  @Test func withoutCoalescing() throws {
    let counts = try Self.counts(
      "a0 a1 a2 a10 a11 b20", policy: "lru", capacity: 1,
      try FetchModel(latencies: [10], coalesces: false))
    let time = try #require(counts.time)
    #expect(counts.hits == 2 && time.delayedHits == 0 && time.originFetches == 4)
    #expect(time.totalLatency == 40 && time.maxInFlight == 3)
  }

  /// One server: the second fetch starts when the first has ended, at 10, the third at 20.
  @Test func fetchesQueue() throws {
    let counts = try Self.counts(
      "a0 b0 c5 c20 c30", policy: "lru", capacity: 3,
      try FetchModel(latencies: [10], servers: 1))
    let time = try #require(counts.time)
    #expect(counts.hits == 1 && time.delayedHits == 1 && time.maxInFlight == 3)
    #expect(time.totalLatency == 10 + 20 + 25 + 10)
  }

  /// Two slots. At 30, b is stored. a has caused delays of 10 + 9 + 8 in one window and was last
  /// requested at 2: 27 / 29. c has caused 10, last at 12: 10 / 19. So c is evicted; LRU evicts a.
  @Test func lruMadKeepsObjectWithManyWaiters() throws {
    let requests = "a0 a1 a2 c12 b20 a31"
    let model = try FetchModel(latencies: [10])
    #expect(try Self.counts(requests, policy: "lru-mad", capacity: 2, model).hits == 1)
    #expect(try Self.counts(requests, policy: "lru", capacity: 2, model).hits == 0)
  }

  /// Fetches of 10 us, reads of 4. a is in memory at 10, b replaces it at 30, and a is on disk. The
  /// read of a at 40 ends at 44: the request at 41 waits 3 for it, and that at 44 finds a in
  /// memory. b is then read at 50.
  @Test(arguments: [HybridRules.Inclusion.inclusive, .exclusive])
  func readsFromDiskTakeTime(inclusion: HybridRules.Inclusion) throws {
    let lru = try PolicySpec(parsing: "lru")
    let counts = try Self.counts(
      "a0 a5 a15 b20 a40 a41 a44 b50",
      .hybrid(
        memory: TierSetup(policy: lru, capacity: 1), disk: TierSetup(policy: lru, capacity: 2),
        rules: HybridRules(inclusion: inclusion)),
      try FetchModel(latencies: [10], diskLatencies: [4]))
    let time = try #require(counts.time)
    #expect(counts.memoryHits == 2 && counts.diskHits == 2 && time.originFetches == 2)
    #expect(time.delayedHits == 2 && time.maxInFlight == 1 && counts.promotions == 1)
    #expect(time.totalLatency == 10 + 5 + 10 + 4 + 3 + 4)
    #expect(counts.demotions == (inclusion == .exclusive ? 2 : 0))
  }

  /// A single disk: each hit is a read of 4 us, and the request at 12 waits for that of 11.
  @Test func hitsOnADiskAreReads() throws {
    let lru = try PolicySpec(parsing: "lru")
    let counts = try Self.counts(
      "a0 a11 a12 a15", .disk(TierSetup(policy: lru, capacity: 1)),
      try FetchModel(latencies: [10], diskLatencies: [4]))
    let time = try #require(counts.time)
    #expect(counts.diskHits == 2 && time.delayedHits == 1 && time.originFetches == 1)
    #expect(time.totalLatency == 10 + 4 + 3 + 4)
  }

  @Test func boundsAreRefused() throws {
    let model = try FetchModel(latencies: [10])
    #expect(throws: PolicyError.self) {
      try Self.counts("a0", policy: "pfoo-u", capacity: 1, model)
    }
  }
}
