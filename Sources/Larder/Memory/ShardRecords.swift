public import CLarderShims
public import LarderEngine
public import Synchronization

/// The records of a shard, one per id: key, value, storage time, and the key's hash or the record's
/// version; and the keys and hashes of ghosts known by their slots.
@usableFromInline struct ShardRecords<Key, Value> {
  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let room: Int
  @usableFromInline let ghostKeys: UnsafeMutablePointer<Key>
  @usableFromInline let ghostHashes: UnsafeMutablePointer<UInt32>
  @usableFromInline let ghosts: Int
  @usableFromInline let hasVersions: Bool

  @inlinable @inline(__always) static var haveVersions: Bool {
    _isPOD(Key.self) && _isPOD(Value.self)
  }

  /// Allocates uninitialised records for ids up to `room`, with versions if wanted and possible.
  @usableFromInline init(room: Int, withVersions: Bool) {
    self.room = room
    hasVersions = withVersions && Self.haveVersions
    base = LargeMemory.allocate(bytes: Self.bytes(room: room), alignment: Self.alignment)
    ghosts = 0
    // Not used.
    ghostKeys = base.assumingMemoryBound(to: Key.self)
    ghostHashes = base.assumingMemoryBound(to: UInt32.self)
  }

  private init(
    base: UnsafeMutableRawPointer, room: Int, ghostKeys: UnsafeMutableRawPointer,
    ghostHashes: UnsafeMutableRawPointer, ghosts: Int, hasVersions: Bool
  ) {
    (self.base, self.room, self.ghosts, self.hasVersions) = (base, room, ghosts, hasVersions)
    self.ghostKeys = ghostKeys.assumingMemoryBound(to: Key.self)
    self.ghostHashes = ghostHashes.assumingMemoryBound(to: UInt32.self)
  }

  @usableFromInline func deallocate() {
    deallocateRecords()
    if ghosts == 0 { return }
    LargeMemory.deallocate(ghostKeys, bytes: Self.keyBytes(ghosts))
    if !hasVersions { LargeMemory.deallocate(ghostHashes, bytes: Self.hashBytes(ghosts)) }
  }

  /// Makes room for ids up to `wanted`, for keys and values that can be moved as bytes.
  @usableFromInline consuming func grown(to wanted: Int) -> ShardRecords {
    with(
      LargeMemory.grow(
        base, from: Self.bytes(room: room), to: Self.bytes(room: wanted),
        alignment: Self.alignment), room: wanted)
  }

  /// Uninitialised records for ids up to `wanted`, with the same ghosts.
  @usableFromInline func copy(room wanted: Int) -> ShardRecords {
    with(
      LargeMemory.allocate(bytes: Self.bytes(room: wanted), alignment: Self.alignment),
      room: wanted)
  }

  private func with(_ base: UnsafeMutableRawPointer, room: Int) -> ShardRecords {
    ShardRecords(
      base: base, room: room, ghostKeys: ghostKeys, ghostHashes: ghostHashes, ghosts: ghosts,
      hasVersions: hasVersions)
  }

  @usableFromInline func deallocateRecords() {
    LargeMemory.deallocate(base, bytes: Self.bytes(room: room))
  }

  /// Adds slots for ghosts. The ids are asked for if keys cannot be moved as bytes.
  @usableFromInline consuming func grown(ghosts wanted: Int, where ids: () -> [ObjectID])
    -> ShardRecords
  {
    let keys: UnsafeMutableRawPointer
    if ghosts > 0, _isBitwiseTakable(Key.self) {
      keys = LargeMemory.grow(
        ghostKeys, from: Self.keyBytes(ghosts), to: Self.keyBytes(wanted),
        alignment: Self.alignment)
    } else {
      keys = LargeMemory.allocate(bytes: Self.keyBytes(wanted), alignment: Self.alignment)
      for id in ids() where ghosts > 0 && Self.isGhost(id) {
        let place = Self.ghostPlace(id)
        (keys.assumingMemoryBound(to: Key.self) + Int(place)).moveInitialize(
          from: ghostKey(place), count: 1)
      }
      if ghosts > 0 { LargeMemory.deallocate(ghostKeys, bytes: Self.keyBytes(ghosts)) }
    }
    var hashes = keys
    if !hasVersions {
      hashes =
        ghosts > 0
        ? LargeMemory.grow(
          ghostHashes, from: Self.hashBytes(ghosts), to: Self.hashBytes(wanted))
        : LargeMemory.allocate(bytes: Self.hashBytes(wanted))
    }
    return ShardRecords(
      base: base, room: room, ghostKeys: keys, ghostHashes: hashes, ghosts: wanted,
      hasVersions: hasVersions)
  }

