/// Redis's pool of eviction candidates: the best of all samples so far, by a score from lowest to
/// highest, kept from one eviction to the next.
///
/// Scores are those at the time of the sample. What was taken out of the cache meanwhile is still
/// in it, and an object may be in it twice. All operations are O(places). Memory: 8 bytes a place.
public struct EvictionPool: ~Copyable {
  @usableFromInline
  struct Entry: BitwiseCopyable {
    @usableFromInline var id: ObjectID
    @usableFromInline var score: UInt32

    @inlinable
    init(id: ObjectID, score: UInt32) {
      self.id = id
      self.score = score
    }
  }

  @usableFromInline var entries: Column<Entry>
  /// How many entries it has room for.
  public let places: Int
  @usableFromInline var count = 0

  /// An empty pool.
  public init(places: Int) {
    self.places = places
    entries = Column(objects: places)
  }

  /// Takes an object in, unless the pool is full of higher scores; the lowest makes room.
  @inlinable
  @inline(__always)
  public mutating func offer(_ id: ObjectID, score: UInt32) {
    var place = 0
    while place < count, entries[UInt32(place)].score < score { place += 1 }
    if count < places {
      var other = count
      while other > place {
        entries[UInt32(other)] = entries[UInt32(other - 1)]
        other -= 1
      }
      count += 1
    } else {
      if place == 0 { return }
      place -= 1
      for other in 0..<place { entries[UInt32(other)] = entries[UInt32(other + 1)] }
    }
    entries[UInt32(place)] = Entry(id: id, score: score)
  }

  /// Takes the object with the highest score out, or returns `.none`.
  @inlinable
  @inline(__always)
  public mutating func takeHighest() -> ObjectID {
    guard count > 0 else { return .none }
    count -= 1
    return entries[UInt32(count)].id
  }

  /// Whether the object is in it.
  public func contains(_ id: ObjectID) -> Bool {
    (0..<count).contains { entries[UInt32($0)].id == id }
  }

  /// Takes an object out, wherever it is.
  public mutating func remove(_ id: ObjectID) {
    var kept = 0
    for place in 0..<count where entries[UInt32(place)].id != id {
      entries[UInt32(kept)] = entries[UInt32(place)]
      kept += 1
    }
    count = kept
  }

  /// Memory held, in bytes.
  public var bytes: Int { entries.bytes }
}
