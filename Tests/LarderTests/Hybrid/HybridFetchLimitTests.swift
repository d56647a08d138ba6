import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Limits of fetches: their time, and their number at once.
@Suite(.endsInTime) struct HybridFetchLimitTests {
  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder() }

  private func cache(
    _ change: (inout HybridCacheConfiguration) -> Void = { _ in }
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(memory: 40, disk: 100, clock: clock)
    change(&configuration)
    return try HybridCache(path: folder.path, configuration: configuration)
  }

  // MARK: Time

  @Test(arguments: [false, true]) func slowFetchFailsAndIsNotStored(isBulk: Bool) async throws {
    let (cache, gate) = (try cache { $0.fetchTimeout = .milliseconds(1) }, Gate())
    let key = "a"
    await #expect {
      if isBulk {
        _ = try await cache.values(for: [key]) { _ in
          await gate.pass()
          return [key: 1]
        }
      } else {
        _ = try await cache.value(for: key) { _ in
          await gate.pass()
          return 1
        }
      }
    } throws: { error in
      if case HybridCacheError.fetchTimedOut("a") = error { true } else { false }
    }
    #expect(cache.statistics.fetchFailures == 1)
    gate.open()
    #expect(try cache.value(for: key) == nil)
    #expect(try await cache.value(for: key) { _ in 2 } == 2)
  }

  @Test func slowFetchIsReplacedByAStaleValue() async throws {
    let gate = Gate()
    let cache = try cache {
      $0.fetchTimeout = .milliseconds(1)
      $0.staleIfError = .seconds(60)
    }
    try cache.set(7, for: "a", options: DiskStoreOptions(timeToLive: .seconds(5)))
    clock.advance(seconds: 6)
    let result = await cache.result(for: "a") { _ in
      await gate.pass()
      return .value(8)
    }
    #expect(result.value == 7 && result.kind.hasSuffix("stale"))
    gate.open()
  }

  @Test func fetchWithinTheLimitIsStored() async throws {
    let cache = try cache { $0.fetchTimeout = .seconds(3600) }
    #expect(try await cache.value(for: "a") { _ in 1 } == 1)
    #expect(try await cache.values(for: ["a", "b"]) { _ in ["b": 2] } == ["a": 1, "b": 2])
    #expect(try cache.value(for: "b") == 2)
  }

  @Test func endlessLimitIsNone() async throws {
    let cache = try cache {
      $0.fetchTimeout = HybridCacheConfiguration.whileKept
      $0.refreshTimeout = HybridCacheConfiguration.whileKept
      $0.fetchesMax = 1
    }
    #expect(try await cache.value(for: "a") { _ in 1 } == 1)
    #expect(try await cache.values(for: ["b"]) { _ in ["b": 2] } == ["b": 2])
  }

  /// The place of a fetch that ignores its cancellation is not free.
  @Test func fetchThatNeverBeganSaysSo() async throws {
    let gate = Gate()
    let cache = try cache {
      $0.fetchTimeout = .milliseconds(50)
      $0.fetchesMax = 1
    }
    let first = Task {
      try await cache.value(for: "a") { _ in
        await gate.pass()
        return 1
      }
    }
    await gate.hasArrivals(1)
    for isBulk in [false, true] {
      await #expect {
        if isBulk {
          _ = try await cache.values(for: ["b"]) { _ in [:] }
        } else {
          _ = try await cache.value(for: "b") { _ in 2 }
        }
      } throws: { error in
        if case HybridCacheError.waitTimedOut("b") = error { true } else { false }
      }
    }
    _ = await first.result
    gate.open()
  }

  @Test func configurationFromLimitsRemembersAbsences() {
    let configuration = HybridCacheConfiguration(
      memory: MemoryCacheLimits(count: 1), disk: DiskLimits(count: 1), negativeLife: .seconds(9))
    #expect(configuration.negativeLife == .seconds(9))
  }

  @Test func invalidLimitsAreErrors() {
    #expect(throws: HybridCacheError.self) { try cache { $0.fetchTimeout = .seconds(-1) } }
    #expect(throws: HybridCacheError.self) { try cache { $0.negativeLife = .seconds(-1) } }
    for count in [0, -1, Int.min] {
      #expect(throws: HybridCacheError.self) { try cache { $0.fetchesMax = count } }
    }
  }

  // MARK: Number

  @Test func fetchesWaitInTheOrderOfTheirRequests() async throws {
    let (cache, gate) = (try cache { $0.fetchesMax = 2 }, Gate())
    let order = Locked<[String]>([])
    var requests: [Task<Int, any Error>] = []
    for number in 0..<20 {
      requests.append(
        Task {
          try await cache.value(for: "\(number)") { request in
            order.withLock { $0.append(request.key) }
            await gate.pass()
            return number
          }
        })
      // One request after the other takes its place.
      while gate.arrivals + (cache.queue?.waitingCount ?? 0) < number + 1 { await Task.yield() }
    }
    await gate.hasArrivals(2)
    for _ in 0..<100 { await Task.yield() }
    #expect(gate.arrivals == 2 && cache.queue?.waitingCount == 18)
    gate.open()
    for (number, request) in requests.enumerated() { #expect(try await request.value == number) }
    #expect(Set(order.withLock { $0.prefix(2) }) == ["0", "1"])
    #expect(order.withLock { $0.count } == 20)
  }

  @Test func queueIsFirstInFirstOut() async throws {
    let (cache, gate) = (try cache { $0.fetchesMax = 1 }, Gate())
    let order = Locked<[Int]>([])
    var requests: [Task<Int, any Error>] = []
    for number in 0..<10 {
      requests.append(
        Task {
          try await cache.value(for: "\(number)") { _ in
            order.withLock { $0.append(number) }
            await gate.pass()
            return number
          }
        })
      while gate.arrivals + (cache.queue?.waitingCount ?? 0) < number + 1 { await Task.yield() }
    }
    gate.open()
    for request in requests { _ = try await request.value }
    #expect(order.withLock { $0 } == Array(0..<10))
  }

  @Test func cancelledFetchLeavesTheQueue() async throws {
    let (cache, gate) = (try cache { $0.fetchesMax = 1 }, Gate())
    async let first = cache.value(for: "a") { _ in
      await gate.pass()
      return 1
    }
    await gate.hasArrivals(1)
    let waiting = Task { try await cache.value(for: "b") { _ in 2 } }
    while cache.queue?.waitingCount != 1 { await Task.yield() }
    async let last = cache.value(for: "c") { _ in 3 }
    while cache.queue?.waitingCount != 2 { await Task.yield() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    gate.open()
    #expect(try await first == 1)
    #expect(try await last == 3)
    #expect(try cache.value(for: "b") == nil)
  }

  @Test func bulkLoadTakesOneTurn() async throws {
    let (cache, gate) = (try cache { $0.fetchesMax = 2 }, Gate())
    async let bulk = cache.values(for: ["a", "b", "c"]) { _ in
      await gate.pass()
      return ["a": 1]
    }
    async let single = cache.value(for: "d") { _ in
      await gate.pass()
      return 4
    }
    await gate.hasArrivals(2)
    async let last = cache.value(for: "e") { _ in 5 }
    while cache.queue?.waitingCount != 1 { await Task.yield() }
    gate.open()
    #expect(try await last == 5)
    #expect(try await bulk == ["a": 1])
    #expect(try await single == 4)
    #expect(try await cache.values(for: ["a", "d"]) { _ in [:] } == ["a": 1, "d": 4])
  }

  /// With one turn: fetches that the running loader requests itself, and one that was waiting for
  /// that turn.
  @Test func loaderDoesNotWaitForItsOwnTurn() async throws {
    let (cache, gate) = (try cache { $0.fetchesMax = 1 }, Gate())
    async let outer = cache.value(for: "a") { _ in
      await gate.pass()
      let queued = try await cache.value(for: "queued") { _ in -1 }
      let own = try await cache.value(for: "own") { _ in
        try await cache.value(for: "inner") { _ in 3 }
      }
      let several = try await cache.values(for: ["x", "y"]) { _ in ["x": 10, "y": 20] }
      return queued + own + several.values.reduce(0, +)
    }
    await gate.hasArrivals(1)
    async let queued = cache.value(for: "queued") { _ in 100 }
    while cache.queue?.waitingCount != 1 { await Task.yield() }
    gate.open()
    #expect(try await outer == 133)
    #expect(try await queued == 100)
  }

  /// A loader that ignores its cancellation is still running, and counts until it returns.
  @Test func cancelledLoaderCountsUntilItReturns() async throws {
    let (cache, gate) = (try cache { $0.fetchesMax = 1 }, Gate())
    let first = Task {
      try await cache.value(for: "a") { _ in
        await gate.pass()
        return 1
      }
    }
    await gate.hasArrivals(1)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    async let second = cache.value(for: "b") { _ in 2 }
    while cache.queue?.waitingCount != 1 { await Task.yield() }
    gate.open()
    #expect(try await second == 2)
  }
}
