public import CLarderShims
public import LarderEngine

/// Hash index from keys to object ids, in buckets of one cache line with twelve ids each.
///
/// A bucket has a byte of each hash next to the ids, and counts the ids that overflowed into later
/// buckets (the layout follows Bronson and Shi, Open-sourcing F14, 2019), separately for eight
/// classes of hashes: a search for a missing key visits 1.2 buckets instead of 2.2. Two buckets
/// serve 17 ids.
///
/// Entries do not move until they are removed, and all accesses are atomic: one thread at a time
/// may change a directory while others search it, and they find every entry that stays.
@usableFromInline struct KeyDirectory {
  // Layout of a bucket: 12 tags, 0 for an empty slot; eight 4-bit counters; 12 ids.
  @inlinable static var bucketBytes: Int { 64 }
  @inlinable static var places: Int { 12 }
  @inlinable static var passedOffset: Int { 12 }
  @inlinable static var idsOffset: Int { 16 }
  @inlinable static var passedMax: UInt32 { 15 }

  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let buckets: Int

  @inlinable @inline(__always) init(base: UnsafeMutableRawPointer, buckets: Int) {
    self.base = base
    self.buckets = buckets
  }

  /// Creates an empty directory for up to `objects` ids.
  @usableFromInline init(objects: Int) {
    buckets = objects * 2 / 17 + 1
    base = LargeMemory.allocateZeros(bytes: Self.bytes(buckets), huge: false)
  }

  @usableFromInline func deallocate() { LargeMemory.deallocate(base, bytes: bytes) }

  @usableFromInline var bytes: Int { Self.bytes(buckets) }

  private static func bytes(_ buckets: Int) -> Int { buckets * bucketBytes }

  @inlinable @inline(__always) func home(_ hash: UInt32) -> UnsafeMutableRawPointer {
    base + Int((UInt64(hash) &* UInt64(truncatingIfNeeded: buckets)) >> 32) &* Self.bucketBytes
  }

  @inlinable @inline(__always) func next(
    _ bucket: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    let next = bucket + Self.bucketBytes
    return next == base + buckets &* Self.bucketBytes ? base : next
  }

  /// Byte of a hash that a bucket stores; neither 0 nor made of the bits that select the bucket.
  @inlinable @inline(__always) static func tag(_ hash: UInt32) -> UInt8 {
    max(1, UInt8(truncatingIfNeeded: hash))
  }

  @inlinable @inline(__always) static func places(
    in bucket: UnsafeMutableRawPointer, tag: UInt8
  ) -> UInt32 {
    larder_equal_bytes(SharedBytes.load(bucket), SharedBytes.load(bucket + 8), tag)
  }

  @inlinable @inline(__always) static func place(_ bits: UInt32) -> Int {
    bits.trailingZeroBitCount
  }

  @inlinable @inline(__always) static func id(
    _ bucket: UnsafeMutableRawPointer, _ place: Int
  ) -> ObjectID {
    SharedBytes.load(bucket + (idsOffset &+ place &* 4))
  }

  /// Offset of the counter for a hash's class in the bucket's counter word. The class uses bits
  /// that are neither in the tag nor, in directories of less than two million buckets, in the
  /// bucket's index.
  @inlinable @inline(__always) static func classShift(_ hash: UInt32) -> UInt32 {
    (hash >> 6) & 0b11100
  }

  /// Number of ids of a hash's class that overflowed from a bucket. A counter that reaches
  /// `passedMax` is saturated and stays there.
  @inlinable @inline(__always) static func passed(
    _ bucket: UnsafeMutableRawPointer, _ hash: UInt32
  ) -> UInt32 {
    let numbers: UInt32 = SharedBytes.load(bucket + passedOffset)
    return (numbers >> classShift(hash)) & passedMax
  }

  @inlinable @inline(__always) static func count(
    _ step: UInt32, _ bucket: UnsafeMutableRawPointer, _ hash: UInt32
  ) {
    if passed(bucket, hash) == passedMax { return }
    let numbers: UInt32 = SharedBytes.load(bucket + passedOffset)
    SharedBytes.store(numbers &+ step << classShift(hash), bucket + passedOffset)
  }

  @inlinable @inline(__always) func find(_ hash: UInt32, _ matches: (ObjectID) -> Bool) -> ObjectID
  {
    let tag = Self.tag(hash)
    let home = home(hash)
    var bucket = home
    while true {
      var bits = Self.places(in: bucket, tag: tag)
      while bits != 0 {
        let id = Self.id(bucket, Self.place(bits))
        if matches(id) { return id }
        bits &= bits &- 1
      }
      if Self.passed(bucket, hash) == 0 { return .none }
      bucket = next(bucket)
      if bucket == home { return .none }
    }
  }

