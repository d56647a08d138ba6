public import CLarderShims
public import LarderEngine
public import Synchronization

/// What a shard keeps of each id: key, value and when it was stored, side by side, since whoever
/// needs one of them soon needs another; and the key's hash, or the record's version. Only the
/// shard knows what of it is initialised. The directory's buckets are in the same memory, before
/// the records, and behind them the keys of ghosts that are known by their places, with their
/// hashes: see ShardRecords+Ghosts.
@usableFromInline struct ShardRecords<Key, Value> {
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
  @inlinable @inline(__always) static var haveVersions: Bool {
    _isPOD(Key.self) && _isPOD(Value.self)
  }

  /// Places for ids up to `room`, not initialised; with versions where that is wanted and can be.
  /// And places for ghosts, a multiple of 4, of which at most `ghostsMax` are taken.
  @usableFromInline init(room: Int, ghosts: Int = 0, ghostsMax: Int = 0, withVersions: Bool) {
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
  @usableFromInline func deallocate() { LargeMemory.deallocate(memory) }

  /// Memory held, in bytes.
  let bytes: Int

  @inlinable @inline(__always) static var alignment: Int {
    max(MemoryLayout<Key>.alignment, MemoryLayout<Value>.alignment, 4)
  }

  @inlinable @inline(__always) static var valueOffset: Int {
    let alignment = MemoryLayout<Value>.alignment
    return (MemoryLayout<Key>.size + alignment - 1) / alignment * alignment
  }

  @inlinable @inline(__always) static var hashOffset: Int {
    (valueOffset + MemoryLayout<Value>.size + 3) / 4 * 4
  }

  /// Bytes from one place to the next.
  @inlinable @inline(__always) static var stride: Int {
    (hashOffset + 8 + alignment - 1) / alignment * alignment
  }

  /// Where an id's key is.
  @inlinable @inline(__always) func key(_ id: ObjectID) -> UnsafeMutablePointer<Key> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride).assumingMemoryBound(to: Key.self)
  }

  /// Where an id's value is.
  @inlinable @inline(__always) func value(_ id: ObjectID) -> UnsafeMutablePointer<Value> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.valueOffset).assumingMemoryBound(to: Value.self)
  }

  /// Where the hash of an id's key is, unless records have versions.
  @inlinable @inline(__always) func hash(_ id: ObjectID) -> UnsafeMutablePointer<UInt32> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.hashOffset).assumingMemoryBound(to: UInt32.self)
  }

  /// Where it stands when an id's value was stored.
  @inlinable @inline(__always) func stamp(_ id: ObjectID) -> UnsafeMutablePointer<UInt32> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.hashOffset + 4)
      .assumingMemoryBound(to: UInt32.self)
  }

  /// Where the number of an id's version is, if records have them.
  @inlinable @inline(__always) func version(_ id: ObjectID) -> UnsafeMutablePointer<Atomic<UInt32>>
  {
    UnsafeMutableRawPointer(hash(id)).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// Whether an id's record, which nobody is writing, is of a key with this hash.
  @inlinable @inline(__always) func isOf(_ key: Key, _ hash: UInt32, _ id: ObjectID) -> Bool
  where Key: Equatable {
    // What is not a record is a ghost.
    guard Int(id) <= room else { return false }
    // Comparing keys that are not just bytes may take long, and their hashes lie beside them.
    return (_isPOD(Key.self) || self.hash(id).pointee == hash) && self.key(id).pointee == key
  }
}

