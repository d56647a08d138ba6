import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// What loads promise in every cache: one load for all requests of a key, errors and absences,
/// changes of a key meanwhile, and reloads in the background.
@Suite(.endsInTime) struct LoadingContractTests {
  private struct Failure: Error, Equatable {}

  private let clock = ManualClock(seconds: 1000)
  private let gate = Gate()
  private let asked = Locked<[[String]]>([])

  /// A loader that records its keys, and has no value for keys that begin with "no".
  private func answers(_ keys: [String]) -> [String: String] {
    asked.withLock { $0.append(keys) }
    return Dictionary(
      uniqueKeysWithValues: keys.filter { !$0.hasPrefix("no") }.map { ($0, $0 + "!") })
  }

  private func joined(_ cache: any LoadingCache, _ count: UInt64 = 1) async {
    while cache.loads.counts.joined < count { await Task.yield() }
  }

  // MARK: One load

  @Test(arguments: LoadingKind.allCases) func missLoadsAndHitDoesNot(kind: LoadingKind) async throws
  {
    let cache = try kind.make()
    for _ in 0..<3 { #expect(try await cache.value("a") { answers($0) } == "a!") }
    #expect(asked.withLock { $0 } == [["a"]] && cache.loads.counts.started == 1)
    #expect(try cache.peek("a") == "a!")
  }

  @Test(arguments: LoadingKind.allCases)
  func concurrentRequestsShareOneLoad(kind: LoadingKind) async throws {
    let (cache, gate) = (try kind.make(), gate)
    let values = try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<50 {
        group.addTask {
          let load: LoadingCache.Loader = { keys in
            await gate.pass()
            return answers(keys)
          }
          if number % 2 == 0 { return try await cache.value("a", load) }
          return try await cache.values(["a"], load)["a"]
        }
      }
      await joined(cache, 49)
      gate.open()
      return try await group.reduce(into: [String?]()) { $0.append($1) }
    }
    #expect(values == Array(repeating: "a!", count: 50))
    #expect(asked.withLock { $0.count } == 1)
  }

  @Test(arguments: LoadingKind.allCases)
  func onlyMissingKeysAreLoadedByOneCall(kind: LoadingKind) async throws {
    let cache = try kind.make()
    try cache.set("known", "b")
    let values = try await cache.values(["a", "b", "c", "a", "none"]) { answers($0) }
    #expect(values == ["a": "a!", "b": "known", "c": "c!"])
    #expect(asked.withLock { $0.map { $0.sorted() } } == [["a", "c", "none"]])
    #expect(cache.loads.counts.absent == 1)
    // None if nothing is missing, and none for no keys.
    #expect(try await cache.values(["a", "c"]) { answers($0) }.count == 2)
    #expect(try await cache.values([]) { answers($0) }.isEmpty)
    #expect(asked.withLock { $0.count } == 1)
  }

  @Test(arguments: LoadingKind.allCases)
  func requestsWaitForLoadsOfTheirKeys(kind: LoadingKind) async throws {
    let (cache, gate) = (try kind.make(), gate)
    let waiting: LoadingCache.Loader = { keys in
      await gate.pass()
      return answers(keys)
    }
    async let single = cache.value("a", waiting)
    await gate.hasArrivals(1)
    async let several = cache.values(["b", "c"], waiting)
    await gate.hasArrivals(2)
    async let all = cache.values(["a", "b", "c", "d"]) { answers($0) }
    async let one = cache.value("c") { _ in ["c": "not called"] }
    await joined(cache, 4)
    gate.open()
    #expect(try await all == ["a": "a!", "b": "b!", "c": "c!", "d": "d!"])
    #expect(try await (single, several.count, one) == ("a!", 2, "c!"))
    #expect(asked.withLock { Set($0.map { $0.sorted() }) } == [["a"], ["b", "c"], ["d"]])
  }

