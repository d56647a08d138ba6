/// Objects with a value each, contiguous and in no order, so that reading a random one costs one
/// memory access.
///
/// All operations are O(1). Memory: 4 bytes an object, and 4 and the value for each element.
public struct SampledSet<Value: BitwiseCopyable>: ~Copyable {
  /// An element. The id is last to fill the value's padding.
  public struct Entry: BitwiseCopyable {
    /// The value stored with the object.
    public var value: Value
    /// The object.
    public var id: ObjectID

    @inlinable @inline(__always) init(value: Value, id: ObjectID) {
      self.value = value
      self.id = id
    }
  }

  // Index of each object in `entries`, from 1; 0 for an object that is not in the set.
  @usableFromInline var places: SharedColumn
  @usableFromInline var entries: Column<Entry>
  /// Objects in the set.
  @inlinable @inline(__always) public var count: Int { held }
  @usableFromInline var held = 0

  /// Creates an empty set for ids up to `objects`, with room for `capacity` before it grows.
  public init(objects: Int, capacity: Int) {
    places = SharedColumn(objects: objects)
    entries = Column(objects: max(capacity, 16))
  }

  /// Returns true if the object is in the set.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  /// The words with which other threads read if an object is in the set.
  public var holding: HitWords {
    HitWords(places.base, objects: places.objects, residents: 1 ... .max)
  }

  /// The value of an object in the set.
  @inlinable public subscript(id: ObjectID) -> Value {
    @inline(__always) get {
      assert(contains(id))
      return entries[places[id]].value
    }
    @inline(__always) nonmutating _modify {
      assert(contains(id))
      yield &entries[places[id]].value
    }
  }

  /// Returns the object and value for a number below 2^32, which is mapped in proportion to the
  /// elements; the set must not be empty. Uniform numbers pick uniformly, to within `count` / 2^32.
  @inlinable @inline(__always) public func pick(_ number: UInt32) -> Entry {
    assert(count > 0)
    return entries[UInt32(truncatingIfNeeded: (UInt64(number) &* UInt64(count)) >> 32) + 1]
  }

  /// Returns the object and value at an index, from 0 to `count` - 1, in order of insertion, except
  /// that the last element moves to the index of a removed one.
  @inlinable @inline(__always) public func entry(at place: Int) -> Entry {
    entries[UInt32(truncatingIfNeeded: place + 1)]
  }

  /// Adds an object that is not in the set.
  @inlinable @inline(__always) public mutating func insert(_ id: ObjectID, _ value: Value) {
    assert(!contains(id))
    held += 1
    if count > entries.objects { entries.reserve(objects: count) }
    let place = UInt32(truncatingIfNeeded: count)
    entries[place] = Entry(value: value, id: id)
    places[id] = place
  }

  /// Removes an object in the set; the last element moves to its index.
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    let place = places[id]
    let last = entries[UInt32(truncatingIfNeeded: count)]
    entries[place] = last
    places[last.id] = place
    places[id] = 0
    held -= 1
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { places.reserve(objects: objects) }

  /// Prefetches the object's index.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Prefetches the value of an object; reads its index.
  @inlinable @inline(__always) public func prefetchEntry(_ id: ObjectID) {
    entries.prefetch(places[id])
  }

  /// Memory held, in bytes.
  public var bytes: Int { places.bytes + entries.bytes }
}

/// The value of objects that have none.
public struct NoValue: BitwiseCopyable {
  @inlinable @inline(__always) init() {}
}

/// Objects in no order, each of which can be picked by index.
public typealias IDBag = SampledSet<NoValue>

extension SampledSet where Value == NoValue {
  /// The object at an index from 0 to `count` - 1.
  @inlinable @inline(__always) public subscript(place: Int) -> ObjectID { entry(at: place).id }

  /// Adds an object that is not in the bag.
  @inlinable @inline(__always) public mutating func insert(_ id: ObjectID) { insert(id, NoValue()) }
}
