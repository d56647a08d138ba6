import LarderEngine
import Synchronization
import TestSupport
import Testing

@testable import Larder

/// Keys and values of trivial types, read while they are written.
@Suite(.endsInTime, .serialized) struct SharedReadTests {
  private static let policies = Policies.lockless

  /// A value of several words, each of which determines the others.
  private struct Stamped: Sendable {
    let key: Int
    let version: Int
    let mixed: Int
    let sum: UInt32

    init(key: Int, version: Int) {
      self.key = key
      self.version = version
      mixed = key &* 0x1234_5677 ^ version
      sum = UInt32(truncatingIfNeeded: key &+ version)
    }

    func isOf(_ key: Int) -> Bool {
      let right = Stamped(key: key, version: version)
      return self.key == key && mixed == right.mixed && sum == right.sum
    }
  }

  private final class Tally: Sendable {
    let wrong = Atomic<Int>(0)
    let hits = Atomic<Int>(0)
    let misses = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
  }

  @Test func lockFreePoliciesAreCovered() {
    #expect(Set(Self.policies).isSuperset(of: ["fifo", "random", "clock", "sieve", "s3-fifo"]))
    #expect(ShardRecords<Int, Stamped>.haveVersions)
    #expect(!ShardRecords<Int, String>.haveVersions)
    #expect(!ShardRecords<String, Int>.haveVersions)
  }

  /// One thread sets each key, with ascending versions, so nobody may see a decreasing version, nor
  /// a removed one. Meanwhile everything happens that moves memory: growth from a few records to
  /// all, the first entry that expires, cleaning.
  @Test(arguments: policies, [1, 4])
  func readsAreNeitherTornNorOutdated(policy: String, shards: Int) async throws {
    let cache = try MemoryCache<Int, Stamped>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 6_000), policy: CachePolicy(policy), shards: shards,
        hashing: .fast))
    let tally = Tally()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          var random = TestRandom(seed: UInt64(thread))
          var seen = Array(repeating: 0, count: 12_000)
          for step in 1...15_000 {
            // More and more keys.
            let key = min(random.below(step * 4 / 5 + 8), random.below(12_000))
            let own = key / 4 * 4 + thread
            switch random.below(100) {
            case 0: cache.trim(toCount: 2_000)
            case 1 where step > 12_000 && step % 50 == 0: cache.removeAll()
            case 2...5:
              if own == key { cache.remove(key) }
            case 6...45:
              let life: Duration? = step > 7_000 && step % 3 == 0 ? .seconds(100) : nil
              cache.set(Stamped(key: own, version: step), for: own, timeToLive: life)
              seen[own] = step
            default:
              guard let value = cache.value(for: key) else {
                tally.misses.wrappingAdd(1, ordering: .relaxed)
                continue
              }
              tally.hits.wrappingAdd(1, ordering: .relaxed)
              let isRight = value.isOf(key) && value.version >= seen[key]
              if !isRight { tally.wrong.wrappingAdd(1, ordering: .relaxed) }
              seen[key] = value.version
            }
          }
        }
      }
    }
    #expect(tally.wrong.load(ordering: .relaxed) == 0)
    #expect(tally.hits.load(ordering: .relaxed) > 1_000)
    let statistics = cache.statistics
    #expect(statistics.hits == UInt64(tally.hits.load(ordering: .relaxed)))
    #expect(statistics.misses == UInt64(tally.misses.load(ordering: .relaxed)))
    #expect(statistics.count <= 6_000)
    #expect((0..<12_000).count { cache.contains($0) } == statistics.count)
    cache.removeAll()
    #expect(cache.count == 0)
  }

  /// One record: every set overwrites many words that a get may be reading.
  @Test(arguments: policies)
  func oneRecordWrittenAllTheTime(policy: String) async throws {
    let cache = try MemoryCache<Int, SIMD16<Int>>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 1), policy: CachePolicy(policy), shards: 1, hashing: .fast)
    )
    let tally = Tally()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for step in 0..<30_000 {
          cache.set(SIMD16(repeating: step * 2 + step / 3 % 2), for: step / 3 % 2)
        }
        tally.isOver.store(true, ordering: .relaxed)
      }
      group.addTask {
        while !tally.isOver.load(ordering: .relaxed) {
          for key in 0..<200 {
            guard let value = cache.value(for: key & 1) else { continue }
            tally.hits.wrappingAdd(1, ordering: .relaxed)
            if value != SIMD16(repeating: value[0]) || value[0] & 1 != key & 1 {
              tally.wrong.wrappingAdd(1, ordering: .relaxed)
            }
          }
          await Task.yield()
        }
      }
    }
    #expect(tally.wrong.load(ordering: .relaxed) == 0)
    #expect(cache.count == 1)
  }

  @Test func anOpenRecordHasAnOddVersion() {
    let records = ShardRecords<Int, Int>(room: 2, withVersions: true)
    defer { records.deallocate() }
    records.version(1).initialize(to: Atomic(4))
    func version() -> UInt32 { records.version(1).pointee.load(ordering: .acquiring) }
    records.open(1)
    #expect(version() == 5)
    records.put(5, at: records.key(1), of: 1)
    records.put(50, at: records.value(1), of: 1)
    records.close(1)
    #expect(version() == 6)
    #expect(records.isStill(6, 1))
    #expect(SharedBytes.read(records.key(1)) == 5 && SharedBytes.read(records.value(1)) == 50)
    records.open(1)
    #expect(!records.isStill(6, 1))
    records.put(4, at: records.key(1), of: 1)
    records.close(1)
    #expect(!records.isStill(6, 1))
    #expect(version() == 8)
    #expect(SharedBytes.read(records.key(1)) == 4)
  }
}