  private static func keyBytes(_ ghosts: Int) -> Int { ghosts * max(1, MemoryLayout<Key>.stride) }

  private static func hashBytes(_ ghosts: Int) -> Int { ghosts * MemoryLayout<UInt32>.stride }

  private static func bytes(room: Int) -> Int {
    // At most an eighth more: memory not used for entries belongs to the app.
    LargeMemory.rounded((room + 1) * stride, adding: 0.125)
  }

  @usableFromInline var bytes: Int {
    Self.bytes(room: room) + Self.keyBytes(ghosts) + (hasVersions ? 0 : Self.hashBytes(ghosts))
  }

  /// True if keys and values can be moved as bytes. Weak references cannot.
  @inlinable static var areMovable: Bool {
    _isBitwiseTakable(Key.self) && _isBitwiseTakable(Value.self)
  }

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

  @inlinable @inline(__always) static var stride: Int {
    (hashOffset + 8 + alignment - 1) / alignment * alignment
  }

  @inlinable @inline(__always) func key(_ id: ObjectID) -> UnsafeMutablePointer<Key> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride).assumingMemoryBound(to: Key.self)
  }

  @inlinable @inline(__always) func value(_ id: ObjectID) -> UnsafeMutablePointer<Value> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.valueOffset).assumingMemoryBound(to: Value.self)
  }

  @inlinable @inline(__always) func hash(_ id: ObjectID) -> UnsafeMutablePointer<UInt32> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.hashOffset).assumingMemoryBound(to: UInt32.self)
  }

  @inlinable @inline(__always) func stamp(_ id: ObjectID) -> UnsafeMutablePointer<UInt32> {
    assert(Int(id) <= room)
    return (base + Int(id) &* Self.stride + Self.hashOffset + 4)
      .assumingMemoryBound(to: UInt32.self)
  }

  @inlinable @inline(__always) func version(_ id: ObjectID) -> UnsafeMutablePointer<Atomic<UInt32>>
  {
    UnsafeMutableRawPointer(hash(id)).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  @inlinable @inline(__always) func isOf(_ key: Key, _ hash: UInt32, _ id: ObjectID) -> Bool
  where Key: Equatable {
    // Ids above the records are ghosts.
    guard Int(id) <= room else { return false }
    // Comparing keys that are not trivial types may be slow, so compare the hash next to them
    // first.
    return (_isPOD(Key.self) || self.hash(id).pointee == hash) && self.key(id).pointee == key
  }
}

/// Records that are read while they are written. A reader copies what it needs and then checks that
/// the record's *version*, which is odd while key or value are being written, is still the same.
/// (Sequence locks; Boehm, Can seqlocks get along with programming language memory models?, MSPC
/// 2012, for the fences; Synchronisation.md lists which operations pair up.)
extension ShardRecords where Key: Equatable {
  @inlinable @inline(__always) func open(_ id: ObjectID) {
    guard Self.haveVersions, hasVersions else { return }
    let version = version(id)
    version.pointee.store(version.pointee.load(ordering: .relaxed) | 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
  }

  @inlinable @inline(__always) func close(_ id: ObjectID) {
    guard Self.haveVersions, hasVersions else { return }
    let version = version(id)
    larder_end_protection(version, (version.pointee.load(ordering: .relaxed) | 1) &+ 1)
  }

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

  @inlinable @inline(__always) func isStill(_ version: UInt32, _ id: ObjectID) -> Bool {
    atomicMemoryFence(ordering: .acquiring)
    return self.version(id).pointee.load(ordering: .relaxed) == version
  }
}

/// Keys of ghosts by their slots. A ghost's id in the directory is above those of records, so that
/// a search for an entry skips it without comparing keys.
extension ShardRecords {
  /// Set in the id that a ghost has in the directory; the other bits are its slot. Ids of records
  /// are below: see `MemoryShard.roomMax`.
  @inlinable static var ghostBit: ObjectID { 1 << 31 }

