/// The memory of a cache's shards: for each its lock and, right behind, its state, in cache lines
/// of their own.
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

  /// Moves shards in.
  init(count: Int, _ make: (Int) -> MemoryShard<Key, Value>) {
    self.count = count
    let layout = MemoryLayout<MemoryShard<Key, Value>>.self
    offset = (CacheLock.size + layout.alignment - 1) / layout.alignment * layout.alignment
    stride = (offset + layout.size + Self.alignment - 1) / Self.alignment * Self.alignment
    base = .allocate(byteCount: stride * count, alignment: Self.alignment)
    for index in 0..<count {
      CacheLock.create(at: base + index * stride)
      shard(index).initialize(to: make(index))
    }
  }

  /// Destroys the shards, which nobody uses.
  func destroy() {
    for index in 0..<count {
      shard(index).deinitialize(count: 1)
      lock(index).destroy()
    }
    base.deallocate()
  }

  @inlinable
  @inline(__always)
  func index(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (count - 1) }

  @inlinable
  @inline(__always)
  func lock(_ index: Int) -> CacheLock { CacheLock(at: base + index * stride) }

  @inlinable
  @inline(__always)
  func shard(_ index: Int) -> UnsafeMutablePointer<MemoryShard<Key, Value>> {
    (base + index * stride + offset).assumingMemoryBound(to: MemoryShard<Key, Value>.self)
  }
}