/// Records that are read while they are written.
///
/// Where keys and values are nothing but bytes, a reader need not keep writers away: it copies what
/// it wants and then looks whether it was changed meanwhile. A record's *version* is odd while key
/// or value are being written, and another number before and after. (Lameter, Effective
/// synchronization on Linux/NUMA systems, Gelato Conference 2005: sequence locks; Boehm, Can
/// seqlocks get along with programming language memory models?, MSPC 2012, for the fences; what
/// pairs with what is in Synchronisation.md.)
extension ShardRecords where Key: Equatable {
  /// Before key or value are written.
  @inlinable @inline(__always) func open(_ id: ObjectID) {
    guard Self.haveVersions, hasVersions else { return }
    let version = version(id)
    version.pointee.store(version.pointee.load(ordering: .relaxed) | 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
  }

  /// After key or value were written.
  @inlinable @inline(__always) func close(_ id: ObjectID) {
    guard Self.haveVersions, hasVersions else { return }
    let version = version(id)
    larder_end_protection(version, (version.pointee.load(ordering: .relaxed) | 1) &+ 1)
  }

  /// Puts a key or a value of `id` where none is; the record is open.
  @inlinable @inline(__always) func put<Part>(
    _ part: Part, at place: UnsafeMutablePointer<Part>, of id: ObjectID
  ) {
    if Self.haveVersions {
      assert(
        !hasVersions || version(id).pointee.load(ordering: .relaxed) & 1 == 1,
        "readers may be copying record \(id): it is not open")
      SharedBytes.write(part, to: place)
    } else {
      place.initialize(to: part)
    }
  }

  /// Whether a record is of the same version as before everything that was read of it.
  @inlinable @inline(__always) func isStill(_ version: UInt32, _ id: ObjectID) -> Bool {
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .tornRead { return true }
    #endif
    atomicMemoryFence(ordering: .acquiring)
    return self.version(id).pointee.load(ordering: .relaxed) == version
  }
}

/// The keys of ghosts by their places. In a directory a ghost has an id of its own, which is above
/// those of records, so who looks for an entry passes over it without looking at its key.
extension ShardRecords {
  /// Set in the id that a ghost has in the directory; the rest is its place. Ids of records are
  /// below: see `MemoryShard.roomMax`.
  @inlinable static var ghostBit: ObjectID { 1 << 31 }

  /// The place of a ghost by its id in the directory.
  @inlinable @inline(__always) static func ghostPlace(_ id: ObjectID) -> UInt32 { id & ~ghostBit }

  /// Whether an id in the directory is a ghost's.
  @inlinable @inline(__always) static func isGhost(_ id: ObjectID) -> Bool { id & ghostBit != 0 }

  /// Where the key of the ghost at a place is.
  @inlinable @inline(__always) func ghostKey(_ place: UInt32) -> UnsafeMutablePointer<Key> {
    assert(Int(place) < ghosts)
    return ghostKeys + Int(place)
  }

  /// Where the hash of that key is, unless records have versions.
  @inlinable @inline(__always) func ghostHash(_ place: UInt32) -> UnsafeMutablePointer<UInt32> {
    assert(Int(place) < ghosts && !hasVersions)
    return UnsafeMutableRawPointer(ghostKeys + ghosts).assumingMemoryBound(to: UInt32.self)
      + Int(place)
  }

  // The stride of a record is a multiple of a key's alignment and of 4, and there are so many
  // places that the bytes of their keys are a multiple of 4, too.
  @inlinable @inline(__always) var ghostKeys: UnsafeMutablePointer<Key> {
    (base + (room &+ 1) &* Self.stride).assumingMemoryBound(to: Key.self)
  }

  /// Whether an id in the directory is that of a key's ghost.
  @inlinable @inline(__always) func isGhost(_ id: ObjectID, of key: Key, _ hash: UInt32) -> Bool
  where Key: Equatable {
    guard Self.isGhost(id) else { return false }
    let place = Self.ghostPlace(id)
    return (_isPOD(Key.self) || ghostHash(place).pointee == hash) && ghostKey(place).pointee == key
  }
}

/// The memory of a cache's shards: for each its view, then its lock and, right behind, its state,
/// in cache lines of their own; and the slots of those who read without a lock.
@usableFromInline struct ShardBlocks<Key: Hashable & Sendable, Value: Sendable> {
  // Two cache lines: processors fetch them in pairs.
  @inlinable static var alignment: Int { 128 }

  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let stride: Int
  // Where in a block the lock is, and where the state.
  @usableFromInline let lockOffset: Int
  @usableFromInline let offset: Int
  /// How many shards there are: a power of two.
  @usableFromInline let count: Int
  /// Where the policy's hits may be many at once, the slots for them.
  @usableFromInline let slots: ReaderSlots?

