import LarderEngine
import Synchronization
import Testing

@testable import Larder

/// Prompt expiry with an alarm controlled by a test: `promptExpiry`.
@Suite struct MemoryPromptTests {
  /// An alarm that a test rings, and that records the time it was set to.
  final class ManualAlarm: ExpiryAlarm {
    private struct State {
      var ring: (@Sendable () -> Void)?
      var wait: UInt64?
      var sets = 0
      var hasStopped = false
    }

    private let state = Locked(State())

    func start(_ ring: @escaping @Sendable () -> Void) { state.withLock { $0.ring = ring } }

    func set(after microseconds: UInt64) {
      state.withLock {
        $0.wait = microseconds
        $0.sets += 1
      }
    }

    func stop() { state.withLock { $0.hasStopped = true } }

    /// Delay of the last setting; nil if it is not set.
    var wait: UInt64? { state.withLock { $0.wait } }
    var sets: Int { state.withLock { $0.sets } }
    var hasStopped: Bool { state.withLock { $0.hasStopped } }

    func ring() {
      let ring = state.withLock { state in
        state.wait = nil
        return state.ring
      }
      ring?()
    }
  }

  private let clock = ManualClock(seconds: 1_000)
  private let alarm = ManualAlarm()

  private func cache(
    _ policy: String = "lru", shards: Int = 1, stale: Duration? = nil, idle: Duration? = nil,
    told: Locked<[String]> = Locked([]), alarm: ManualAlarm? = nil
  ) throws -> MemoryCache<Int, Int> {
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: 2_000), policy: CachePolicy(policy), shards: shards,
      clock: clock,
      staleWhileRevalidate: stale, expireAfterAccess: idle, promptExpiry: .seconds(1))
    configuration.expiryAlarm = alarm ?? self.alarm
    return try MemoryCache(
      configuration,
      onRemoval: { key, _, reason in told.withLock { $0.append("\(key) \(reason)") } })
  }

  @Test(arguments: ["lru", "sieve", "s3-fifo", "w-tinylfu", "ttl"])
  func entriesLeaveWithoutAGet(policy: String) throws {
    let told = Locked<[String]>([])
    let cache = try cache(policy, told: told)
    cache.set(0, for: 0)
    #expect(alarm.wait == nil)
    cache.set(1, for: 1, timeToLive: .seconds(10))
    // Within a second, which is rounded down to a power of two of microseconds.
    #expect(alarm.wait.map { (10_000_000...11_000_000).contains($0) } == true)
    cache.set(2, for: 2, timeToLive: .seconds(100))
    cache.set(3, for: 3, timeToLive: .seconds(10), isPermanent: true)
    #expect(alarm.sets == 1)
    clock.advance(seconds: 9)
    alarm.ring()
    #expect(told.withLock { $0 } == [] && cache.count == 4)
    // It was early, and is set again.
    #expect(alarm.wait.map { (1_000_000...2_000_000).contains($0) } == true)
    clock.advance(seconds: 2)
    alarm.ring()
    #expect(told.withLock { $0 } == ["1 expired"] && cache.count == 3)
    #expect(cache.statistics.expirations == 1 && alarm.wait != nil)
    clock.advance(seconds: 1_000)
    alarm.ring()
    #expect(told.withLock { $0 } == ["1 expired", "2 expired"])
    #expect(Set(cache.keys) == [0, 3] && alarm.wait == nil)
  }

  @Test func anEarlierEntrySetsTheAlarmEarlier() throws {
    let cache = try cache(shards: 4)
    for life in [100, 50, 200, 10, 11, 300] {
      cache.set(life, for: life, timeToLive: .seconds(life))
    }
    #expect(alarm.sets == 3)
    #expect(alarm.wait.map { $0 < 12_000_000 } == true)
  }

  @Test func replacedOrRemovedEntryDoesNotLeaveTwice() throws {
    let told = Locked<[String]>([])
    let cache = try cache(told: told)
    cache.set(1, for: 1, timeToLive: .seconds(10))
    cache.set(2, for: 1, timeToLive: .seconds(30))
    cache.set(3, for: 2, timeToLive: .seconds(10))
    cache.remove(2)
    cache.set(4, for: 3, timeToLive: .seconds(10))
    cache.set(5, for: 3)
    clock.advance(seconds: 20)
    alarm.ring()
    #expect(told.withLock { $0 } == ["1 replaced", "2 removed", "3 replaced"])
    #expect(Set(cache.keys) == [1, 3])
    clock.advance(seconds: 20)
    alarm.ring()
    #expect(told.withLock { $0.last } == "1 expired")
    #expect(Set(cache.keys) == [3])
  }

  /// Each access postpones the expiry; the wheel learns of it when the entry is due.
  @Test(arguments: ["lru", "sieve"])
  func idleEntriesLeave(policy: String) throws {
    let told = Locked<[String]>([])
    let cache = try cache(policy, idle: .seconds(10), told: told)
    cache.set(1, for: 1)
    cache.set(2, for: 2)
    for _ in 0..<4 {
      clock.advance(seconds: 6)
      #expect(cache.value(for: 1) == 1)
      alarm.ring()
      #expect(alarm.wait != nil)
    }
    #expect(told.withLock { $0 } == ["2 expired"])
    clock.advance(seconds: 12)
    alarm.ring()
    #expect(told.withLock { $0 } == ["2 expired", "1 expired"] && cache.count == 0)
  }

  /// Kept as long as it may be returned, and at most twice as long.
  @Test func staleEntriesLeaveLater() throws {
    let cache = try cache(stale: .seconds(64))
    cache.set(1, for: 1, timeToLive: .seconds(10))
    clock.advance(seconds: 12)
    alarm.ring()
    #expect(cache.count == 1)
    var waited: UInt64 = 12
    while cache.count > 0, waited < 1_000 {
      let wait = try #require(alarm.wait) / 1_000_000 + 1
      clock.advance(seconds: wait)
      waited += wait
      alarm.ring()
    }
    #expect((74...150).contains(waited) && alarm.wait == nil)
  }

  @Test func manyEntriesLeave() throws {
    let told = Locked<[String]>([])
    let cache = try cache(shards: 2, told: told)
    var random = TestRandom(seed: 8)
    let lives = (0..<1_500).map { _ in 1 + random.below(300) }
    for (key, life) in lives.enumerated() { cache.set(key, for: key, timeToLive: .seconds(life)) }
    for second in 1...310 {
      clock.advance(seconds: 1)
      alarm.ring()
      // Entries that expire at this very time may still be resident.
      #expect(cache.count >= lives.count { $0 > second })
      #expect(cache.count <= lives.count { $0 >= second })
    }
    #expect(cache.count == 0 && told.withLock { $0.count } == 1_500)
    #expect(cache.residentBytes > 0)
  }

  @Test func aListenerMayCallTheCache() throws {
    let kept = Locked<MemoryCache<Int, Int>?>(nil)
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: 10), clock: clock, promptExpiry: .milliseconds(1))
    configuration.expiryAlarm = alarm
    let cache = try MemoryCache<Int, Int>(
      configuration,
      onRemoval: { key, value, _ in
        kept.withLock { $0 }?.set(value + 1, for: key, timeToLive: .seconds(1))
      })
    kept.withLock { $0 = cache }
    cache.set(1, for: 1, timeToLive: .seconds(1))
    clock.advance(seconds: 2)
    alarm.ring()
    #expect(cache.value(for: 1) == 2 && alarm.wait != nil)
    kept.withLock { $0 = nil }
  }

  @Test func theAlarmStopsWithTheCache() throws {
    var held: MemoryCache<Int, Int>? = try cache()
    held?.set(1, for: 1, timeToLive: .seconds(1))
    #expect(!alarm.hasStopped)
    held = nil
    #expect(alarm.hasStopped)
    alarm.ring()
  }

  @Test func aLowerAgeSetsTheAlarm() throws {
    let cache = try cache()
    cache.set(1, for: 1)
    #expect(alarm.wait == nil)
    try cache.setLimits(MemoryCacheLimits(count: 2_000, age: .seconds(5)))
    #expect(alarm.wait != nil)
    clock.advance(seconds: 8)
    alarm.ring()
    #expect(cache.count == 0)
  }

  /// With the system's timer and clock: it rings at all.
  @Test(.endsInTime) func theSystemsTimerRings() async throws {
    let told = Locked<Int>(0)
    let cache = try MemoryCache<Int, String>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 9), promptExpiry: .milliseconds(1)),
      onRemoval: { _, _, reason in
        if reason == .expired { told.withLock { $0 += 1 } }
      })
    for key in 0..<3 { cache.set("\(key)", for: key, timeToLive: .milliseconds(2 + key * 9)) }
    while told.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(cache.count == 0)
  }

  /// Concurrent sets, gets, removals and alarms: each entry leaves once.
  @Test(.endsInTime, arguments: ["lru", "sieve"])
  func threadsAgree(policy: String) async throws {
    let told = Locked<[Int: Int]>([:])
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: 100), policy: CachePolicy(policy), shards: 2, clock: clock,
      promptExpiry: .seconds(1))
    configuration.expiryAlarm = alarm
    let cache = try MemoryCache<Int, Int>(
      configuration, onRemoval: { _, value, _ in told.withLock { $0[value, default: 0] += 1 } })
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<3 {
        group.addTask {
          var random = TestRandom(seed: UInt64(worker))
          for step in 0..<1_500 {
            let key = random.below(200)
            _ = cache.value(for: key)
            cache.set(
              worker * 1_500 + step, for: key, timeToLive: .seconds(1 + random.below(20)))
            if step % 11 == 0 { cache.remove(random.below(200)) }
          }
        }
      }
      group.addTask { [clock, alarm] in
        for _ in 0..<200 {
          clock.advance(seconds: 1)
          alarm.ring()
        }
      }
    }
    clock.advance(seconds: 100)
    alarm.ring()
    #expect(cache.count == 0)
    #expect(told.withLock { $0.count == 4_500 && $0.values.allSatisfy { $0 == 1 } })
  }

  /// A clock near the end of its range.
  @Test func nothingLeavesAfterTheEndOfTime() throws {
    clock.set(seconds: UInt64.max / 1_000_000 - 1)
    let cache = try cache(stale: .seconds(64))
    cache.set(1, for: 1, timeToLive: .seconds(1))
    clock.advance(seconds: 1)
    alarm.ring()
    #expect(cache.count == 1)
  }
}