  @inlinable @inline(__always) static func ghostPlace(_ id: ObjectID) -> UInt32 { id & ~ghostBit }

  @inlinable @inline(__always) static func isGhost(_ id: ObjectID) -> Bool { id & ghostBit != 0 }

  @inlinable @inline(__always) func ghostKey(_ place: UInt32) -> UnsafeMutablePointer<Key> {
    assert(Int(place) < ghosts)
    return ghostKeys + Int(place)
  }

  @inlinable @inline(__always) func ghostHash(_ place: UInt32) -> UnsafeMutablePointer<UInt32> {
    assert(Int(place) < ghosts && !hasVersions)
    return ghostHashes + Int(place)
  }

  @inlinable @inline(__always) func isGhost(_ id: ObjectID, of key: Key, _ hash: UInt32) -> Bool
  where Key: Equatable {
    guard Self.isGhost(id) else { return false }
    let place = Self.ghostPlace(id)
    return (_isPOD(Key.self) || ghostHash(place).pointee == hash) && ghostKey(place).pointee == key
  }
}

/// Memory of a cache's shards: for each its view, then its lock followed by its state, on separate
/// cache lines; and the slots of lock-free readers.
@usableFromInline struct ShardBlocks<Key: Hashable & Sendable, Value: Sendable> {
  // Two cache lines: processors fetch them in pairs.
  @inlinable static var alignment: Int { 128 }

  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let stride: Int
  // Offsets of lock and state in a block.
  @usableFromInline let lockOffset: Int
  @usableFromInline let offset: Int
  @usableFromInline let count: Int
  @usableFromInline let slots: ReaderSlots?

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

  /// True if a reader that has entered a slot for the shard may read it: not while it is closed
  /// and, without versions, not while its lock is held.
  @inlinable @inline(__always) func isReadable(_ index: Int) -> Bool {
    ShardRecords<Key, Value>.haveVersions
      ? view(index).pointee.isClosed.load(ordering: .sequentiallyConsistent) == 0
      : CacheLock(at: lockPlace(index)).isFree
  }

  @inlinable @inline(__always) func lock(_ index: Int) {
    assertNotReentrant()
    CacheLock(at: lockPlace(index)).lock()
    DebugWork.begin()
    if !ShardRecords<Key, Value>.haveVersions, let slots { slots.waitForReaders(of: index) }
  }

  /// Traps in debug builds if the body of an update calls its cache. Release builds serve the call,
  /// and the update may lose its isolation: see `ForeignCall`.
  @inlinable @inline(__always) func assertNotReentrant() {
    assert(
      !ForeignCall.isInside(base), "MemoryCache: the body of update(_:) must not call its cache")
  }

  func lock(at index: Int) -> CacheLock { CacheLock(at: lockPlace(index)) }

  var bytes: Int { stride * count }

  @inlinable @inline(__always) func unlock(_ index: Int) {
    DebugWork.end()
    CacheLock(at: lockPlace(index)).unlock()
  }

  /// Prefetches the first directory bucket of a hash; allowed before the shard is locked, so that
  /// both latencies overlap.
  @inlinable @inline(__always) func prefetch(_ index: Int, _ hash: UInt32) {
    larder_prefetch_shared(view(index).pointee.directory.home(hash))
  }

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
