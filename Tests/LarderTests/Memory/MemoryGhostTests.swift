import LarderEngine
import LarderPolicies
import Testing

@testable import Larder

/// Ghosts known by their slots, of which a cache keeps only the keys.
@Suite struct MemoryGhostTests {
  static let policies = [
    "s3-fifo", "s3-fifo:ghost=3", "s3-fifo:small=0.5:ghost=0.05", "qd-lp", "s4-fifo",
    "s4-fifo:skip=0.25", "clock2q-plus", "clock2q-plus:window=0",
  ]

  /// A key that counts its live instances.
  final class Counted: Hashable, Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }

    static func == (one: Counted, other: Counted) -> Bool { one.number == other.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test(arguments: policies, [false, true])
  func decidesAsWithGhostsByTheirIDs(policy: String, isWeighed: Bool) throws {
    try compare(policy, isWeighed, seed: 1) { $0 }
    try compare(policy, isWeighed, seed: 2) { "key \($0)" }
    try compare(policy, isWeighed, seed: 3) { Counted($0) }
  }

  private func compare<Key: Hashable & Sendable>(
    _ policy: String, _ isWeighed: Bool, seed: UInt64, _ key: (Int) -> Key
  ) throws {
    let keys = 900
    let limits = isWeighed ? MemoryCacheLimits(weight: 2_000) : MemoryCacheLimits(count: 200)
    let cache = try MemoryCache<Key, Int>(
      MemoryCacheConfiguration(limits: limits, policy: CachePolicy(policy), shards: 1),
      weigh: { _ in 1 })
    let tier = try PolicyRegistry.makeCacheTier(
      CacheTierSetup(
        policy: try PolicySpec(parsing: policy), entriesMax: isWeighed ? nil : 200,
        bytesMax: isWeighed ? 2_000 : nil, objects: keys))
    var random = TestRandom(seed: seed)
    var hits = 0
    for request in 0..<30_000 {
      let number = 1 + min(random.below(keys), random.below(keys), random.below(keys))
      let id = ObjectID(number)
      switch random.below(1_000) {
      case 0:
        let count = random.below(200)
        cache.trim(toCount: count)
        while tier.count > count { _ = tier.giveUp() }
      case 1...20:
        cache.remove(key(number))
        tier.remove(id)
      default:
        let isHit = tier.access(id, 0) == .hit
        let value = cache.value(for: key(number))
        try #require((value != nil) == isHit, "request \(request) for \(number)")
        #expect(value == nil || value == number)
        hits += isHit ? 1 : 0
        // Occasionally another size, and a replaced value.
        guard !isHit || random.below(20) == 0 else { continue }
        let size = 1 + (number * 7 + (random.below(9) == 0 ? request : 0)) % 19
        cache.set(number, for: key(number), weight: size)
        _ = tier.set(Request(id: id, size: isWeighed ? UInt32(size) : 1), 0)
      }
      try #require(cache.count == tier.count, "after request \(request)")
    }
    #expect(hits > 5_000)
    cache.removeAll(includingPermanent: true)
    #expect(cache.count == 0)
  }

  /// A ghost has a key and no value, and forgotten ghosts are gone.
  @Test func keepsNoMoreThanTheKeysOfGhosts() throws {
    final class Weak {
      weak var object: Counted?
      init(_ object: Counted) { self.object = object }
    }
    var (keys, values): ([Weak], [Weak]) = ([], [])
    var cache: MemoryCache<Counted, Counted>? = try MemoryCache(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 100), policy: "s3-fifo", shards: 1))
    for number in 0..<3_000 {
      let (key, value) = (Counted(number), Counted(number))
      cache?.set(value, for: key)
      keys.append(Weak(key))
      values.append(Weak(value))
    }
    #expect(keys.count { $0.object != nil } == 190)
    #expect(values.count { $0.object != nil } == 100)
    _ = try cache?.setLimits(MemoryCacheLimits(count: 50))
    #expect(values.count { $0.object != nil } == 50)
    #expect(keys.count { $0.object != nil } <= 100)
    cache?.removeAll()
    #expect(keys.allSatisfy { $0.object == nil })
    cache = nil
    #expect(values.allSatisfy { $0.object == nil })
  }

  /// A ghost takes little more than its key: 60 bytes an entry, including 16 of its own.
  @Test(arguments: [1, 16])
  func memoryOfAnEntryAndItsGhostIsSmall(shards: Int) throws {
    let count = 30_000
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: count), policy: "s3-fifo", shards: shards))
    var random = TestRandom(seed: 4)
    for _ in 0..<300_000 {
      let key = min(random.below(count * 8), random.below(count * 8), random.below(count * 8))
      if cache.value(for: key) == nil { cache.set(key, for: key) }
    }
    #expect(cache.count == count)
    #expect(Double(cache.residentBytes) / Double(count) <= 60)
  }
}
