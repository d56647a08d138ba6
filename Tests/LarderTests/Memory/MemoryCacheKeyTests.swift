import LarderEngine
import Testing

@testable import Larder

/// Awkward keys.
@Suite struct MemoryCacheKeyTests {
  static let hashings: [KeyHashing] = [.standard, .fast, .seeded(0), .seeded(.max)]

  private func cache<Key: Hashable & Sendable>(
    _ hashing: KeyHashing, of: Key.Type
  ) throws -> MemoryCache<Key, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 10_000), shards: 4, hashing: hashing))
  }

  @Test(arguments: hashings)
  func hostileStrings(hashing: KeyHashing) throws {
    let cache = try cache(hashing, of: String.self)
    let megabyte = String(repeating: "x", count: 1 << 20)
    let keys = [
      "", "\0", "\0\0", "a\0", "../../etc/passwd", "👩‍👩‍👧‍👦", "a", "A", megabyte, megabyte + "y",
      "'; DROP TABLE entries; --", "12345678", "123456781", "12345678\0", "\u{FEFF}", "%00", " ",
    ]
    for (value, key) in keys.enumerated() { cache.set(value, for: key) }
    for (value, key) in keys.enumerated() { #expect(cache.value(for: key) == value) }
    #expect(cache.count == keys.count)
  }

  @Test(arguments: hashings)
  func equalStringsAreOneKeyHoweverWritten(hashing: KeyHashing) throws {
    let cache = try cache(hashing, of: String.self)
    for (one, other) in [
      ("caf\u{E9} au lait", "cafe\u{301} au lait"), ("a;b`K", "a\u{37E}b\u{1FEF}\u{212A}"),
      ("\u{212A}\u{E9}", "Ke\u{301}"),
    ] {
      #expect(one == other)
      cache.set(1, for: one)
      #expect(cache.value(for: other) == 1)
      cache.set(2, for: other)
      #expect(cache.count == 1)
      #expect(cache.remove(one) == 2)
    }
  }

  @Test func charactersThatEqualOneInASCIIHaveItsHash() {
    let ascii = Set((UInt8(0)..<128).map { String(Unicode.Scalar($0)) })
    let hasher = KeyHasher(.seeded(1))
    for text in (UInt32(128)...0xFFFF).compactMap(Unicode.Scalar.init).map(String.init) {
      guard let place = ascii.firstIndex(of: text) else { continue }
      #expect(hasher.hash(ascii[place]) == hasher.hash(text))
    }
  }

  @Test(arguments: hashings)
  func integersOfEveryWidth(hashing: KeyHashing) throws {
    func check<Key: FixedWidthInteger & Sendable>(_ type: Key.Type) throws {
      let cache = try cache(hashing, of: Key.self)
      let keys: [Key] =
        [.min, .max, 0, 1] + (2..<Key(100)).map { $0 }
        + (2..<Key(100)).map { .max - $0 }
      for key in keys { cache.set(Int(truncatingIfNeeded: key), for: key) }
      #expect(keys.allSatisfy { cache.value(for: $0) == Int(truncatingIfNeeded: $0) })
    }
    try check(Int.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt64.self)
    try check(Int32.self)
    try check(UInt32.self)
    try check(Int16.self)
  }

  /// A key whose hash is constant.
  private struct Colliding: Hashable {
    let number: Int

    func hash(into hasher: inout Hasher) {}
  }

  @Test func keysThatAllCollide() throws {
    let cache = MemoryCache<Colliding, Int>(count: 50)
    var random = TestRandom(seed: 5)
    for step in 0..<5_000 {
      let key = Colliding(number: random.below(90))
      if random.below(3) == 0 {
        cache.remove(key)
        #expect(cache.value(for: key) == nil)
      } else {
        cache.set(step, for: key)
        #expect(cache.value(for: key) == step)
      }
      #expect(cache.count <= 50)
    }
  }

  @Test func keysThatDifferInFewBitsSpread() throws {
    let hasher = KeyHasher(.seeded(42))
    for shift in [0, 8, 16, 32, 48, 56] {
      var shards = Array(repeating: 0, count: 16)
      var homes = Set<UInt64>()
      for key in 0..<4_096 {
        let hash = hasher.hash(UInt64(key) << shift)
        if shift <= 48 || key < 256 { homes.insert(hash >> 32) }
        shards[Int(hash & 15)] += 1
      }
      let distinct = shift <= 48 ? 4_096 : 256
      #expect(homes.count > distinct * 9 / 10)
      #expect((shards.max() ?? 0) < 4_096 / 16 * 3)
    }
  }

  @Test func keyThatIsNotEqualToItselfIsLoadedForEachRequest() async throws {
    let cache = try MemoryCache<Double, Int>(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 9)))
    for number in 0..<2 { #expect(try await cache.value(for: .nan) { _ in number } == number) }
    #expect(try await cache.values(for: [Double.nan]) { _ in [:] }.isEmpty)
    cache.refresh(.nan) { _ in 1 }
    #expect(!cache.loads.areUnderWay)
    cache.set(1, for: .nan)
    #expect(cache.remove { _, _ in true } == 1)
  }
}
