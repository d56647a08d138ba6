public import CLarderShims
public import Synchronization

/// The memory of a cache's shards: for each its lock and, right behind, its state, in cache lines
/// of their own; and the gates of those who read without a lock.
@usableFromInline
struct ShardBlocks<Key: Hashable & Sendable, Value: Sendable> {
  // Two cache lines: processors fetch them in pairs.
  @inlinable
  static var alignment: Int { 128 }

  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let stride: Int
  @usableFromInline let offset: Int
  /// How many shards there are: a power of two.
  @usableFromInline let count: Int
  /// Where the policy's hits may be many at once, the gates for them.
  @usableFromInline let gates: HitGates?

  /// Moves shards in, each of which is given its address.
  init(
    count: Int, gates: HitGates?,
    _ make: (Int, UnsafeMutablePointer<ShardAddress>) -> MemoryShard<Key, Value>
  ) {
    self.count = count
    self.gates = gates
    let layout = MemoryLayout<MemoryShard<Key, Value>>.self
    let head = Self.addressOffset + MemoryLayout<ShardAddress>.size
    offset = (head + layout.alignment - 1) / layout.alignment * layout.alignment
    stride = (offset + layout.size + Self.alignment - 1) / Self.alignment * Self.alignment
    base = .allocate(byteCount: stride * count, alignment: Self.alignment)
    for index in 0..<count {
      CacheLock.create(at: base + index * stride)
      address(index).initialize(to: ShardAddress())
      shard(index).initialize(to: make(index, address(index)))
    }
  }

  /// Destroys the shards, which nobody uses.
  func destroy() {
    for index in 0..<count {
      shard(index).deinitialize(count: 1)
      address(index).deinitialize(count: 1)
    }
    base.deallocate()
    gates?.destroy()
  }

  @inlinable
  static var addressOffset: Int { 8 }

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
  func address(_ index: Int) -> UnsafeMutablePointer<ShardAddress> {
    (block(index) + Self.addressOffset).assumingMemoryBound(to: ShardAddress.self)
  }

  /// Whether the shard's lock is free, and so what was read through a gate until now was right.
  @inlinable
  @inline(__always)
  func isFree(_ index: Int) -> Bool { CacheLock(at: block(index)).isFree }

  /// Takes a shard for the caller alone.
  @inlinable
  @inline(__always)
  func lock(_ index: Int) {
    CacheLock(at: block(index)).lock()
    if let gates { gates.waitForReaders(of: index) }
  }

  /// Gives a shard back.
  @inlinable
  @inline(__always)
  func unlock(_ index: Int) { CacheLock(at: block(index)).unlock() }

  /// Brings the place near at which the search for a hash begins, which may be done before the
  /// shard is locked: the way there then takes no longer than the lock.
  @inlinable
  @inline(__always)
  func prefetch(_ index: Int, _ hash: UInt32) {
    let address = address(index)
    let buckets = UInt64(address.pointee.buckets.load(ordering: .relaxed))
    let offset = (UInt64(hash) &* buckets) >> 32 &* UInt64(KeyDirectory.bucketBytes)
    larder_prefetch_shared(
      UnsafeRawPointer(
        bitPattern: address.pointee.directory.load(ordering: .relaxed) &+ UInt(offset)))
  }
}
