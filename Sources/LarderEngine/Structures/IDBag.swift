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
  @inlinable
  @inline(__always)
  public var count: Int { held.count }

  /// The object at a place from 0 to `count` - 1.
  @inlinable
  @inline(__always)
  public subscript(place: Int) -> ObjectID { held[place] }

  /// Whether the object is held.
  @inlinable
  @inline(__always)
  public func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  /// How other threads find out whether an object is held.
  public var holding: HitWords {
    HitWords(places.base, objects: places.objects, residents: 1 ... .max)
  }

  /// Adds an object that is not held.
  @inlinable
  @inline(__always)
  public mutating func insert(_ id: ObjectID) {
    held.append(id)
    places[id] = UInt32(truncatingIfNeeded: held.count)
  }

  /// Takes an object that is held out; the last takes its place.
  @inlinable
  @inline(__always)
  public mutating func remove(_ id: ObjectID) {
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
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { places.bytes + held.capacity * MemoryLayout<ObjectID>.stride }
}
