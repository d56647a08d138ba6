/// Objects by their number of requests: a chain of ascending counts, each with a list of its
/// objects in the order in which they reached it. O(1) (Shah, Mitra and Matani 2010). Memory: 12
/// bytes an object and 32 for each distinct count.
public struct FrequencyLists: ~Copyable {
  @usableFromInline struct Links: BitwiseCopyable {
    @usableFromInline var previous: ObjectID
    @usableFromInline var next: ObjectID

    @inlinable @inline(__always) init(previous: ObjectID, next: ObjectID) {
      self.previous = previous
      self.next = next
    }
  }

  @usableFromInline struct Bucket: BitwiseCopyable {
    @usableFromInline var count: UInt64
    @usableFromInline var first: ObjectID
    @usableFromInline var last: ObjectID
    /// The bucket with the next lower count; bucket 0 closes the chain.
    @usableFromInline var lower: UInt32
    @usableFromInline var higher: UInt32
  }

  @usableFromInline var links: Column<Links>
  // Bucket of each object; 0 for an object that is not in the lists.
  @usableFromInline var buckets: Column<UInt32>
  @usableFromInline var table: Column<Bucket>
  @usableFromInline var bucketsUsed: UInt32 = 0
  @usableFromInline var freeBucket: UInt32 = 0

  /// Creates empty lists for ids up to `objects`.
  public init(objects: Int) {
    links = Column(objects: objects)
    buckets = Column(objects: objects)
    table = Column(objects: 64)
  }

  /// Returns true if the object is in the lists.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { buckets[id] != 0 }

  /// Adds an object with a count of 1.
  @inlinable @inline(__always) public mutating func insert(_ id: ObjectID) {
    assert(!contains(id))
    let lowest = table[0].higher
    let bucket = lowest != 0 && table[lowest].count == 1 ? lowest : makeBucket(count: 1, above: 0)
    append(id, to: bucket)
  }

  /// Increments the count of an object in the lists.
  @inlinable @inline(__always) public mutating func increment(_ id: ObjectID) {
    assert(contains(id))
    let old = buckets[id]
    let count = table[old].count + 1
    let higher = table[old].higher
    if higher != 0, table[higher].count == count {
      detach(id, from: old)
      append(id, to: higher)
    } else if table[old].first == id, table[old].last == id {
      table[old].count = count
    } else {
      let bucket = makeBucket(count: count, above: old)
      detach(id, from: old)
      append(id, to: bucket)
    }
  }

  /// Removes and returns the object with the lowest count; ties go to the one that reached it
  /// first. The lists must not be empty.
  @inlinable @inline(__always) public mutating func popLeastFrequent() -> ObjectID {
    assert(leastFrequent != .none)
    let id = table[table[0].higher].first
    remove(id)
    return id
  }

  /// The object that `popLeastFrequent` would remove, or `.none`.
  public var leastFrequent: ObjectID {
    let lowest = table[0].higher
    return lowest == 0 ? .none : table[lowest].first
  }

  /// Removes an object of the lists.
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    detach(id, from: buckets[id])
    buckets[id] = 0
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) {
    links.reserve(objects: objects)
    buckets.reserve(objects: objects)
  }

  /// Prefetches the object's state.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {
    buckets.prefetch(id)
    links.prefetch(id)
  }

  /// Memory held, in bytes.
  public var bytes: Int { links.bytes + buckets.bytes + table.bytes }

  @usableFromInline mutating func makeBucket(count: UInt64, above lower: UInt32) -> UInt32 {
    var bucket = freeBucket
    if bucket != 0 {
      freeBucket = table[bucket].higher
    } else {
      bucketsUsed += 1
      bucket = bucketsUsed
      table.reserve(objects: Int(bucket))
    }
    let higher = table[lower].higher
    table[bucket] = Bucket(count: count, first: .none, last: .none, lower: lower, higher: higher)
    table[lower].higher = bucket
    table[higher].lower = bucket
    return bucket
  }

  @inlinable @inline(__always) func append(_ id: ObjectID, to bucket: UInt32) {
    let last = table[bucket].last
    links[id] = Links(previous: last, next: .none)
    if last == .none { table[bucket].first = id } else { links[last].next = id }
    table[bucket].last = id
    buckets[id] = bucket
  }

  @inlinable @inline(__always) mutating func detach(_ id: ObjectID, from bucket: UInt32) {
    let old = links[id]
    if old.previous == .none {
      table[bucket].first = old.next
    } else {
      links[old.previous].next = old.next
    }
    if old.next == .none {
      table[bucket].last = old.previous
    } else {
      links[old.next].previous = old.previous
    }
    guard table[bucket].first == .none else { return }
    let empty = table[bucket]
    table[empty.lower].higher = empty.higher
    table[empty.higher].lower = empty.lower
    table[bucket].higher = freeBucket
    freeBucket = bucket
  }
}
