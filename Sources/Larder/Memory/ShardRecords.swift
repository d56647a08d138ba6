public import LarderEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a shard keeps of each id: key, value, the key's hash and when it was stored, side by side,
/// since whoever needs one of them soon needs another. Which of it is initialised is the shard's to
/// know.
@usableFromInline
struct ShardRecords<Key, Value> {
  /// The place of id 0, which is not used.
  @usableFromInline let base: UnsafeMutableRawPointer
  /// The largest id that has a place.
  @usableFromInline let room: Int

  /// Places for ids up to `room`, not initialised.
  @inlinable
  init(room: Int) {
    self.room = room
    base = LargeMemory.allocate(
      bytes: (room + 1) * Self.stride, alignment: max(Self.alignment, 64))
  }

  /// Gives the memory back; nothing in it is initialised.
  @inlinable
  func deallocate() { LargeMemory.deallocate(base) }

  /// Memory held, in bytes.
  var bytes: Int { (room + 1) * Self.stride }

  @inlinable
  @inline(__always)
  static var alignment: Int {
    max(MemoryLayout<Key>.alignment, MemoryLayout<Value>.alignment, 4)
  }

  @inlinable
  @inline(__always)
  static var valueOffset: Int {
    let alignment = MemoryLayout<Value>.alignment
    return (MemoryLayout<Key>.size + alignment - 1) / alignment * alignment
  }

  @inlinable
  @inline(__always)
  static var hashOffset: Int { (valueOffset + MemoryLayout<Value>.size + 3) / 4 * 4 }

  /// Bytes from one place to the next.
  @inlinable
  @inline(__always)
  static var stride: Int { (hashOffset + 8 + alignment - 1) / alignment * alignment }

  /// Where an id's key is.
  @inlinable
  @inline(__always)
  func key(_ id: ObjectID) -> UnsafeMutablePointer<Key> {
    (base + Int(id) &* Self.stride).assumingMemoryBound(to: Key.self)
  }

  /// Where an id's value is.
  @inlinable
  @inline(__always)
  func value(_ id: ObjectID) -> UnsafeMutablePointer<Value> {
    (base + Int(id) &* Self.stride + Self.valueOffset).assumingMemoryBound(to: Value.self)
  }

  /// Where the hash of an id's key is.
  @inlinable
  @inline(__always)
  func hash(_ id: ObjectID) -> UnsafeMutablePointer<UInt32> {
    (base + Int(id) &* Self.stride + Self.hashOffset).assumingMemoryBound(to: UInt32.self)
  }

  /// Where it stands when an id's value was stored.
  @inlinable
  @inline(__always)
  func stamp(_ id: ObjectID) -> UnsafeMutablePointer<UInt32> {
    (base + Int(id) &* Self.stride + Self.hashOffset + 4)
      .assumingMemoryBound(to: UInt32.self)
  }
}