  @Test(arguments: LoadingKind.allCases)
  func errorReachesAllWaitersAndIsNotStored(kind: LoadingKind) async throws {
    let (cache, gate) = (try kind.make(), gate)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: Failure()) {
          try await cache.values(["a", "b"]) { _ in
            await gate.pass()
            throw Failure()
          }
        }
      }
      await gate.hasArrivals(1)
      for key in ["a", "b"] {
        group.addTask {
          await #expect(throws: Failure()) { try await cache.value(key) { answers($0) } }
        }
      }
      await joined(cache, 2)
      gate.open()
    }
    #expect(asked.withLock { $0.isEmpty } && cache.loads.counts.failed > 0)
    #expect(try await cache.values(["a", "b"]) { answers($0) } == ["a": "a!", "b": "b!"])
  }

  /// A load goes on for a request that has joined, and is cancelled with the last one.
  @Test(arguments: LoadingKind.allCases, [false, true])
  func loadIsCancelledWithItsLastRequest(kind: LoadingKind, isJoined: Bool) async throws {
    let (cache, gate, wasCancelled) = (try kind.make(), gate, Locked<Bool?>(nil))
    let all = Task {
      try await cache.values(["a", "b"]) { keys in
        await gate.pass()
        wasCancelled.withLock { $0 = Task.isCancelled }
        return answers(keys)
      }
    }
    await gate.hasArrivals(1)
    let one = isJoined ? Task { try await cache.value("a") { _ in ["a": "not called"] } } : nil
    if isJoined { await joined(cache) }
    all.cancel()
    await #expect(throws: CancellationError.self) { try await all.value }
    gate.open()
    if let one { #expect(try await one.value == "a!") }
    while wasCancelled.withLock({ $0 == nil }) { await Task.yield() }
    #expect(wasCancelled.withLock { $0 } == !isJoined)
    // What nobody waited for is not stored.
    #expect(try cache.peek("b") == nil)
    #expect(try await cache.value("a") { _ in ["a": "new"] } == (isJoined ? "a!" : "new"))
  }

  @Test(arguments: LoadingKind.allCases, ["set", "remove", "removeAll"])
  func changeDuringALoadIsNotUndone(kind: LoadingKind, how: String) async throws {
    let (cache, gate) = (try kind.make { $0.negativeLife = .seconds(10) }, gate)
    async let all = cache.values(["a", "none"]) { keys in
      await gate.pass()
      return answers(keys)
    }
    await gate.hasArrivals(1)
    for key in ["a", "none"] {
      switch how {
      case "set": try cache.set("set", key)
      case "remove": try cache.remove(key)
      default: try cache.removeAll()
      }
    }
    // A later request does not receive a value loaded before the change.
    let later = try await cache.value("a") { _ in ["a": "later"] }
    #expect(later == (how == "set" ? "set" : "later"))
    gate.open()
    #expect(try await all == ["a": "a!"])
    #expect(try cache.peek("a") == later)
    // The absence is not remembered.
    try cache.remove("none")
    #expect(try await cache.value("none") { _ in ["none": "there"] } == "there")
    #expect(cache.loads.counts.overtaken >= 2)
  }

  @Test(arguments: LoadingKind.allCases)
  func loaderMayRequestOtherKeysButNotItsOwn(kind: LoadingKind) async throws {
    let cache = try kind.make()
    let values = try await cache.values(["a", "b"]) { keys in
      await #expect(throws: LoadError.loadsItself(key: "b")) {
        try await cache.value("b") { answers($0) }
      }
      let inner = try await cache.value("c") { keys in
        await #expect(throws: LoadError.loadsItself(key: "a")) {
          try await cache.values(["a"]) { answers($0) }
        }
        return answers(keys)
      }
      #expect(inner == "c!")
      return answers(keys)
    }
    #expect(values.count == 2)
  }

  // MARK: Absences

  @Test(arguments: LoadingKind.allCases)
  func absenceIsRememberedForItsTime(kind: LoadingKind) async throws {
    let cache = try kind.make {
      $0.negativeLife = .seconds(5)
      $0.clock = clock
    }
    for _ in 0..<3 { #expect(try await cache.value("none") { answers($0) } == nil) }
    #expect(try await cache.values(["none", "a"]) { answers($0) } == ["a": "a!"])
    #expect(asked.withLock { $0 } == [["none"], ["a"]])
    #expect(cache.loads.counts.negativeHits == 3 && cache.loads.counts.absent == 1)
    clock.advance(seconds: 5)
    #expect(try await cache.value("none") { _ in ["none": "there"] } == "there")
    #expect(try await cache.value("none") { answers($0) } == "there")
  }

  @Test(arguments: LoadingKind.allCases)
  func errorAndAbsenceWithoutALifeAreNotRemembered(kind: LoadingKind) async throws {
    for life in [nil, Duration.zero, .seconds(10)] {
      let cache = try kind.make { $0.negativeLife = life }
      if life == .seconds(10) {
        await #expect(throws: Failure()) { try await cache.value("none") { _ in throw Failure() } }
      } else {
        #expect(try await cache.value("none") { answers($0) } == nil)
      }
      #expect(try await cache.value("none") { _ in ["none": "there"] } == "there")
      #expect(cache.loads.counts.negativeHits == 0)
    }
  }

  @Test(arguments: LoadingKind.allCases, ["set", "remove", "removeAll", "pressure"])
  func changeOfAKeyForgetsItsAbsence(kind: LoadingKind, how: String) async throws {
    let cache = try kind.make { $0.negativeLife = .seconds(10) }
    #expect(try await cache.value("none") { answers($0) } == nil)
    switch how {
    case "set":
      try cache.set("set", "none")
      #expect(try await cache.value("none") { answers($0) } == "set")
      try cache.remove("none")
    case "remove": try cache.remove("none")
    case "removeAll": try cache.removeAll()
    default: cache.handlePressure()
    }
    #expect(try await cache.value("none") { _ in ["none": "there"] } == "there")
  }

  // MARK: Reloads

  @Test(arguments: LoadingKind.allCases)
  func oldValuesAreReturnedAndReloadedByOneCall(kind: LoadingKind) async throws {
    let cache = try kind.make {
      $0.refreshes = true
      $0.clock = clock
    }
    for key in ["a", "b"] { try cache.set("old", key) }
    clock.advance(seconds: 11)
    let gate = gate
    for _ in 0..<3 {
      let values = try await cache.values(["a", "b"]) { keys in
        await gate.pass()
        return answers(keys)
      }
      #expect(values == ["a": "old", "b": "old"])
    }
    gate.open()
    while try cache.peek("a") != "a!" || cache.peek("b") != "b!" { await Task.yield() }
    #expect(asked.withLock { $0.map { $0.sorted() } } == [["a", "b"]])
    #expect(cache.loads.counts.staleWhileRevalidate == 6 && cache.loads.counts.refreshes > 0)
  }

  @Test(arguments: LoadingKind.allCases)
  func failedReloadKeepsTheValueAndTheNextRequestTriesAgain(kind: LoadingKind) async throws {
    let cache = try kind.make {
      $0.refreshes = true
      $0.clock = clock
    }
    try cache.set("old", "a")
    clock.advance(seconds: 11)
    #expect(try await cache.value("a") { _ in throw Failure() } == "old")
    while cache.loads.counts.failedRefreshes == 0 { await Task.yield() }
    #expect(try await cache.value("a") { answers($0) } == "old")
    while try cache.peek("a") != "a!" { await Task.yield() }
    #expect(cache.loads.counts.refreshes == 2)
  }

  @Test(arguments: LoadingKind.allCases)
  func reloadThatFindsNothingRemovesTheValue(kind: LoadingKind) async throws {
    let cache = try kind.make {
      $0.refreshes = true
      $0.clock = clock
      $0.negativeLife = .seconds(100)
    }
    try cache.set("old", "none")
    clock.advance(seconds: 11)
    #expect(try await cache.value("none") { answers($0) } == "old")
    while try await cache.value("none", { answers($0) }) != nil { await Task.yield() }
    #expect(asked.withLock { $0.count } == 1)
  }

  @Test(arguments: LoadingKind.allCases)
  func hangingReloadIsCancelledInTime(kind: LoadingKind) async throws {
    let cache = try kind.make {
      $0.refreshes = true
      $0.clock = clock
      $0.timeout = .milliseconds(20)
    }
    let gate = gate
    try cache.set("old", "a")
    clock.advance(seconds: 11)
    let value = try await cache.value("a") { _ in
      await gate.pass()
      return ["a": "late"]
    }
    #expect(value == "old")
    while cache.loads.counts.failedRefreshes == 0 { await Task.yield() }
    #expect(try await cache.value("a") { answers($0) } == "old")
    while try cache.peek("a") != "a!" { await Task.yield() }
    gate.open()
  }
}
