import Testing

@testable import Larder

@Suite struct ByteHashTests {
  private static let sizes = [0, 1, 7, 8, 9, 255, 256, 257, 300, 383, 384, 385, 1_024, 1_501]

  private func bytes(_ count: Int) -> [UInt8] {
    var random = TestRandom(seed: UInt64(count))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  private func hash(_ bytes: [UInt8], seed: UInt64 = 5) -> UInt64 {
    bytes.withUnsafeBytes { ByteHash.hash($0, seed: seed) }
  }

  @Test(arguments: sizes)
  func hashDependsOnEveryBitTheSeedAndTheLength(size: Int) {
    var bytes = bytes(size)
    var seen: Set<UInt64> = [hash(bytes), hash(bytes, seed: 6), hash(bytes + [0])]
    #expect(hash(bytes) == hash(bytes))
    for place in bytes.indices {
      for bit in 0..<8 {
        bytes[place] ^= 1 << bit
        seen.insert(hash(bytes))
        bytes[place] ^= 1 << bit
      }
    }
    #expect(seen.count == 3 + size * 8)
  }

  /// Zeros in place of any bytes, as after a hole in a file, and exchanged parts.
  @Test func holesAndExchangedPartsChangeTheHash() {
    let whole = bytes(4_096)
    var seen: Set<UInt64> = [hash(whole)]
    var expected = 1
    for length in [8, 32, 64, 128, 512, 2_048] {
      for start in stride(from: 0, to: whole.count, by: length) {
        var holed = whole
        for place in start..<start + length { holed[place] = 0 }
        seen.insert(hash(holed))
        expected += 1
        guard start + 2 * length <= whole.count else { continue }
        var exchanged = whole
        for place in start..<start + length { exchanged.swapAt(place, place + length) }
        seen.insert(hash(exchanged))
        expected += 1
      }
    }
    #expect(seen.count == expected)
  }

  @Test func constantBytesOfEveryLengthDiffer() {
    var seen: Set<UInt64> = []
    for value in [UInt8(0), 1, 255] {
      for size in 0..<2_000 { seen.insert(hash(Array(repeating: value, count: size))) }
    }
    // Empty input is the same for all three.
    #expect(seen.count == 3 * 2_000 - 2)
  }

  /// The hash must not change: stored data must be recognised.
  @Test func valuesAreFixed() {
    #expect(Self.sizes.map { hash(bytes($0)) } == Self.fixed)
  }

  private static let fixed: [UInt64] = [
    1_394_900_223_441_776_398, 11_175_630_596_103_345_773, 5_977_783_564_020_464_273,
    8_341_209_871_477_415_412, 670_427_373_900_026_499, 15_276_155_206_592_622_432,
    6_304_450_243_805_737_695, 12_096_575_290_262_568_888, 10_723_386_397_352_654_610,
    3_162_561_133_190_391_955, 4_319_434_638_448_982_447, 14_573_816_629_298_921_602,
    11_922_386_003_153_797_362, 12_644_731_043_789_704_465,
  ]
}
