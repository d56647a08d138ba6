import Foundation
import Testing

@testable import LarderHarness

@Suite struct ValuePatternTests {
  private static let lengths = [
    0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 100, 65_535, 65_552, 65_553, 200_000,
  ]

  // Each test has its own: tests run concurrently, and one thread fills this.
  private let memory: HarnessMemory
  private let pattern: ValuePattern

  init() {
    memory = HarnessMemory()
    pattern = ValuePattern(seed: 5, allowsEmpty: true, in: memory)
  }

  private func version(
    _ value: Data, _ key: UInt64 = 77, from oldest: UInt32 = 900, to newest: UInt32 = 903,
    checksContent: Bool = true
  ) -> UInt32? {
    pattern.version(
      of: value, key: key, from: oldest, to: newest, checksContent: checksContent)
  }

  @Test(arguments: lengths)
  func valueEncodesItsVersion(bytes: Int) throws {
    let value = try pattern.make(key: 77, version: 902, bytes: bytes)
    #expect(value.count == bytes)
    #expect(try value == pattern.make(key: 77, version: 902, bytes: bytes))
    #expect(version(value) == (bytes == 0 ? 900 : 902))
    #expect(version(value, checksContent: false) == (bytes == 0 ? 900 : 902))
    guard bytes > 0 else { return }
    #expect(version(value, from: 903) == nil)
    #expect(version(value, to: 901) == nil)
  }

  @Test(arguments: lengths.dropFirst(3))
  func changedByteIsDetected(bytes: Int) throws {
    let value = try pattern.make(key: 77, version: 902, bytes: bytes)
    for place in [0, bytes / 3, bytes / 2, bytes - 1] {
      var damaged = value
      damaged[place] ^= 0x80
      #expect(version(damaged) == nil, "byte \(place) of \(bytes)")
    }
    #expect(version(value.dropLast()) == nil)
    #expect(version(value + [0]) == nil)
    #expect(version(value, 78) == nil)
    #expect(
      ValuePattern(seed: 6, allowsEmpty: true, in: memory)
        .version(of: value, key: 77, from: 900, to: 903, checksContent: true) == nil)
  }

  @Test func aValueWithoutMemoryIsAnError() {
    #expect(throws: ValueMemoryError.self) {
      _ = try pattern.make(key: 77, version: 902, bytes: 1 << 60)
    }
  }

  @Test func mixedValuesAreDetected() throws {
    let old = try pattern.make(key: 77, version: 901, bytes: 100_000)
    let new = try pattern.make(key: 77, version: 902, bytes: 100_000)
    for cut in [16, 4_096, 65_552, 90_000] {
      #expect(version(new.prefix(cut) + old.dropFirst(cut)) == nil)
    }
    #expect(version(Data(new)) == 902)
  }

  @Test func emptyValueIsValidOnlyIfAllowed() {
    let strict = ValuePattern(seed: 5, allowsEmpty: false, in: memory)
    #expect(strict.version(of: Data(), key: 1, from: 1, to: 1, checksContent: true) == nil)
    #expect(version(Data(), 1, from: 1, to: 1) == 1)
  }
}
