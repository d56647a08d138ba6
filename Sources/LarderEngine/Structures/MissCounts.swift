/// How often each key was missed lately: TinyUFO's estimator, which hits do not change.
///
/// Counts go up to 255, or to 15 in the sketch. After a step for every miss, of which there are
/// eight for each object that the cache holds and one more, all are halved. Either a sketch counts,
/// or a counter for each object: those go down to zero within eight halvings, so that what is
/// remembered is bounded.
///
/// Memory: 4 bytes an object and the sketch's 32 to 64 for each one that the cache can hold, up to
/// eight times that in a cache of less than 1,024; or 8 bytes an object.
public struct MissCounts: ~Copyable {
  // For large capacities the sketch starts with so many objects and doubles as they come.
  @inlinable
  static var objectsAtFirst: Int { 1 << 16 }
  @inlinable
  static var stepsPerObject: Int { 8 }

  /// How many objects the sketch of a cache of `objects` is for. In a small cache two popular keys
  /// that share their counters are many of the requests: with 200 objects a sketch for so many was
  /// up to two points from exact counters on a real trace, and one for 1,024 was within 0.05.
  @inlinable
  static func sketched(_ objects: Int) -> Int { max(objects, min(objects * 8, 1024)) }

  @usableFromInline let isExact: Bool
  let countsObjects: Bool
  // The count in the lowest 8 bits, the number of halvings when it was right above.
  @usableFromInline var counters: Column<UInt64>
  @usableFromInline var sketch: MissSketch
  @usableFromInline var fingerprints: Column<UInt32>
  @usableFromInline var size: CacheSizeInObjects
  @usableFromInline var steps = 0
  @usableFromInline var halvings: UInt64 = 0

  /// Nothing counted yet.
  public init(_ setup: PolicySetup, isExact: Bool) {
    self.isExact = isExact
    countsObjects = setup.unit == .objects
    size = CacheSizeInObjects(setup)
    counters = Column(objects: isExact ? setup.objects : 0)
    let objects = countsObjects ? Int(min(setup.capacity, UInt64(MissCounts.objectsAtFirst))) : 16
    sketch = MissSketch(objects: isExact ? 1 : MissCounts.sketched(objects))
    fingerprints = Column(objects: isExact ? 0 : setup.objects)
  }

  /// Counts a request for an object that is not resident, and returns the count then.
  @inlinable
  @inline(__always)
  public mutating func countMiss(_ request: Request) -> UInt32 {
    if steps >= size.objects * MissCounts.stepsPerObject {
      steps = 0
      halve()
    } else {
      steps += 1
    }
    guard isExact else { return sketch.increment(request.fingerprint) }
    let count = min(exact(request.id) + 1, 255)
    counters[request.id] = halvings << 8 | count
    return UInt32(truncatingIfNeeded: count)
  }

  /// How often a resident object was missed.
  @inlinable
  @inline(__always)
  public func estimate(_ id: ObjectID) -> UInt32 {
    isExact ? UInt32(truncatingIfNeeded: exact(id)) : sketch.estimate(fingerprints[id])
  }

  /// Whether misses of the object are known, and whose they were.
  @inlinable
  @inline(__always)
  public func remembers(_ id: ObjectID) -> Bool { isExact && exact(id) > 0 }

  /// Forgets an object's misses, where it is known whose they were.
  public mutating func forget(_ id: ObjectID) { if isExact { counters[id] = 0 } }

  /// An object becomes resident.
  @inlinable
  @inline(__always)
  public mutating func enter(_ request: Request) {
    if !isExact { fingerprints[request.id] = request.fingerprint }
    size.enter()
    if !isExact { sketch.reserve(objects: MissCounts.sketched(size.residents)) }
  }

  /// A resident object leaves.
  @inlinable
  @inline(__always)
  public mutating func leave() { size.leave() }

  /// At most how many objects that are not resident are remembered: those of the misses in this
  /// period, half as many of the one before, and so on. Where sizes differ that depends on how many
  /// objects will be resident.
  public var ghostsMax: Int {
    guard isExact else { return 0 }
    return countsObjects ? size.objects * MissCounts.stepsPerObject * 2 + 2 : .max
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) {
    if isExact {
      counters.reserve(objects: objects)
    } else {
      fingerprints.reserve(objects: objects)
    }
  }

  /// Brings what the count of an object begins with near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) {
    if isExact { counters.prefetch(id) } else { fingerprints.prefetch(id) }
  }

  /// Brings the counters of an object near whose fingerprint is; only if it was resident before.
  @inlinable
  @inline(__always)
  public func prefetchCounters(_ id: ObjectID) {
    if !isExact { sketch.prefetch(fingerprints[id]) }
  }

  /// Memory held, in bytes.
  public var bytes: Int { counters.bytes + sketch.bytes + fingerprints.bytes }

  // Halving rounds down each time, and so does halving often at once.
  @inlinable
  @inline(__always)
  func exact(_ id: ObjectID) -> UInt64 {
    let word = counters[id]
    return (word & 255) >> min(halvings - (word >> 8), 8)
  }

  @usableFromInline
  @inline(never)
  mutating func halve() {
    halvings += 1
    if !isExact { sketch.halve() }
  }
}
