import Foundation
import Testing

@testable import LarderExperiments

/// Values are what they should be, or are found not to be.
@Suite struct ValuePatternTests {
  private static let memory = HarnessMemory()
  private static let pattern = ValuePattern(seed: 5, allowsEmpty: true, in: memory)
  private static let lengths = [
    0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 100, 65_535, 65_552, 65_553, 200_000,
  ]

  private static func version(
    _ value: Data, _ key: UInt64 = 77, from oldest: UInt32 = 900, to newest: UInt32 = 903,
    checksContent: Bool = true
  ) -> UInt32? {
    pattern.version(
      of: value, key: key, from: oldest, to: newest, checksContent: checksContent)
  }

  @Test(arguments: lengths)
  func aValueTellsItsVersion(bytes: Int) {
    let value = Self.pattern.make(key: 77, version: 902, bytes: bytes)
    #expect(value.count == bytes)
    #expect(value == Self.pattern.make(key: 77, version: 902, bytes: bytes))
    #expect(Self.version(value) == (bytes == 0 ? 900 : 902))
    #expect(Self.version(value, checksContent: false) == (bytes == 0 ? 900 : 902))
    guard bytes > 0 else { return }
    #expect(Self.version(value, from: 903) == nil)
    #expect(Self.version(value, to: 901) == nil)
  }

  @Test(arguments: lengths.dropFirst(3))
  func anyOtherByteIsNoticed(bytes: Int) {
    let value = Self.pattern.make(key: 77, version: 902, bytes: bytes)
    for place in [0, bytes / 3, bytes / 2, bytes - 1] {
      var damaged = value
      damaged[place] ^= 0x80
      #expect(Self.version(damaged) == nil, "byte \(place) of \(bytes)")
    }
    #expect(Self.version(value.dropLast()) == nil)
    #expect(Self.version(value + [0]) == nil)
    #expect(Self.version(value, 78) == nil)
    #expect(
      ValuePattern(seed: 6, allowsEmpty: true, in: Self.memory)
        .version(of: value, key: 77, from: 900, to: 903, checksContent: true) == nil)
  }

  @Test func twoValuesMixedAreNoticed() {
    let old = Self.pattern.make(key: 77, version: 901, bytes: 100_000)
    let new = Self.pattern.make(key: 77, version: 902, bytes: 100_000)
    for cut in [16, 4_096, 65_552, 90_000] {
      #expect(Self.version(new.prefix(cut) + old.dropFirst(cut)) == nil)
    }
    #expect(Self.version(Data(new)) == 902)
  }

  @Test func nothingIsAValueOnlyWhereOneMayBeEmpty() {
    let strict = ValuePattern(seed: 5, allowsEmpty: false, in: Self.memory)
    #expect(strict.version(of: Data(), key: 1, from: 1, to: 1, checksContent: true) == nil)
    #expect(Self.version(Data(), 1, from: 1, to: 1) == 1)
  }
}
