import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Limits on the time and the number of loads, which are the same in every cache.
@Suite(.endsInTime) struct LoadLimitTests {
  private let gate = Gate()
  private let entered = Locked<[String]>([])

  private func load(_ keys: [String]) async -> [String: String] {
    entered.withLock { $0 += keys }
    await gate.pass()
    return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0 + "!") })
  }

  private func waiting(_ cache: any LoadingCache, _ count: Int) async {
    while cache.loads.waiting != count { await Task.yield() }
  }

  // MARK: Time

  /// The loader ends only after its cancellation, or not at all.
  @Test(arguments: LoadingKind.allCases, [true, false])
  func hangingLoadTimesOutForAllWaiters(kind: LoadingKind, reacts: Bool) async throws {
    let (cache, gate) = (try kind.make { $0.timeout = .milliseconds(50) }, gate)
    let load: LoadingCache.Loader = { keys in
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        if reacts { gate.open() }
      }
      return Dictionary(uniqueKeysWithValues: keys.map { ($0, "late") })
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          await #expect(throws: LoadError.timedOut(key: "a")) { try await cache.value("a", load) }
        }
        group.addTask {
          await #expect(throws: LoadError.timedOut(key: "b")) {
            try await cache.values(["b", "c"], load)
          }
        }
      }
    }
    #expect(try await cache.value("a") { _ in ["a": "new"] } == "new")
    gate.open()
    for _ in 0..<100 { await Task.yield() }
    #expect(try cache.peek("a") == "new" && cache.peek("c") == nil)
  }

  @Test(arguments: LoadingKind.allCases)
  func waitingLoadTimesOut(kind: LoadingKind) async throws {
    let cache = try kind.make {
      $0.timeout = .milliseconds(50)
      $0.max = 1
    }
    let first = Task { try await cache.value("a") { await load($0) } }
    await gate.hasArrivals(1)
    await #expect(throws: LoadError.waitTimedOut(key: "b")) {
      try await cache.value("b") { await load($0) }
    }
    await #expect(throws: LoadError.waitTimedOut(key: "c")) {
      try await cache.values(["c"]) { await load($0) }
    }
    await #expect(throws: LoadError.timedOut(key: "a")) { try await first.value }
    // The first loader still runs, so its turn is not free.
    await waiting(cache, 0)
    gate.open()
    #expect(try await cache.value("d") { await load($0) } == "d!")
    #expect(entered.withLock { $0 } == ["a", "d"])
  }

  /// The time limit of a load counts from its beginning, not from the beginning of its wait.
  @Test(arguments: LoadingKind.allCases)
  func limitBeginsAnewAfterTheWait(kind: LoadingKind) async throws {
    let limit = Duration.milliseconds(400)
    let cache = try kind.make {
      $0.timeout = limit
      $0.max = 1
    }
    let clock = ContinuousClock()
    // Again if the machine was so slow that the second load did not begin in time.
    for round in 0... {
      let (gate, stuck) = (Gate(), Gate())
      let first = Task {
        try await cache.value("first \(round)") { _ in
          await gate.pass()
          return [:]
        }
      }
      await gate.hasArrivals(1)
      let second = Task {
        try await cache.value("second \(round)") { _ in
          await stuck.pass()
          return [:]
        }
      }
      await waiting(cache, 1)
      try await Task.sleep(for: limit / 2)
      let start = clock.now
      gate.open()
      _ = try? await first.value
      let result = await second.result
      stuck.open()
      if case .failure(LoadError.waitTimedOut) = result { continue }
      #expect(throws: LoadError.timedOut(key: "second \(round)")) { try result.get() }
      #expect(clock.now - start >= limit)
      break
    }
  }

  /// More seconds than a clock can count.
  @Test(
    arguments: LoadingKind.allCases, [HybridCacheConfiguration.whileKept, .seconds(1 << 60) * 8])
  func endlessLimitIsNone(kind: LoadingKind, limit: Duration) async throws {
    gate.open()
    let cache = try kind.make {
      $0.timeout = limit
      $0.max = 1
    }
    #expect(try await cache.value("a") { await load($0) } == "a!")
    #expect(try await cache.values(["b"]) { await load($0) } == ["b": "b!"])
  }

  @Test(arguments: LoadingKind.allCases) func invalidNumbersAreErrors(kind: LoadingKind) {
    #expect(throws: (any Error).self) { try kind.make { $0.timeout = .seconds(-1) } }
    for count in [0, -1, Int.min] {
      #expect(throws: (any Error).self) { try kind.make { $0.max = count } }
    }
  }

  // MARK: Number

  @Test(arguments: LoadingKind.allCases, [1, 2])
  func loadsBeyondTheLimitWaitInOrder(kind: LoadingKind, max: Int) async throws {
    let cache = try kind.make { $0.max = max }
    var requests: [Task<String?, any Error>] = []
    for number in 0..<12 {
      requests.append(Task { try await cache.value("\(number)") { await load($0) } })
      // One request after the other takes its place.
      while gate.arrivals + cache.loads.waiting < number + 1 { await Task.yield() }
    }
    #expect(gate.arrivals == max && cache.loads.waiting == 12 - max)
    gate.open()
    for (number, request) in requests.enumerated() {
      #expect(try await request.value == "\(number)!")
    }
    #expect(entered.withLock { $0.count } == 12)
    if max == 1 { #expect(entered.withLock { $0 } == (0..<12).map { "\($0)" }) }
  }

  @Test(arguments: LoadingKind.allCases)
  func neverMoreLoadsThanTheLimitRun(kind: LoadingKind) async throws {
    let cache = try kind.make { $0.max = 3 }
    let (running, most) = (Locked(0), Locked(0))
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          _ = try await cache.value("\(number)") { _ in
            let count = running.withLock { running in
              running += 1
              return running
            }
            most.withLock { $0 = Swift.max($0, count) }
            await Task.yield()
            running.withLock { $0 -= 1 }
            if number % 7 == 0 { throw CancellationError() }
            return ["\(number)": "value"]
          }
        }
      }
      while let result = await group.nextResult() {
        if case .failure(let error) = result { #expect(error is CancellationError) }
      }
    }
    #expect(most.withLock { $0 } <= 3)
    #expect(cache.loads.counts.cancelled == 29 && cache.loads.counts.failed == 0)
  }

  @Test(arguments: LoadingKind.allCases)
  func waitingLoadIsCancelledWithItsRequest(kind: LoadingKind) async throws {
    let cache = try kind.make { $0.max = 1 }
    let first = Task { try await cache.value("a") { await load($0) } }
    await gate.hasArrivals(1)
    let second = Task { try await cache.value("b") { await load($0) } }
    await waiting(cache, 1)
    let third = Task { try await cache.value("c") { await load($0) } }
    await waiting(cache, 2)
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    await waiting(cache, 1)
    gate.open()
    #expect(try await (first.value, third.value) == ("a!", "c!"))
    #expect(entered.withLock { $0 } == ["a", "c"])
  }

  /// A loader that ignores its cancellation is still running, and counts until it returns.
  @Test(arguments: LoadingKind.allCases)
  func cancelledLoaderCountsUntilItReturns(kind: LoadingKind) async throws {
    let cache = try kind.make { $0.max = 1 }
    let first = Task { try await cache.value("a") { await load($0) } }
    await gate.hasArrivals(1)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    async let second = cache.value("b") { await load($0) }
    await waiting(cache, 1)
    gate.open()
    #expect(try await second == "b!")
  }

  @Test(arguments: LoadingKind.allCases)
  func loadOfSeveralKeysTakesOneTurn(kind: LoadingKind) async throws {
    let cache = try kind.make { $0.max = 2 }
    async let all = cache.values(["a", "b"]) { await load($0) }
    async let one = cache.value("c") { await load($0) }
    await gate.hasArrivals(2)
    async let last = cache.value("d") { await load($0) }
    await waiting(cache, 1)
    gate.open()
    #expect(try await (all.count, one, last) == (2, "c!", "d!"))
  }

  /// With one turn: loads that the running loader requests itself, and one that was waiting for
  /// that turn. Otherwise it would wait for its own end.
  @Test(arguments: LoadingKind.allCases, [false, true])
  func loaderDoesNotWaitForItsOwnTurn(kind: LoadingKind, isBulk: Bool) async throws {
    let (cache, gate) = (try kind.make { $0.max = 1 }, gate)
    async let outer = cache.value("a") { _ in
      await gate.pass()
      let queued =
        isBulk
        ? try await cache.values(["queued"]) { _ in [:] }["queued"]
        : try await cache.value("queued") { _ in [:] }
      let own = try await cache.value("own") { _ in
        ["own": try await cache.value("inner") { _ in ["inner": "3"] } ?? ""]
      }
      let several = try await cache.values(["x", "y"]) { _ in ["x": "10", "y": "20"] }
      return ["a": "\(queued ?? "none") \(own ?? "none") \(several.count)"]
    }
    await gate.hasArrivals(1)
    async let queued = cache.value("queued") { _ in ["queued": "100"] }
    await waiting(cache, 1)
    gate.open()
    #expect(try await (outer, queued) == ("100 3 2", "100"))
  }
}
