import LarderEngine
import LarderLibc
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes values and recognises them.
///
/// Every byte follows from key, version, length and seed. The first eight bytes are the version,
/// masked with a number derived from key and length, so that another key's value, or a truncated
/// one, has an impossible version. The next eight are a number derived from key, version and
/// length. The rest is copied from a pool of random bytes in blocks of 64 KiB, each from an offset
/// derived from that number. A value of fewer than 16 bytes is truncated.
struct ValuePattern: @unchecked Sendable {
  private let pool: UnsafeMutableRawPointer
  private let seed: UInt64
  private let allowsEmpty: Bool

  private static var blockBytes: Int { 1 << 16 }
  private static var asideBytesMax: Int { 4096 }

  /// The values of a seed. `memory` owns the pool; the pattern must not outlive it.
  init(seed: UInt64, allowsEmpty: Bool, in memory: HarnessMemory) {
    var random = SeededGenerator(seed: seed)
    let words = memory.allocate(2 * Self.blockBytes / 8) { _ in random.next() }
    pool = UnsafeMutableRawPointer(words)
    self.seed = seed
    self.allowsEmpty = allowsEmpty
  }

  /// Makes the value of a key. O(`bytes`).
  ///
  /// - Throws: `ValueMemoryError` if memory is exhausted.
  func make(key: UInt64, version: UInt32, bytes: Int) throws(ValueMemoryError) -> Data {
    // Measured for 100 and 1000 bytes: made in a buffer and copied 70 ns, in memory that is passed
    // on 95, in place 115. Large values are not worth a second copy.
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
    _ = blocks(second, bytes) { offset, block, length in
      memcpy(base + offset, block, length)
      return true
    }
  }

  /// The blocks of a value, until `body` returns false.
  @inline(__always) private func blocks(
    _ second: UInt64, _ bytes: Int,
    _ body: (_ offset: Int, _ block: UnsafeMutableRawPointer, _ length: Int) -> Bool
  ) -> Bool {
    var start = second
    for offset in stride(from: 16, to: bytes, by: Self.blockBytes) {
      let block = pool + Int(truncatingIfNeeded: start & 0xFFFF)
      guard body(offset, block, min(bytes - offset, Self.blockBytes)) else { return false }
      start &+= 0x9E37_79B9
    }
    return true
  }

  /// The version of a value that was read under a key; nil if it is none of the key's versions from
  /// `oldest` to `newest`. If a value is too short to distinguish versions, the oldest possible
  /// one. O(bytes) if the content is checked, else O(1).
  @inline(__always) func version(
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

  @inline(__always) private func version(
    _ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ oldest: UInt32
  ) -> UInt32? {
    let mask = mask(key, bytes.count)
    if bytes.count >= 8 { return UInt32(exactly: bytes.loadUnaligned(as: UInt64.self) ^ mask) }
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
    return blocks(second, bytes.count) { memcmp(base + $0, $1, $2) == 0 }
  }

  @inline(__always) private func mask(_ key: UInt64, _ bytes: Int) -> UInt64 {
    Self.mix(key ^ seed ^ UInt64(truncatingIfNeeded: bytes) &* 0xD6E8_FEB8_6659_FD93)
  }

  @inline(__always) private func second(_ key: UInt64, _ version: UInt32, _ bytes: Int) -> UInt64 {
    Self.mix(mask(key, bytes) &+ UInt64(version) &* 0xA076_1D64_78BD_642F &+ 1)
  }

  @inline(__always) private static func mix(_ value: UInt64) -> UInt64 {
    let product = (value ^ 0x2D35_8DCC_AA6C_78A5).multipliedFullWidth(by: 0x8BB8_4B93_962E_ACC9)
    return product.high ^ product.low
  }
}

struct ValueMemoryError: Error, Hashable, CustomStringConvertible {
  let bytes: Int

