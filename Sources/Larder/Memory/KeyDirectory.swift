public import LarderEngine

/// From the hash of a key to its object id: buckets of a cache line each, twelve ids in one.
///
/// A bucket has a byte of each hash beside the ids, so that one look at one cache line says which
/// ids may be the one wanted, without a branch for each; and how many ids would have been here but
/// for want of room are in a bucket behind. (Bronson and Shi, Open-sourcing F14 for faster, more
/// memory-efficient hash tables, 2019, whose layout this is.) There is a bucket for nine ids, which
/// makes 7 bytes an object when full. Neither growing nor removing looks at a key.
@usableFromInline
struct KeyDirectory {
  // A bucket: 12 tags, 0 where there is no id; the number that went on; 12 ids.
  @inlinable static var bucketBytes: Int { 64 }
  @inlinable static var places: Int { 12 }
  @inlinable static var passedOffset: Int { 12 }
  @inlinable static var idsOffset: Int { 16 }

  @usableFromInline var base: UnsafeMutableRawPointer
  @usableFromInline var buckets: Int

  /// An empty directory for up to `objects` ids in memory that the caller keeps for as long, which
  /// begins with a cache line.
  @inlinable
  init(objects: Int, in memory: UnsafeMutableRawPointer) {
    buckets = KeyDirectory.buckets(objects: objects)
    base = memory
    base.initializeMemory(as: UInt8.self, repeating: 0, count: buckets * Self.bucketBytes)
  }

  @inlinable
  static func buckets(objects: Int) -> Int { objects / 9 + 1 }

  /// Bytes that a directory for up to `objects` ids takes.
  @inlinable
  static func bytes(objects: Int) -> Int { buckets(objects: objects) * bucketBytes }

  /// Where the search for a hash begins.
  @inlinable
  @inline(__always)
  func home(_ hash: UInt32) -> UnsafeMutableRawPointer {
    base + Int((UInt64(hash) &* UInt64(truncatingIfNeeded: buckets)) >> 32) &* Self.bucketBytes
  }

  /// The bucket behind another.
  @inlinable
  @inline(__always)
  func next(_ bucket: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    let next = bucket + Self.bucketBytes
    return next == base + buckets &* Self.bucketBytes ? base : next
  }

  /// The byte of a hash that a bucket keeps: not 0, and not of those that say which bucket.
  @inlinable
  @inline(__always)
  static func tag(_ hash: UInt32) -> UInt8 { max(1, UInt8(truncatingIfNeeded: hash)) }

  /// A bit for each place of a bucket whose tag is `tag`: see `place`.
  @inlinable
  @inline(__always)
  static func places(in bucket: UnsafeMutableRawPointer, tag: UInt8) -> UInt64 {
    let wanted = UInt64(tag) &* 0x0101_0101_0101_0101
    let first = zeroes(bucket.load(as: UInt64.self) ^ wanted)
    let second = zeroes(
      UInt64(bucket.load(fromByteOffset: 8, as: UInt32.self)) ^ (wanted & 0xFFFF_FFFF))
    return first >> 7 | (second & 0x8080_8080) >> 6
  }

  /// The top bit of each byte that is 0.
  @inlinable
  @inline(__always)
  static func zeroes(_ word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    return ~((word & low) &+ low | word | low)
  }

  /// The place that the lowest bit set stands for.
  @inlinable
  @inline(__always)
  static func place(_ bits: UInt64) -> Int {
    let bit = bits.trailingZeroBitCount
    return bit &>> 3 | (bit & 1) &<< 3
  }

  @inlinable
  @inline(__always)
  static func id(_ bucket: UnsafeMutableRawPointer, _ place: Int) -> ObjectID {
    bucket.load(fromByteOffset: idsOffset &+ place &* 4, as: ObjectID.self)
  }

  /// How many ids went on to the buckets behind.
  @inlinable
  @inline(__always)
  static func passed(_ bucket: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt32> {
    (bucket + passedOffset).assumingMemoryBound(to: UInt32.self)
  }

  /// The id with this hash that `matches`, or `.none`. O(1) on average.
  @inlinable
  @inline(__always)
  func find(_ hash: UInt32, _ matches: (ObjectID) -> Bool) -> ObjectID {
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
      if Self.passed(bucket).pointee == 0 { return .none }
      bucket = next(bucket)
      if bucket == home { return .none }
    }
  }

  /// Adds an id that is not there. There must be fewer than there is room for. O(1) on average.
  @inlinable
  @inline(__always)
  mutating func insert(_ hash: UInt32, _ id: ObjectID) {
    var bucket = home(hash)
    while true {
      let free = Self.places(in: bucket, tag: 0)
      if free != 0 {
        let place = Self.place(free)
        bucket.storeBytes(of: Self.tag(hash), toByteOffset: place, as: UInt8.self)
        bucket.storeBytes(of: id, toByteOffset: Self.idsOffset &+ place &* 4, as: ObjectID.self)
        return
      }
      Self.passed(bucket).pointee &+= 1
      bucket = next(bucket)
    }
  }

  /// Takes out an id that is there. O(1) on average.
  @inlinable
  @inline(__always)
  mutating func remove(_ hash: UInt32, _ id: ObjectID) {
    let tag = Self.tag(hash)
    var bucket = home(hash)
    while true {
      var bits = Self.places(in: bucket, tag: tag)
      while bits != 0 {
        let place = Self.place(bits)
        if Self.id(bucket, place) == id {
          bucket.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
          return
        }
        bits &= bits &- 1
      }
      Self.passed(bucket).pointee &-= 1
      bucket = next(bucket)
    }
  }

  /// Every id that is there, in no order. O(buckets).
  @usableFromInline
  func ids() -> [ObjectID] {
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
