import LarderEngine
import Testing

@testable import LarderTraces

/// Binary traces of keys alone, whose length only the keys show.
@Suite
struct BinaryKeyTests {
  private func trace(
    _ keys: [UInt64], bytes: Int, _ spec: String? = nil
  ) throws -> PreparedTrace {
    let text = keys.flatMap { key in
      (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: key >> (8 * $0)) }
    }
    return try readTrace(text, "a.trace", spec)
  }

  /// Requests of 200 objects, some of them more often.
  private static let objects: [UInt64] = {
    var random = SeededRandom(state: 9)
    return (0..<3000).map { _ in min(random.next() % 200, random.next() % 200) }
  }()

  private static func hashed(_ object: UInt64) -> UInt64 { KeyHash.hash("\(object)") }

  @Test(arguments: [0, 1, 2])
  func keysOf8BytesAreRecognised(_ kind: Int) throws {
    let keys = Self.objects.map { [$0, $0 + 1 << 40, Self.hashed($0)][kind] }
    let trace = try trace(keys, bytes: 8)
    #expect(trace.requests.count == keys.count && trace.requests.objects == Set(keys).count)
    #expect(
      trace.notes == [
        "Keys are read as 8 bytes, because halves of 4 do not mix; --format cache2k:bytes=4 "
          + "changes this."
      ])
    #expect(try self.trace(keys, bytes: 8, "cache2k:bytes=4").requests.count == 2 * keys.count)
    #expect(try self.trace(keys, bytes: 8, "cache2k:bytes=8").notes.isEmpty)
  }

  @Test(arguments: [0, 1, 2])
  func keysOf4BytesAreRecognised(_ kind: Int) throws {
    let keys = Self.objects.map { [$0, $0 + 70_000, Self.hashed($0) >> 32][kind] }
    let trace = try trace(keys, bytes: 4)
    #expect(trace.requests.count == keys.count && trace.requests.objects == Set(keys).count)
    #expect(trace.notes.isEmpty)
  }

  /// Loops of an even length, and keys that do not repeat, may be either.
  @Test(arguments: [20, 100_000])
  func unclearLengthIsSaid(_ length: Int) throws {
    let keys = (0..<400).map { Self.hashed(UInt64($0 % length)) >> 32 }
    let trace = try trace(keys, bytes: 4)
    #expect(trace.requests.count == 400)
    #expect(trace.notes.contains { $0.hasPrefix("The first keys do not show") })
  }

  @Test func otherLengthIsRefused() throws {
    let text = message { _ = try trace([1, 2], bytes: 4, "cache2k:bytes=6") }
    #expect(text.contains("expected 4 or 8"), "\(text)")
  }
}
