/// Objects with a value each, side by side and in no order, so that looking at one drawn at random
/// touches memory once.
///
/// All operations are O(1). Memory: 4 bytes an object, and 4 and the value for each one held.
public struct SampledSet<Value: BitwiseCopyable>: ~Copyable {
  /// One object held. The id stands last to fill the value's padding.
  public struct Entry: BitwiseCopyable {
    /// What stands beside the object.
    public var value: Value
    /// The object.
    public var id: ObjectID

    /// An entry from its parts.
    @inlinable @inline(__always) init(value: Value, id: ObjectID) {
      self.value = value
      self.id = id
    }
  }

  // Place of each object in `entries`, from 1; 0 means that it is not held.
  @usableFromInline var places: Column<UInt32>
  @usableFromInline var entries: Column<Entry>
  /// Objects held.
  @inlinable @inline(__always) public var count: Int { held }
  @usableFromInline var held = 0

  /// An empty set for ids up to `objects`, with room for `capacity` before it grows.
  public init(objects: Int, capacity: Int) {
    places = Column(objects: objects)
    entries = Column(objects: max(capacity, 16))
  }

  /// Whether the object is held.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  /// The value of an object that is held.
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

  /// An object and its value by a number below 2^32 that is mapped to those held in proportion; one
  /// must be. Numbers drawn evenly pick evenly, to within `count` / 2^32.
  @inlinable @inline(__always) public func pick(_ number: UInt32) -> Entry {
    assert(count > 0)
    return entries[UInt32(truncatingIfNeeded: (UInt64(number) &* UInt64(count)) >> 32) + 1]
  }

  /// An object and its value by its place, from 0 to `count` - 1: the order of `insert`, but that
  /// the last takes the place of what is removed.
  @inlinable @inline(__always) public func entry(at place: Int) -> Entry {
    entries[UInt32(truncatingIfNeeded: place + 1)]
  }

  /// Holds an object that is not held.
  @inlinable @inline(__always) public mutating func insert(_ id: ObjectID, _ value: Value) {
    assert(!contains(id))
    held += 1
    if count > entries.objects { entries.reserve(objects: count) }
    let place = UInt32(truncatingIfNeeded: count)
    entries[place] = Entry(value: value, id: id)
    places[id] = place
  }

  /// Takes an object that is held out; the last takes its place.
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

  /// Brings the object's place near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Brings the value of an object, whose place must be near, near.
  @inlinable @inline(__always) public func prefetchEntry(_ id: ObjectID) {
    entries.prefetch(places[id])
  }

  /// Memory held, in bytes.
  public var bytes: Int { places.bytes + entries.bytes }
}

/// Objects in no order, of which any one can be picked by number.
///
/// All operations are O(1). Memory: 4 bytes an object and 4 for each one held.
public struct IDBag: ~Copyable {
  @usableFromInline var held: [ObjectID] = []
  // Place in `held` plus one; 0 means that the object is not held.
  @usableFromInline var places: SharedColumn

  /// An empty bag for ids up to `objects`, with room for `capacity` before it grows.
  public init(objects: Int, capacity: Int) {
    places = SharedColumn(objects: objects)
    held.reserveCapacity(max(capacity, 0))
  }

  /// Objects held.
  @inlinable @inline(__always) public var count: Int { held.count }

  /// The object at a place from 0 to `count` - 1.
  @inlinable @inline(__always) public subscript(place: Int) -> ObjectID { held[place] }

  /// Whether the object is held.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  /// How other threads find out whether an object is held.
  public var holding: HitWords {
    HitWords(places.base, objects: places.objects, residents: 1 ... .max)
  }

  /// Adds an object that is not held.
  @inlinable @inline(__always) public mutating func insert(_ id: ObjectID) {
    held.append(id)
    places[id] = UInt32(truncatingIfNeeded: held.count)
  }

  /// Takes an object that is held out; the last takes its place.
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    let place = places[id]
    let last = held.removeLast()
    if last != id {
      held[Int(place) - 1] = last
      places[last] = place
    }
    places[id] = 0
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { places.reserve(objects: objects) }

  /// Brings the object's place near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { places.bytes + held.capacity * MemoryLayout<ObjectID>.stride }
}
