public import LarderEngine
public import Synchronization

/// What a shard keeps of each id: key, value and when it was stored, side by side, since whoever
/// needs one of them soon needs another; and the key's hash, or the record's version. Only the
/// shard knows what of it is initialised. The directory's buckets are in the same memory, before
/// the records, and behind them the keys of ghosts that are known by their places, with their
/// hashes: see ShardRecords+Ghosts.
@usableFromInline
struct ShardRecords<Key, Value> {
  /// The place of id 0, which is not used.
  @usableFromInline let base: UnsafeMutableRawPointer
  /// The memory that all this is in, which begins with the directory's buckets.
  @usableFromInline let memory: UnsafeMutableRawPointer
  /// The largest id that has a place.
  @usableFromInline let room: Int
  /// How many places for ghosts there are.
  @usableFromInline let ghosts: Int
  /// How many keys the directory is for: those of the records and of at most so many ghosts.
  @usableFromInline let keysMax: Int
  /// Whether records have versions, and then no hashes.
  @usableFromInline let hasVersions: Bool

  /// Whether records can have versions; they do where gets take no lock.
  @inlinable
  @inline(__always)
  static var haveVersions: Bool { _isPOD(Key.self) && _isPOD(Value.self) }

  /// Places for ids up to `room`, not initialised; with versions where that is wanted and can be.
  /// And places for ghosts, a multiple of 4, of which at most `ghostsMax` are taken.
  @usableFromInline
  init(room: Int, ghosts: Int = 0, ghostsMax: Int = 0, withVersions: Bool) {
    assert(ghosts % 4 == 0)
    self.room = room
    self.ghosts = ghosts
    keysMax = room + min(ghosts, ghostsMax)
    hasVersions = withVersions && Self.haveVersions
    let unit = max(Self.alignment, 64)
    let offset = (KeyDirectory.bytes(objects: keysMax) + unit - 1) / unit * unit
    let keys = (room + 1) * Self.stride
    let hashes = hasVersions ? 0 : MemoryLayout<UInt32>.stride
    let needed = offset + keys + ghosts * (MemoryLayout<Key>.stride + hashes)
    // An eighth more at most: what a cache holds beside its entries is its users'.
    bytes = LargeMemory.rounded(needed, adding: 0.125)
    memory = LargeMemory.allocate(bytes: bytes, alignment: Self.alignment)
    base = memory + offset
  }

  /// Gives the memory back, the directory's too; nothing in it is initialised.
  @usableFromInline
  func deallocate() { LargeMemory.deallocate(memory) }

  /// Memory held, in bytes.
  let bytes: Int

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
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride).assumingMemoryBound(to: Key.self)
  }

  /// Where an id's value is.
  @inlinable
  @inline(__always)
  func value(_ id: ObjectID) -> UnsafeMutablePointer<Value> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.valueOffset).assumingMemoryBound(to: Value.self)
  }

  /// Where the hash of an id's key is, unless records have versions.
  @inlinable
  @inline(__always)
  func hash(_ id: ObjectID) -> UnsafeMutablePointer<UInt32> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.hashOffset).assumingMemoryBound(to: UInt32.self)
  }

  /// Where it stands when an id's value was stored.
  @inlinable
  @inline(__always)
  func stamp(_ id: ObjectID) -> UnsafeMutablePointer<UInt32> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.hashOffset + 4)
      .assumingMemoryBound(to: UInt32.self)
  }

  /// Where the number of an id's version is, if records have them.
  @inlinable
  @inline(__always)
  func version(_ id: ObjectID) -> UnsafeMutablePointer<Atomic<UInt32>> {
    UnsafeMutableRawPointer(hash(id)).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// Whether an id's record, which nobody is writing, is of a key with this hash.
  @inlinable
  @inline(__always)
  func isOf(_ key: Key, _ hash: UInt32, _ id: ObjectID) -> Bool where Key: Equatable {
    // What is not a record is a ghost.
    guard Int(id) <= room else { return false }
    // Comparing keys that are not just bytes may take long, and their hashes lie beside them.
    return (_isPOD(Key.self) || self.hash(id).pointee == hash) && self.key(id).pointee == key
  }
}
