import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Limits on the time and the number of loads.
@Suite(.endsInTime) struct MemoryLoadLimitTests {
  private struct Failure: Error, Equatable {}
  private typealias Cache = MemoryCache<String, String>

  private let gate = Gate()
  private let entered = Locked<[String]>([])

  private func cache(timeout: Duration? = nil, max: Int? = nil) throws -> Cache {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 100), shards: 1, loadTimeout: timeout, loadsMax: max))
  }

  private func load(_ key: String) async -> String {
    entered.withLock { $0.append(key) }
    await gate.pass()
    return key + "!"
  }

  private func started(_ cache: Cache, _ count: UInt64) async {
    while cache.loadCounts.started < count { await Task.yield() }
  }

  private func queued(_ cache: Cache, _ count: Int) async {
    while cache.loads.queue?.waitingCount != count { await Task.yield() }
  }

  // MARK: Time

  /// The loader ends only after its cancellation, or not at all.
  @Test(arguments: [true, false])
  func hangingLoadTimesOutForAllWaiters(reactsToCancellation: Bool) async throws {
    let cache = try cache(timeout: .milliseconds(50))
    let gate = gate
    let error = MemoryLoadError.timedOut(key: "a")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          await #expect(throws: error) {
            try await cache.value(for: "a") { key in
              await withTaskCancellationHandler {
                await gate.pass()
              } onCancel: {
                if reactsToCancellation { gate.open() }
              }
              return "late"
            }
          }
        }
      }
    }
    #expect(cache.loadCounts.failed == cache.loadCounts.started)
    #expect(!cache.loads.areUnderWay)
    #expect(try await cache.value(for: "a") { _ in "new" } == "new")
    gate.open()
    for _ in 0..<100 { await Task.yield() }
    #expect(cache.peek("a") == "new")
  }

  @Test func hangingBulkLoadTimesOutForEachKey() async throws {
    let cache = try cache(timeout: .milliseconds(50))
    let gate = gate
    let all = Task {
      try await cache.values(for: ["a", "b"]) { _ in
        await gate.pass()
        return [:]
      }
    }
    await gate.hasArrivals(1)
    await #expect(throws: MemoryLoadError.timedOut(key: "b")) {
      try await cache.value(for: "b") { key in
        await gate.pass()
        return key
      }
    }
    await #expect(throws: MemoryLoadError.timedOut(key: "a")) { try await all.value }
    gate.open()
    #expect(cache.count == 0)
  }

  @Test func loadThatEndsInTimeIsNotAffected() async throws {
    let cache = try cache(timeout: .seconds(1_000))
    #expect(try await cache.value(for: "a") { $0 } == "a")
    await #expect(throws: Failure()) { try await cache.value(for: "b") { _ in throw Failure() } }
    #expect(cache.loadCounts.failed == 1)
  }

  // MARK: Number

  @Test func loadsBeyondTheLimitWaitInOrder() async throws {
    let cache = try cache(max: 2)
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<6 {
        group.addTask { try await cache.value(for: "\(number)") { await load($0) } }
        await started(cache, UInt64(number + 1))
        if number < 2 {
          await gate.hasArrivals(number + 1)
        } else {
          await queued(cache, number - 1)
        }
      }
      #expect(entered.withLock { $0 } == ["0", "1"])
      gate.open()
      let values = try await group.reduce(into: Set()) { $0.insert($1) }
      #expect(values.count == 6)
    }
    #expect(entered.withLock { $0.sorted() } == ["0", "1", "2", "3", "4", "5"])
    #expect(cache.loads.queue?.waitingCount == 0)
  }

  @Test func neverMoreLoadsThanTheLimitRun() async throws {
    let cache = try cache(max: 3)
    let (running, most) = (Locked(0), Locked(0))
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          _ = try await cache.value(for: "\(number)") { key in
            let count = running.withLock { running in
              running += 1
              return running
            }
            most.withLock { $0 = max($0, count) }
            await Task.yield()
            running.withLock { $0 -= 1 }
            if number % 7 == 0 { throw CancellationError() }
            return key
          }
        }
      }
      while let result = await group.nextResult() {
        if case .failure(let error) = result { #expect(error is CancellationError) }
      }
    }
    #expect(most.withLock { $0 } <= 3)
    #expect(cache.loadCounts.failed == 29 && cache.count == 100)
  }

  @Test func waitingLoadIsCancelledWithItsRequest() async throws {
    let cache = try cache(max: 1)
    let first = Task { try await cache.value(for: "a") { await load($0) } }
    await gate.hasArrivals(1)
    let second = Task { try await cache.value(for: "b") { await load($0) } }
    await queued(cache, 1)
    let third = Task { try await cache.value(for: "c") { await load($0) } }
    await queued(cache, 2)
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    await queued(cache, 1)
    gate.open()
    #expect(try await first.value == "a!")
    #expect(try await third.value == "c!")
    #expect(entered.withLock { $0 } == ["a", "c"])
  }

  @Test func waitingLoadTimesOut() async throws {
    let cache = try cache(timeout: .milliseconds(50), max: 1)
    let first = Task { try await cache.value(for: "a") { await load($0) } }
    await gate.hasArrivals(1)
    await #expect(throws: MemoryLoadError.waitTimedOut(key: "b")) {
      try await cache.value(for: "b") { await load($0) }
    }
    await #expect(throws: MemoryLoadError.timedOut(key: "a")) { try await first.value }
    // The first loader still runs, so its turn is not free.
    await queued(cache, 0)
    gate.open()
    #expect(try await cache.value(for: "c") { $0 } == "c")
    #expect(entered.withLock { $0 } == ["a"])
  }

  /// The time limit of a load counts from its beginning, not from the beginning of its wait.
  @Test func limitBeginsAnewAfterTheWait() async throws {
    let limit = Duration.milliseconds(400)
    let cache = try cache(timeout: limit, max: 1)
    let clock = ContinuousClock()
    // Again if the machine was so slow that the second load did not begin in time.
    for round in 0... {
      let (gate, stuck) = (Gate(), Gate())
      let first = Task {
        try await cache.value(for: "first \(round)") { key in
          await gate.pass()
          return key
        }
      }
      await gate.hasArrivals(1)
      let second = Task {
        try await cache.value(for: "second \(round)") { key in
          await stuck.pass()
          return key
        }
      }
      await queued(cache, 1)
      try await Task.sleep(for: limit / 2)
      let start = clock.now
      gate.open()
      _ = try? await first.value
      let result = await second.result
      stuck.open()
      if case .failure(MemoryLoadError.waitTimedOut) = result { continue }
      #expect(throws: MemoryLoadError.timedOut(key: "second \(round)")) { try result.get() }
      #expect(clock.now - start >= limit)
      break
    }
  }

  /// As `HybridCacheConfiguration.whileKept` is; more seconds than a clock can count.
  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 8])
  func endlessLimitIsNone(limit: Duration) async throws {
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: 100), loadTimeout: limit, loadsMax: 1)
    configuration.refreshTimeout = limit
    let cache = try Cache(configuration)
    #expect(try await cache.value(for: "a") { $0 + "!" } == "a!")
    #expect(try await cache.values(for: ["b"]) { _ in ["b": "c"] } == ["b": "c"])
    LoadingMemoryCache(cache) { _ in "new" }.refresh("a")
    while cache.peek("a") != "new" { await Task.yield() }
  }

  @Test func bulkLoadIsOneLoad() async throws {
    let cache = try cache(max: 1)
    let all = Task {
      try await cache.values(for: ["a", "b"]) { keys in
        await gate.pass()
        return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
      }
    }
    await gate.hasArrivals(1)
    let one = Task { try await cache.value(for: "c") { await load($0) } }
    await queued(cache, 1)
    gate.open()
    #expect(try await all.value.count == 2)
    #expect(try await one.value == "c!")
  }

  /// Otherwise it would wait for its own end.
  @Test func loaderIsNotBlockedByItsOwnLoad() async throws {
    let cache = try cache(max: 1)
    let value = try await cache.value(for: "a") { _ in
      let inner = try await cache.value(for: "b") { key in
        try await cache.values(for: ["c", "d"]) { keys in
          Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
        }.keys.sorted().joined() + key
      }
      return inner + "a"
    }
    #expect(value == "cdba")
    #expect(try await cache.value(for: "e") { $0 } == "e")
  }

  @Test(arguments: [true, false]) func joinedLoadDoesNotWaitForItsTurn(isBulk: Bool) async throws {
    let cache = try cache(max: 1)
    let first = Task {
      try await cache.value(for: "a") { _ in
        await gate.pass()
        if isBulk { return try await cache.values(for: ["b"]) { _ in [:] }["b"] ?? "none" }
        return try await cache.value(for: "b") { _ in "not called" }
      }
    }
    await gate.hasArrivals(1)
    let second = Task { try await cache.value(for: "b") { $0 + "!" } }
    await queued(cache, 1)
    gate.open()
    #expect(try await first.value == "b!")
    #expect(try await second.value == "b!")
  }

  @Test func invalidNumbersAreErrors() throws {
    for (timeout, max) in [(Duration.zero, nil), (.seconds(-1), nil), (nil, 0), (nil, -1)]
      as [(Duration?, Int?)]
    {
      #expect(throws: MemoryCacheError.self) { try cache(timeout: timeout, max: max) }
    }
    _ = try cache(timeout: .seconds(Int64.max) * 8, max: .max)
  }
}