  @inlinable @inline(__always) func insert(_ hash: UInt32, _ id: ObjectID) {
    var bucket = home(hash)
    while true {
      let free = Self.places(in: bucket, tag: 0)
      if free != 0 {
        let place = Self.place(free)
        SharedBytes.store(id, bucket + (Self.idsOffset &+ place &* 4))
        SharedBytes.store(Self.tag(hash), bucket + place)
        return
      }
      Self.count(1, bucket, hash)
      bucket = next(bucket)
    }
  }

  @inlinable @inline(__always) func remove(_ hash: UInt32, _ id: ObjectID) {
    let tag = Self.tag(hash)
    var bucket = home(hash)
    while true {
      var bits = Self.places(in: bucket, tag: tag)
      while bits != 0 {
        let place = Self.place(bits)
        if Self.id(bucket, place) == id {
          SharedBytes.store(UInt8(0), bucket + place)
          return
        }
        bits &= bits &- 1
      }
      Self.count(.max, bucket, hash)
      bucket = next(bucket)
    }
  }

  /// Replaces an id in its slot: concurrent searches find one of the two. O(1) on average.
  @inlinable @inline(__always) func replace(_ hash: UInt32, _ id: ObjectID, by other: ObjectID) {
    let tag = Self.tag(hash)
    var bucket = home(hash)
    while true {
      var bits = Self.places(in: bucket, tag: tag)
      while bits != 0 {
        let place = Self.place(bits)
        if Self.id(bucket, place) == id {
          SharedBytes.store(other, bucket + (Self.idsOffset &+ place &* 4))
          return
        }
        bits &= bits &- 1
      }
      bucket = next(bucket)
    }
  }

  @usableFromInline func ids() -> [ObjectID] {
    var ids: [ObjectID] = []
    for number in 0..<buckets { visit(number) { ids.append($0) } }
    return ids
  }

  @inlinable @inline(__always) func visit(_ number: Int, _ body: (ObjectID) -> Void) {
    let bucket = base + number &* Self.bucketBytes
    for place in 0..<Self.places where bucket.load(fromByteOffset: place, as: UInt8.self) != 0 {
      body(Self.id(bucket, place))
    }
  }

  @inlinable func clear(_ number: Int) {
    let bucket = base + number &* Self.bucketBytes
    SharedBytes.store(UInt64(0), bucket)
    SharedBytes.store(UInt32(0), bucket + 8)
  }
}

/// The directory of a shard, which grows in small steps: a larger one takes new ids, and the ids of
/// the old one move to it, a few buckets at a time. Until then, ids are in one of the two. Threads
/// without the shard's lock see only the larger one.
@usableFromInline struct GrowingDirectory {
  @usableFromInline private(set) var current: KeyDirectory
  @usableFromInline private(set) var isDraining = false
  @usableFromInline private(set) var previous: KeyDirectory
  /// Buckets of `previous` that are empty.
  @usableFromInline var drained = 0
  private var objects: Int

  init(objects: Int) {
    current = KeyDirectory(objects: objects)
    previous = current
    self.objects = objects
  }

  func deallocate() {
    current.deallocate()
    if isDraining { previous.deallocate() }
  }

  var bytes: Int { current.bytes + (isDraining ? previous.bytes : 0) }

  @inlinable @inline(__always) func home(_ hash: UInt32) -> UnsafeMutableRawPointer {
    current.home(hash)
  }

  @inlinable func contains(_ hash: UInt32, _ id: ObjectID) -> Bool {
    holder(hash, id).find(hash) { $0 == id } != .none
  }

  @inlinable @inline(__always) func insert(_ hash: UInt32, _ id: ObjectID) {
    current.insert(hash, id)
  }

  @inlinable @inline(__always) func remove(_ hash: UInt32, _ id: ObjectID) {
    holder(hash, id).remove(hash, id)
  }

  @inlinable @inline(__always) func replace(_ hash: UInt32, _ id: ObjectID, by other: ObjectID) {
    holder(hash, id).replace(hash, id, by: other)
  }

  @inlinable @inline(__always) func holder(_ hash: UInt32, _ id: ObjectID) -> KeyDirectory {
    isDraining && previousContains(hash, id) ? previous : current
  }

  @inlinable @inline(never) func previousContains(_ hash: UInt32, _ id: ObjectID) -> Bool {
    previous.find(hash) { $0 == id } != .none
  }

  @usableFromInline func ids() -> [ObjectID] {
    isDraining ? previous.ids() + current.ids() : current.ids()
  }

  /// Begins to grow, unless there is enough room for that many ids. While it grows it does not
  /// begin again; the few that are added meanwhile find places. O(1).
  @usableFromInline mutating func grow(objects wanted: Int) {
    guard wanted > objects, !isDraining else { return }
    previous = current
    current = KeyDirectory(objects: wanted)
    (objects, drained, isDraining) = (wanted, 0, true)
  }

  /// Ends a growth; `previous` must be empty.
  @usableFromInline mutating func endGrowth() {
    previous.deallocate()
    (previous, isDraining) = (current, false)
  }
}
