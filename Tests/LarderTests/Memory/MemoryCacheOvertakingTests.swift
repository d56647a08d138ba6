import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Loads overtaken by a set or a removal, some of them at critical moments found by `make
/// schedules`.
@Suite(.endsInTime) struct MemoryCacheOvertakingTests {
  private struct Page: Sendable, Equatable {
    var text: String
  }

  private let gate = Gate()

  private func cache() throws -> MemoryCache<String, Page> {
    try MemoryCache(MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 100), shards: 1))
  }

  private func started(_ cache: MemoryCache<String, Page>, _ count: UInt64 = 1) async {
    while cache.loadStatistics.started < count { await Task.yield() }
  }

  /// The loader of a cancelled request may continue, and must not store its value after a removal
  /// that came while another load of the key was running.
  @Test func abandonedLoadIsNotStoredAfterARemoval() async throws {
    let cache = try cache()
    let (gate, other) = (gate, Gate())
    let isOver = Locked(false)
    final class Loader: Sendable {
      let isOver: Locked<Bool>
      init(_ isOver: Locked<Bool>) { self.isOver = isOver }
      deinit { isOver.withLock { $0 = true } }
    }
    var loader: Loader? = Loader(isOver)
    let abandoned = Task { [loader] in
      try await cache.value(for: "a") { [loader] _ in
        await gate.pass()
        withExtendedLifetime(loader) {}
        return Page(text: "old")
      }
    }
    loader = nil
    await started(cache)
    abandoned.cancel()
    await #expect(throws: CancellationError.self) { try await abandoned.value }
    let second = Task {
      try await cache.value(for: "a") { _ in
        await other.pass()
        return Page(text: "new")
      }
    }
    await started(cache, 2)
    cache.remove("a")
    gate.open()
    // If it stores its value, it does so after the loader is no longer needed.
    while !isOver.withLock({ $0 }) { await Task.yield() }
    #expect(cache.value(for: "a") == nil)
    other.open()
    #expect(try await second.value == Page(text: "new"))
    #expect(cache.value(for: "a") == nil)
  }

  /// A load that begins while a removal waits for the lock of the shard is overtaken by it.
  @Test(arguments: ["remove", "removeAll", "update"])
  func aRemovalOvertakesLoadsThatBeginWhileItWaits(_ how: String) async throws {
    let clock = HeldClock()
    // Gets of this policy take no lock.
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 100), policy: "sieve", shards: 1, clock: clock))
    await clock.hold { Thread.detachNewThread { cache.set(1, for: 1) } }
    let isRemoved = Locked(false)
    Thread.detachNewThread {
      switch how {
      case "remove": cache.remove(0)
      case "removeAll": cache.removeAll()
      default: cache.update(0) { $0 = nil }
      }
      isRemoved.withLock { $0 = true }
    }
    // Only makes the fault visible; nothing else depends on it.
    try await Task.sleep(for: .milliseconds(20))
    // Not a task: the request may block the threads of all tasks until the lock is free.
    Thread.detachNewThread {
      while !cache.loads.isLoading(0) { usleep(100) }
      clock.release()
    }
    let gate = gate
    let request = Task {
      try await cache.value(for: 0) { _ in
        await gate.pass()
        return 7
      }
    }
    while !isRemoved.withLock({ $0 }) { await Task.yield() }
    gate.open()
    #expect(try await request.value == 7)
    #expect(cache.value(for: 0) == nil)
  }

  /// A loaded value may be older than one set meanwhile, even if that is gone again.
  @Test(arguments: ["evicted", "expired", "refused", "too large"])
  func aSetOvertakesALoad(_ fate: String) async throws {
    let clock = ManualClock()
    let cache = try MemoryCache<String, Page>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 1, weight: 10), shards: 1, clock: clock), weigh: { _ in 1 }
    )
    let gate = gate
    let load: @Sendable (String) async throws -> Page = { _ in
      await gate.pass()
      return Page(text: "old")
    }
    let request = Task { try await cache.value(for: "a", load: load) }
    await started(cache)
    switch fate {
    case "evicted":
      cache.set(Page(text: "new"), for: "a")
      cache.set(Page(text: "other"), for: "b")
    case "expired":
      cache.set(Page(text: "new"), for: "a", timeToLive: .seconds(1))
      clock.advance(seconds: 2)
    case "refused":
      cache.set(Page(text: "new"), for: "a", timeToLive: .zero)
    default:
      cache.set(Page(text: "new"), for: "a", weight: 11)
    }
    // Requests after the set do not receive the older value either.
    #expect(try await cache.value(for: "a") { _ in Page(text: "newer") }.text == "newer")
    cache.remove("a")
    gate.open()
    #expect(try await request.value.text == "old")
    #expect(cache.value(for: "a") == nil)
  }

  /// Nor is the value remembered as missing from before the set.
  @Test func setOvertakesALoadWithoutValue() async throws {
    let cache = try cache()
    let gate = gate
    let request = Task {
      try await cache.value(for: "a", negativeLife: .seconds(100)) { _ in
        await gate.pass()
        return nil
      }
    }
    await started(cache)
    cache.set(Page(text: "new"), for: "a")
    cache.trim(toCount: 0)
    gate.open()
    #expect(try await request.value == nil)
    let page = try await cache.value(for: "a", negativeLife: .seconds(100)) { _ in
      Page(text: "newer")
    }
    #expect(page?.text == "newer")
  }
}