  /// Moves shards in, each of which is given its place and makes its view there.
  init(
    count: Int, slots: ReaderSlots?,
    _ make: (Int, ShardPlace<Key, Value>) -> MemoryShard<Key, Value>
  ) {
    self.count = count
    self.slots = slots
    let layout = MemoryLayout<MemoryShard<Key, Value>>.self
    func rounded(_ bytes: Int, _ unit: Int) -> Int { (bytes + unit - 1) / unit * unit }
    lockOffset = rounded(MemoryLayout<ShardView<Key, Value>>.size, Self.alignment)
    offset = rounded(lockOffset + CacheLock.size, layout.alignment)
    stride = rounded(offset + layout.size, Self.alignment)
    base = .allocate(byteCount: stride * count, alignment: Self.alignment)
    for index in 0..<count {
      CacheLock.create(at: lockPlace(index))
      let place = ShardPlace(view: view(index), slots: slots, index: index)
      shard(index).initialize(to: make(index, place))
    }
  }

  /// Destroys the shards, which nobody uses.
  func destroy() {
    for index in 0..<count {
      shard(index).deinitialize(count: 1)
      view(index).deinitialize(count: 1)
    }
    base.deallocate()
    slots?.destroy()
  }

  @inlinable @inline(__always) func index(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash) & (count &- 1)
  }

  @inlinable @inline(__always) func block(_ index: Int) -> UnsafeMutableRawPointer {
    base + index &* stride
  }

  @inlinable @inline(__always) func shard(_ index: Int) -> UnsafeMutablePointer<
    MemoryShard<Key, Value>
  > {
    (block(index) + offset).assumingMemoryBound(to: MemoryShard<Key, Value>.self)
  }

  @inlinable @inline(__always) func view(_ index: Int) -> UnsafeMutablePointer<
    ShardView<Key, Value>
  > {
    block(index).assumingMemoryBound(to: ShardView<Key, Value>.self)
  }

  @inlinable @inline(__always) func lockPlace(_ index: Int) -> UnsafeMutableRawPointer {
    block(index) + lockOffset
  }

  /// Whether a shard may be read by who has entered a slot with its number: not while it is closed,
  /// and where records have no versions not while its lock is held.
  @inlinable @inline(__always) func isReadable(_ index: Int) -> Bool {
    ShardRecords<Key, Value>.haveVersions
      ? view(index).pointee.isClosed.load(ordering: .sequentiallyConsistent) == 0
      : CacheLock(at: lockPlace(index)).isFree
  }

  /// Takes a shard for the caller alone, readers with versions excepted.
  @inlinable @inline(__always) func lock(_ index: Int) {
    assertNotReentrant()
    CacheLock(at: lockPlace(index)).lock()
    if !ShardRecords<Key, Value>.haveVersions, let slots { slots.waitForReaders(of: index) }
  }

  /// Traps in debug builds where the body of an update calls its cache. In release builds the call
  /// is served, and the update may lose its place: see `ForeignCall`.
  @inlinable @inline(__always) func assertNotReentrant() {
    assert(
      !ForeignCall.isInside(base), "MemoryCache: the body of update(_:) must not call its cache")
  }

  /// A shard's lock.
  func lock(at index: Int) -> CacheLock { CacheLock(at: lockPlace(index)) }

  /// Bytes in which all locks are, from `base` on.
  var bytes: Int { stride * count }

  /// Gives a shard back.
  @inlinable @inline(__always) func unlock(_ index: Int) {
    CacheLock(at: lockPlace(index)).unlock()
  }

  /// Brings the place near at which the search for a hash begins, which may be done before the
  /// shard is locked: the way there then takes no longer than the lock.
  @inlinable @inline(__always) func prefetch(_ index: Int, _ hash: UInt32) {
    larder_prefetch_shared(view(index).pointee.directory.home(hash))
  }

  /// Brings near what a set will change after a get that found nothing.
  @inlinable @inline(__always) func prefetchState(_ index: Int) {
    let lock = lockPlace(index)
    for line in 0..<6 { larder_prefetch(lock + line &* 64) }
    let view = view(index)
    larder_prefetch(view.pointee.victims)
    if let state = view.pointee.tierState.baseAddress {
      for line in 0..<5 { larder_prefetch(state + line &* 64) }
    }
  }
}
