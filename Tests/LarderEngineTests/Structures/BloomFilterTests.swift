import Testing

@testable import LarderEngine

@Suite struct BloomFilterTests {
  private static func key(_ number: Int) -> UInt32 { Request.fingerprint(of: ObjectID(number + 1)) }

  /// The false-positive rate over a hundred thousand keys has a standard deviation of at most 0.1
  /// points.
  @Test(arguments: [(1000, 0.1), (1000, 0.01), (20_000, 0.03), (20_000, 0.001)])
  func hasNoFalseNegativesAndStatedErrorRate(keys: Int, error: Double) {
    var filter = BloomFilter(capacity: keys, error: error)
    var seenBefore = 0
    for number in 0..<keys where !filter.insert(Self.key(number)) { seenBefore += 1 }
    #expect(Double(seenBefore) <= Double(keys) * error)
    let count = filter.count
    #expect(count == keys - seenBefore)
    var missing = 0
    for number in 0..<keys where !filter.contains(Self.key(number)) { missing += 1 }
    #expect(missing == 0)
    var wrong = 0
    for number in 0..<100_000 where filter.contains(Self.key(1_000_000 + number)) { wrong += 1 }
    #expect(Double(wrong) / 100_000 <= error * 1.1)
    #expect(wrong > 0)
  }

  @Test func secondInsertionIsDetected() {
    var filter = BloomFilter(capacity: 100, error: 0.01)
    let first = filter.insert(Self.key(5))
    let second = filter.insert(Self.key(5))
    #expect(first && !second)
  }

  @Test func clearingForgetsEverything() {
    var filter = BloomFilter(capacity: 100, error: 0.01)
    for number in 0..<100 { _ = filter.insert(Self.key(number)) }
    filter.clear()
    let known = (0..<100).filter { filter.contains(Self.key($0)) }
    #expect(known.isEmpty)
    let count = filter.count
    #expect(count == 0)
  }
}
