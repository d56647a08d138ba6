public import CLarderShims
public import LarderEngine

/// From the hash of a key to its object id: buckets of a cache line each, twelve ids in one.
///
/// A bucket has a byte of each hash beside the ids, so that one look at one cache line says which
/// ids may be the one wanted, without a branch for each; and how many ids would have been here but
/// for want of room are in a bucket behind. (Bronson and Shi, Open-sourcing F14 for faster, more
/// memory-efficient hash tables, 2019, whose layout this is.) These are counted for each of eight
/// classes of hashes: in a cache that is full and replaces one key after the other, a search for a
/// key that is not there looks at 1.2 buckets; with one count for all it would be 2.2. There are
/// two buckets for 17 ids, which makes 7.5 bytes an object when full. Neither growing nor removing
/// looks at a key.
///
/// What is there stays where it is until it is taken out, and all access is atomic: one thread at a
/// time may change a directory while others search it, and what nobody takes out they find.
@usableFromInline struct KeyDirectory {
  // A bucket: 12 tags, 0 where there is no id; eight numbers of four bits; 12 ids.
  @inlinable static var bucketBytes: Int { 64 }
  @inlinable static var places: Int { 12 }
  @inlinable static var passedOffset: Int { 12 }
  @inlinable static var idsOffset: Int { 16 }
  @inlinable static var passedMax: UInt32 { 15 }

  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let buckets: Int

  /// The directory that was made at `base`.
  @inlinable @inline(__always) init(base: UnsafeMutableRawPointer, buckets: Int) {
    self.base = base
    self.buckets = buckets
  }

  /// An empty directory for up to `objects` ids in memory that the caller keeps for as long, which
  /// begins with a cache line.
  @inlinable init(objects: Int, in memory: UnsafeMutableRawPointer) {
    buckets = KeyDirectory.buckets(objects: objects)
    base = memory
    base.initializeMemory(as: UInt8.self, repeating: 0, count: buckets * Self.bucketBytes)
  }

  @inlinable static func buckets(objects: Int) -> Int { objects * 2 / 17 + 1 }

  /// Bytes that a directory for up to `objects` ids takes.
  @inlinable static func bytes(objects: Int) -> Int { buckets(objects: objects) * bucketBytes }

  /// Where the search for a hash begins.
  @inlinable @inline(__always) func home(_ hash: UInt32) -> UnsafeMutableRawPointer {
    base + Int((UInt64(hash) &* UInt64(truncatingIfNeeded: buckets)) >> 32) &* Self.bucketBytes
  }

  /// The bucket behind another.
  @inlinable @inline(__always) func next(
    _ bucket: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    let next = bucket + Self.bucketBytes
    return next == base + buckets &* Self.bucketBytes ? base : next
  }

  /// The byte of a hash that a bucket keeps: not 0, and not of those that say which bucket.
  @inlinable @inline(__always) static func tag(_ hash: UInt32) -> UInt8 {
    max(1, UInt8(truncatingIfNeeded: hash))
  }

  /// A bit for each place of a bucket whose tag is `tag`, from the lowest on.
  @inlinable @inline(__always) static func places(
    in bucket: UnsafeMutableRawPointer, tag: UInt8
  ) -> UInt32 {
    larder_equal_bytes(SharedBytes.load(bucket), SharedBytes.load(bucket + 8), tag)
  }

  /// The place that the lowest bit set stands for.
  @inlinable @inline(__always) static func place(_ bits: UInt32) -> Int {
    bits.trailingZeroBitCount
  }

  @inlinable @inline(__always) static func id(
    _ bucket: UnsafeMutableRawPointer, _ place: Int
  ) -> ObjectID {
    SharedBytes.load(bucket + (idsOffset &+ place &* 4))
  }

  /// Where in the word of a bucket's numbers that of a hash's class is: the class is of bits that
  /// neither the tag has nor, in directories of less than two million buckets, the way there.
  @inlinable @inline(__always) static func classShift(_ hash: UInt32) -> UInt32 {
    (hash >> 6) & 0b11100
  }

  /// How many ids of a hash's class went on from a bucket; from `passedMax` on, that for good: what
  /// is beyond it is not counted.
  @inlinable @inline(__always) static func passed(
    _ bucket: UnsafeMutableRawPointer, _ hash: UInt32
  ) -> UInt32 {
    let numbers: UInt32 = SharedBytes.load(bucket + passedOffset)
    return (numbers >> classShift(hash)) & passedMax
  }

  /// Counts one more that went on, or with the negative of 1 one less.
  @inlinable @inline(__always) static func count(
    _ step: UInt32, _ bucket: UnsafeMutableRawPointer, _ hash: UInt32
  ) {
    if passed(bucket, hash) == passedMax { return }
    let numbers: UInt32 = SharedBytes.load(bucket + passedOffset)
    SharedBytes.store(numbers &+ step << classShift(hash), bucket + passedOffset)
  }

  /// The id with this hash that `matches`, or `.none`. O(1) on average.
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

  /// Adds an id that is not there. There must be fewer than there is room for. O(1) on average.
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

  /// Takes out an id that is there. O(1) on average.
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

  /// Puts another id in the place of one that is there: who searches meanwhile finds one of the
  /// two. O(1) on average.
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

  /// Every id that is there, in no order. O(buckets).
  @usableFromInline func ids() -> [ObjectID] {
    var ids: [ObjectID] = []
    for number in 0..<buckets {
      let bucket = base + number * Self.bucketBytes
      for place in 0..<Self.places where bucket.load(fromByteOffset: place, as: UInt8.self) != 0 {
        ids.append(Self.id(bucket, place))
      }
    }
    return ids
  }
}
