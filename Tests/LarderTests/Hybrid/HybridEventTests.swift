import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct HybridEventTests {
  /// The received events, as text.
  private final class Heard: Sendable {
    private let lines = Locked<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ event: HybridEvent) {
      let kind = "\(event.kind)".split(separator: "(").first ?? ""
      lines.withLock { $0.append("\(kind) \(event.key ?? "-") \(event.tier?.rawValue ?? "-")") }
    }
  }

  @Test func eventsNameTheirTier() throws {
    let folder = try ScratchFolder()
    let heard = Heard()
    let cache = try HybridCache<Int, Int>(
      path: folder.path,
      configuration: HybridTestCaches.configuration(
        memory: 1, rules: HybridRules(inclusion: .exclusive)))
    let token = cache.onEvent { heard.add($0) }
    _ = try cache.entry(for: 1)
    try cache.set(10, for: 1)
    try cache.set(20, for: 2)
    _ = try cache.entry(for: 2)
    _ = try cache.entry(for: 1)
    try cache.remove(1)
    token.cancel()
    try cache.set(30, for: 3)
    #expect(
      heard.all == [
        "miss 1 -", "set 1 memory", "evict 1 memory", "set 2 memory", "set 1 disk",
        "demote 1 disk", "hit 2 memory", "evict 2 memory", "set 1 memory", "remove 1 disk",
        "hit 1 disk", "promote 1 memory", "set 2 disk", "demote 2 disk", "remove 1 memory",
      ])
  }

  /// Events that another thread records while a call delivers its own are not delivered by it.
  @Test func callDeliversOnlyWhatWasRecordedBefore() throws {
    let folder = try ScratchFolder()
    let cache = try HybridCache<String, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration(memory: 10))
    let caller = pthread_self()
    let handled = Locked<[(key: String?, isOfCaller: Bool)]>([])
    let token = cache.onEvent { event in
      handled.withLock { $0.append((event.key, pthread_equal(pthread_self(), caller) != 0)) }
      guard event.key == "own" else { return }
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        for _ in 0..<10 { _ = try? cache.entry(for: "other") }
        isDone.signal()
      }
      isDone.wait()
    }
    _ = try cache.entry(for: "own")
    while handled.withLock({ $0.count }) < 11 { usleep(100) }
    token.cancel()
    let all = handled.withLock { $0 }
    #expect(all.map(\.key) == ["own"] + Array(repeating: "other", count: 10))
    #expect(all.map(\.isOfCaller) == [true] + Array(repeating: false, count: 10))
  }

  @Test func changesOfThePolicyNameTheirTier() throws {
    let folder = try ScratchFolder()
    let cache = try HybridCache<Int, Int>(
      path: folder.path,
      configuration: HybridCacheConfiguration(
        memory: MemoryTier(
          limits: MemoryCacheLimits(count: 50), policy: "auto:policies=lru/mru"),
        disk: DiskConfiguration(
          policy: "auto:policies=lru/mru", limits: DiskLimits(count: 100, freeBytes: 0),
          durability: .none)))
    let changes = Locked<[HybridTier: [Int]]>([:])
    let token = cache.onEvent { event in
      guard case .switchPolicy(let old, let new) = event.kind, event.key != nil,
        let tier = event.tier
      else { return }
      changes.withLock { $0[tier, default: [Int(old)]].append(Int(new)) }
    }
    for index in 0..<12_000 {
      let key = index % 120
      if try cache.value(for: key) == nil { try cache.set(key, for: key) }
    }
    token.cancel()
    let statistics = cache.readStatistics()
    let choices = [
      HybridTier.memory: statistics.memory?.policyChoice, .disk: statistics.disk?.policyChoice,
    ]
    for (tier, choice) in choices {
      let (choice, leaders) = (try #require(choice), changes.withLock { $0[tier] ?? [] })
      #expect(choice.switches > 0 && leaders.count == choice.switches + 1)
      #expect(leaders.first == 0 && leaders.last == choice.leading)
    }
    try cache.close()
  }

  /// A handler may use the cache, even for the same key.
  @Test func handlersMayUseTheCache() throws {
    let folder = try ScratchFolder()
    let cache = try HybridCache<Int, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration(memory: 1))
    let seen = Locked<[Int]>([])
    let token = cache.onEvent { [unowned cache] event in
      guard case .miss = event.kind, let key = event.key.flatMap({ Int($0) }) else { return }
      _ = try? cache.set(key * 10, for: key)
      let value = (try? cache.entry(for: key))??.value ?? -1
      seen.withLock { $0.append(value) }
    }
    #expect(try cache.entry(for: 4) == nil)
    #expect(try cache.entry(for: 4)?.value == 40)
    #expect(seen.withLock { $0 } == [40])
    token.cancel()
  }

  @Test func backgroundFailuresAreEvents() async throws {
    let folder = try ScratchFolder()
    let cache = try await HybridCache<Int, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration())
    try await cache.set(1, for: 1)
    let events = cache.eventStream()
    let result = await cache.result(for: 1, strategy: .cacheThenFetch) { _ in
      throw OriginFailure()
    }
    #expect(result.value == 1)
    for await event in events {
      guard case .fetchFailure(let error, isBackground: true) = event.kind else { continue }
      #expect(error as? OriginFailure == OriginFailure())
      #expect(event.key == "1")
      break
    }
    #expect(cache.readStatistics().loads.failedRefreshes == 1)
    #expect(try await cache.entry(for: 1)?.value == 1)
  }

  /// A handler that is slower than the cache: few events wait for it, and they are the newest.
  @Test(.timeLimit(.minutes(30))) func fewEventsWaitForASlowHandler() async throws {
    let cache = try await HybridCache<Int, Int>(
      configuration: HybridTestCaches.configuration(disk: nil))
    let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let keys = Locked<[String]>([])
    let token = cache.onEvent { event in
      let isFirst = keys.withLock { keys in
        keys.append(event.key ?? "-")
        return keys.count == 1
      }
      if isFirst {
        entered.signal()
        mayGoOn.wait()
      }
    }
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = try? cache.entry(for: -1)
      done.signal()
    }
    entered.wait()
    for key in 0..<30_000 { _ = try await cache.entry(for: key) }
    mayGoOn.signal()
    done.wait()
    // The others are not delivered by the call that delivered the first.
    while keys.withLock({ $0.last }) != "29999" { await Task.yield() }
    token.cancel()
    let heard = keys.withLock { $0 }
    #expect(heard.count < 10_000)
    #expect(heard.first == "-1")
  }

  @Test func streamsEndWithTheCache() async throws {
    let folder = try ScratchFolder()
    var cache: HybridCache<Int, Int>? = try await HybridCache(
      path: folder.path, configuration: HybridTestCaches.configuration())
    let stream = try #require(cache?.eventStream())
    try await cache?.set(1, for: 1)
    cache = nil
    var count = 0
    for await _ in stream { count += 1 }
    #expect(count == 2)
  }

  /// Destroying a handler may destroy another listener's token.
  @Test func aHandlerMayOwnAnotherListenersToken() throws {
    let folder = try ScratchFolder()
    let cache = try HybridCache<String, Int>(path: folder.path)
    var inner: CacheEventToken? = cache.onEvent { _ in }
    let outer = cache.onEvent { [inner] _ in withExtendedLifetime(inner) {} }
    inner = nil
    outer.cancel()
    #expect(!cache.events.isActive)
  }

  /// Expiry from memory is reported at once, not with the next call of the cache.
  @Test func promptExpiryIsReported() throws {
    let (folder, clock, heard) = (try ScratchFolder(), ManualClock(seconds: 1_000), Heard())
    let alarm = MemoryPromptTests.ManualAlarm()
    var configuration = HybridTestCaches.configuration(clock: clock)
    configuration.memory?.promptExpiry = .seconds(1)
    configuration.memory?.configuration.expiryAlarm = alarm
    let cache = try HybridCache<String, Int>(path: folder.path, configuration: configuration)
    try cache.set(1, for: "a", options: DiskStoreOptions(timeToLive: .seconds(2)))
    let token = cache.onEvent { heard.add($0) }
    clock.advance(seconds: 5)
    alarm.ring()
    #expect(heard.all == ["expire a memory"])
    token.cancel()
  }
}
