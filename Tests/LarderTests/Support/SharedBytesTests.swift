import Synchronization
import Testing

@testable import Larder

@Suite struct SharedBytesTests {
  private struct Odd: Equatable {
    var long: UInt64
    var short: UInt16
    var byte: UInt8
  }

  private func roundTrip<Value>(_ value: Value, over other: Value) -> Value {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { places in
      places.initialize(repeating: other)
      guard let first = places.baseAddress else { return other }
      SharedBytes.write(value, to: first)
      return SharedBytes.read(first)
    }
  }

  @Test func writtenValuesAreRead() {
    #expect(roundTrip(0x0102_0304_0506_0708, over: -1) == 0x0102_0304_0506_0708)
    #expect(roundTrip(UInt8(7), over: 255) == 7)
    #expect(roundTrip(Float(1.5), over: 0) == 1.5)
    #expect(roundTrip(true, over: false))
    #expect(roundTrip(Int?.none, over: 3) == nil)
    #expect(roundTrip(Int?.some(4), over: nil) == 4)
    let odd = Odd(long: .max, short: 0x1234, byte: 0x56)
    #expect(roundTrip(odd, over: Odd(long: 0, short: 0, byte: 0)) == odd)
    let pair = roundTrip((UInt32(1), UInt16(2), UInt16(3)), over: (9, 9, 9))
    #expect(pair == (1, 2, 3))
    roundTrip((), over: ())
  }

  /// The bytes next to a value belong to others.
  @Test func neighbouringBytesAreUnchanged() {
    withUnsafeTemporaryAllocation(byteCount: 48, alignment: 8) { bytes in
      for place in bytes.indices { bytes[place] = 0xAA }
      guard let base = bytes.baseAddress else { return }
      let odd = Odd(long: 0, short: 0, byte: 0)
      SharedBytes.write(odd, to: (base + 16).assumingMemoryBound(to: Odd.self))
      let size = MemoryLayout<Odd>.size
      #expect(bytes[..<16].allSatisfy { $0 == 0xAA })
      #expect(bytes[(16 + size)...].allSatisfy { $0 == 0xAA })
      // Padding may be written or not.
      #expect(bytes[16..<26].allSatisfy { $0 == 0 } && bytes[26] == 0)
    }
  }
}
