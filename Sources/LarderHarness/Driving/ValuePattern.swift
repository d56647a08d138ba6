import LarderEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes values and tells whether a value is one of them.
///
/// Every byte follows from key, version, length and seed. The first eight bytes are the version,
/// hidden behind a number made from key and length, so that another key's value, or one that is cut
/// short, has an impossible version. The next eight are a number made from key, version and length.
/// The rest is copied from a pool of random bytes, in blocks of 64 KiB, each from a place in it
/// that follows from that number. A value of fewer than 16 bytes has as many of them as there is
/// room for.
struct ValuePattern: @unchecked Sendable {
  private let pool: UnsafeMutableRawPointer
  private let seed: UInt64
  private let allowsEmpty: Bool

  private static var blockBytes: Int { 1 << 16 }
  private static var asideBytesMax: Int { 4096 }

  /// Values of a seed.
  ///
  /// - Parameters:
  ///   - allowsEmpty: whether any of them may be empty.
  ///   - memory: what it may be used as long as.
  init(seed: UInt64, allowsEmpty: Bool, in memory: HarnessMemory) {
    var random = SeededGenerator(seed: seed)
    let words = memory.allocate(2 * Self.blockBytes / 8) { _ in random.next() }
    pool = UnsafeMutableRawPointer(words)
    self.seed = seed
    self.allowsEmpty = allowsEmpty
  }

  /// The value of a key. O(`bytes`).
  ///
  /// - Throws: when there is no memory for it.
  func make(key: UInt64, version: UInt32, bytes: Int) throws(ValueMemoryError) -> Data {
    // Measured for 100 and 1000 bytes: made aside and copied 70 ns, in memory that is handed over
    // 95, in place 115. Large values are not worth a second copy.
    guard bytes > Self.asideBytesMax else {
      return withUnsafeTemporaryAllocation(byteCount: bytes, alignment: 8) { aside in
        write(key, version, to: aside)
        return Data(aside)
      }
    }
    guard let memory = malloc(bytes) else { throw ValueMemoryError(bytes: bytes) }
    write(key, version, to: UnsafeMutableRawBufferPointer(start: memory, count: bytes))
    return Data(bytesNoCopy: memory, count: bytes, deallocator: .free)
  }

  private func write(_ key: UInt64, _ version: UInt32, to value: UnsafeMutableRawBufferPointer) {
    let bytes = value.count
    guard let base = value.baseAddress else { return }
    let second = second(key, version, bytes)
    var header = (UInt64(version) ^ mask(key, bytes), second)
    memcpy(base, &header, min(bytes, 16))
    var (offset, block) = (16, 0)
    while offset < bytes {
      let length = min(bytes - offset, Self.blockBytes)
      memcpy(base + offset, pool + start(second, block), length)
      offset += length
      block += 1
    }
  }

  /// The version of a value that was read under a key, or nil when it is not one of the key's from
  /// `oldest` to `newest`. Where a value is too short to tell versions apart, the oldest that it
  /// may be. O(bytes) when the content is checked, O(1) otherwise.
  @inline(__always)
  func version(
    of value: Data, key: UInt64, from oldest: UInt32, to newest: UInt32, checksContent: Bool
  ) -> UInt32? {
    value.withUnsafeBytes { bytes in
      guard let version = version(bytes, key, oldest), version >= oldest, version <= newest else {
        return nil
      }
      guard bytes.count > 8 else { return version }
      let second = second(key, version, bytes.count)
      guard bytes.count >= 16 else {
        return withUnsafeBytes(of: second) { expected in
          zip(bytes.dropFirst(8), expected).allSatisfy { $0 == $1 } ? version : nil
        }
      }
      guard bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == second else { return nil }
      return !checksContent || hasContent(bytes, second) ? version : nil
    }
  }

  /// The version that the first bytes tell, of those from `oldest` on; nil when they tell none.
  @inline(__always)
  private func version(
    _ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ oldest: UInt32
  ) -> UInt32? {
    let mask = mask(key, bytes.count)
    if bytes.count >= 8 {
      return UInt32(exactly: bytes.loadUnaligned(as: UInt64.self) ^ mask)
    }
    if bytes.count == 0 { return allowsEmpty ? oldest : nil }
    var word: UInt64 = 0
    for place in 0..<bytes.count { word |= UInt64(bytes[place]) << UInt64(8 * place) }
    let known = UInt64.max >> UInt64(64 - 8 * bytes.count)
    word = (word ^ mask) & known
    if bytes.count >= 4 { return UInt32(exactly: word) }
    return oldest &+ UInt32(truncatingIfNeeded: (word &- UInt64(oldest)) & known)
  }

  private func hasContent(_ bytes: UnsafeRawBufferPointer, _ second: UInt64) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    var (offset, block) = (16, 0)
    while offset < bytes.count {
      let length = min(bytes.count - offset, Self.blockBytes)
      guard memcmp(base + offset, pool + start(second, block), length) == 0 else {
        return false
      }
      offset += length
      block += 1
    }
    return true
  }

  @inline(__always)
  private func mask(_ key: UInt64, _ bytes: Int) -> UInt64 {
    Self.mix(key ^ seed ^ UInt64(truncatingIfNeeded: bytes) &* 0xD6E8_FEB8_6659_FD93)
  }

  @inline(__always)
  private func second(_ key: UInt64, _ version: UInt32, _ bytes: Int) -> UInt64 {
    Self.mix(mask(key, bytes) &+ UInt64(version) &* 0xA076_1D64_78BD_642F &+ 1)
  }

  /// Where in the pool a block of a value begins.
  @inline(__always)
  private func start(_ second: UInt64, _ block: Int) -> Int {
    Int(truncatingIfNeeded: (second &+ UInt64(block) &* 0x9E37_79B9) & 0xFFFF)
  }

  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    let product = (value ^ 0x2D35_8DCC_AA6C_78A5).multipliedFullWidth(by: 0x8BB8_4B93_962E_ACC9)
    return product.high ^ product.low
  }
}

/// There is no memory for a value.
struct ValueMemoryError: Error, Hashable, CustomStringConvertible {
  /// The value's size.
  let bytes: Int

  /// One line for a person.
  var description: String {
    "no memory for a value of \(bytes) bytes; choose smaller values, or fewer threads"
  }
}