  var description: String {
    "no memory for a value of \(bytes) bytes; choose smaller values, or fewer threads"
  }
}

/// The origin's version of each object, and the versions that a cache may still hold.
///
/// Every set, delete and modify makes a new version. A write (fill, set or remove) without any
/// concurrent write to its object leaves nothing older in the cache: its version becomes the
/// *floor*. While writes overlap the cache may keep any of them, and the floor stays. A fill is in
/// progress from before it asks the origin for the version. A get may thus return versions from the
/// floor at its beginning to the version current at its end; with one thread only the floor.
struct ObjectVersions: @unchecked Sendable {
  // Low half: the floor. Next 10 bits: writes in progress. The rest: writes begun, wrapping around.
  private let writes: UnsafeMutablePointer<Atomic<UInt64>>
  private let versions: UnsafeMutablePointer<Atomic<UInt32>>
  private let count: Int
  private let isShared: Bool

  private static var oneUnderWay: UInt64 { 1 << 32 }
  private static var oneBegun: UInt64 { 1 << 42 }
  private static var floorMask: UInt64 { 0xFFFF_FFFF }

  struct Write {
    var begun: UInt64
    var isAlone: Bool
  }

  /// Sets the version of each object to 1. `objects` is the largest id; 0 if versions never change
  /// and need not be kept. `memory` owns the versions.
  init(objects: Int, isShared: Bool, in memory: HarnessMemory) {
    count = objects == 0 ? 0 : objects + 1
    self.isShared = isShared
    writes = memory.allocate(count) { _ in Atomic(1) }
    versions = memory.allocate(count) { _ in Atomic(1) }
  }

  @inline(__always) func current(_ id: ObjectID) -> UInt32 {
    count == 0 ? 1 : versions[Int(id)].load(ordering: .acquiring)
  }

  /// The oldest version that a get beginning now may return.
  @inline(__always) func floor(_ id: ObjectID) -> UInt32 {
    guard count > 0 else { return 1 }
    return UInt32(truncatingIfNeeded: writes[Int(id)].load(ordering: .acquiring))
  }

  func advance(_ id: ObjectID) -> UInt32 {
    guard count > 0 else { return 1 }
    if isShared {
      return versions[Int(id)].wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    }
    let version = versions[Int(id)].load(ordering: .relaxed) &+ 1
    versions[Int(id)].store(version, ordering: .relaxed)
    return version
  }

  @inline(__always) func begin(_ id: ObjectID) -> Write {
    guard count > 0, isShared else { return Write(begun: 0, isAlone: true) }
    let word = writes[Int(id)].wrappingAdd(
      Self.oneUnderWay &+ Self.oneBegun, ordering: .acquiringAndReleasing
    ).newValue
    return Write(
      begun: word / Self.oneBegun,
      isAlone: word % Self.oneBegun / Self.oneUnderWay == 1)
  }

  @inline(__always) func end(_ write: Write, of id: ObjectID, version: UInt32) {
    guard count > 0 else { return }
    guard isShared else {
      writes[Int(id)].store(UInt64(version), ordering: .relaxed)
      return
    }
    var word = writes[Int(id)].load(ordering: .relaxed)
    while true {
      var next = word &- Self.oneUnderWay
      if write.isAlone, word / Self.oneBegun == write.begun {
        next = next & ~Self.floorMask | UInt64(version)
      }
      let (exchanged, original) = writes[Int(id)].weakCompareExchange(
        expected: word, desired: next, ordering: .acquiringAndReleasing)
      if exchanged { return }
      word = original
    }
  }
}

/// Memory that all threads of a run read through pointers, so that their state has no references to
/// count, which would cost more than the work. Freed with this object.
final class HarnessMemory: @unchecked Sendable {
  private var ends: [() -> Void] = []

  /// Memory for `count` values, each made by `make`. Must be called before threads start.
  func allocate<Value: ~Copyable>(
    _ count: Int, _ make: (Int) -> Value
  ) -> UnsafeMutablePointer<Value> {
    let base = UnsafeMutablePointer<Value>.allocate(capacity: count)
    for place in 0..<count { (base + place).initialize(to: make(place)) }
    ends.append {
      base.deinitialize(count: count)
      base.deallocate()
    }
    return base
  }

  deinit {
    for end in ends { end() }
  }
}
