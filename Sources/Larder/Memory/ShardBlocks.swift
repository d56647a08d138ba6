public import CLarderShims
public import Synchronization

/// The memory of a cache's shards: for each its view, then its lock and, right behind, its state,
/// in cache lines of their own; and the slots of those who read without a lock.
@usableFromInline
struct ShardBlocks<Key: Hashable & Sendable, Value: Sendable> {
  // Two cache lines: processors fetch them in pairs.
  @inlinable
  static var alignment: Int { 128 }

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

  @inlinable
  @inline(__always)
  func index(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (count &- 1) }

  @inlinable
  @inline(__always)
  func block(_ index: Int) -> UnsafeMutableRawPointer { base + index &* stride }

  @inlinable
  @inline(__always)
  func shard(_ index: Int) -> UnsafeMutablePointer<MemoryShard<Key, Value>> {
    (block(index) + offset).assumingMemoryBound(to: MemoryShard<Key, Value>.self)
  }

  @inlinable
  @inline(__always)
  func view(_ index: Int) -> UnsafeMutablePointer<ShardView<Key, Value>> {
    block(index).assumingMemoryBound(to: ShardView<Key, Value>.self)
  }

  @inlinable
  @inline(__always)
  func lockPlace(_ index: Int) -> UnsafeMutableRawPointer { block(index) + lockOffset }

  /// Whether a shard may be read by who has entered a slot with its number: not while it is closed,
  /// and where records have no versions not while its lock is held.
  @inlinable
  @inline(__always)
  func isReadable(_ index: Int) -> Bool {
    ShardRecords<Key, Value>.haveVersions
      ? view(index).pointee.isClosed.load(ordering: .sequentiallyConsistent) == 0
      : CacheLock(at: lockPlace(index)).isFree
  }

  /// Takes a shard for the caller alone, readers with versions excepted.
  @inlinable
  @inline(__always)
  func lock(_ index: Int) {
    assertNotReentrant()
    CacheLock(at: lockPlace(index)).lock()
    if !ShardRecords<Key, Value>.haveVersions, let slots { slots.waitForReaders(of: index) }
  }

  /// Traps in debug builds where the body of an update calls its cache. In release builds the call
  /// is served, and the update may lose its place: see `ForeignCall`.
  @inlinable
  @inline(__always)
  func assertNotReentrant() {
    assert(
      !ForeignCall.isInside(base), "MemoryCache: the body of update(_:) must not call its cache")
  }

  /// A shard's lock.
  func lock(at index: Int) -> CacheLock { CacheLock(at: lockPlace(index)) }

  /// Bytes in which all locks are, from `base` on.
  var bytes: Int { stride * count }

  /// Gives a shard back.
  @inlinable
  @inline(__always)
  func unlock(_ index: Int) { CacheLock(at: lockPlace(index)).unlock() }

  /// Brings the place near at which the search for a hash begins, which may be done before the
  /// shard is locked: the way there then takes no longer than the lock.
  @inlinable
  @inline(__always)
  func prefetch(_ index: Int, _ hash: UInt32) {
    larder_prefetch_shared(view(index).pointee.directory.home(hash))
  }

  /// Brings near what a set will change after a get that found nothing.
  @inlinable
  @inline(__always)
  func prefetchState(_ index: Int) {
    let lock = lockPlace(index)
    for line in 0..<6 { larder_prefetch(lock + line &* 64) }
    let view = view(index)
    larder_prefetch(view.pointee.victims)
    if let state = view.pointee.tierState.baseAddress {
      for line in 0..<5 { larder_prefetch(state + line &* 64) }
    }
  }
}
