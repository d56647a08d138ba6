/// What TinyLFU knows: about how often each key was requested lately, resident or not, and which
/// key each resident object has.
///
/// A sketch, and optionally a *doorkeeper* in front of it: a Bloom filter that takes in what is
/// requested once in a period, so that only second requests count in the sketch. Where the capacity
/// is in bytes the sketch grows with the number of resident objects, of which the highest so far
/// stands for the capacity. What was counted cannot be taken back: an object that is removed leaves
/// its requests in the sketch until they fade.
///
/// Memory: 4 bytes an object, and the sketch's 8 to 16 for each one that the cache can hold (11
/// to 14 with a doorkeeper).
public struct SketchedCounts: ~Copyable {
  /// The parameter that asks for a doorkeeper.
  public static let doorkeeperParameter = PolicyParameter(
    "doorkeeper", default: "false",
    "true: a Bloom filter absorbs the first request of each object in a period")

  // For large capacities the sketch starts with so many objects and doubles as they come.
  @inlinable
  static var objectsAtFirst: Int { 1 << 20 }
  @inlinable
  static var doorkeeperError: Double { 0.03 }

  @usableFromInline var sketch: FrequencySketch
  @usableFromInline var doorkeeper: BloomFilter
  @usableFromInline let hasDoorkeeper: Bool
  @usableFromInline var fingerprints: Column<UInt32>
  @usableFromInline var residents = 0

  /// Nothing counted yet.
  public init(_ setup: PolicySetup) throws(PolicyError) {
    hasDoorkeeper = try setup.spec.flag("doorkeeper", default: false)
    if setup.unit == .objects {
      let objects = Int(min(setup.capacity, UInt64(SketchedCounts.objectsAtFirst)))
      sketch = FrequencySketch(objects: objects, period: min(setup.capacity, 1 << 60) * 10)
    } else {
      sketch = FrequencySketch(objects: 16)
    }
    doorkeeper = SketchedCounts.makeDoorkeeper(hasDoorkeeper ? sketch.objects : 0)
    fingerprints = Column(objects: setup.objects)
  }

  /// Counts a request for a resident object.
  @inlinable
  @inline(__always)
  public mutating func countHit(_ id: ObjectID) { count(fingerprints[id]) }

  /// Counts a request for an object that is not resident.
  @inlinable
  @inline(__always)
  public mutating func countMiss(_ request: Request) { count(request.fingerprint) }

  /// How often a resident object was requested lately.
  @inlinable
  @inline(__always)
  public func estimate(_ id: ObjectID) -> UInt32 { estimate(fingerprint: fingerprints[id]) }

  /// How often a requested object that is not resident was requested lately.
  @inlinable
  @inline(__always)
  public func estimate(_ request: Request) -> UInt32 { estimate(fingerprint: request.fingerprint) }

  /// An object becomes resident.
  @inlinable
  @inline(__always)
  public mutating func enter(_ request: Request) {
    fingerprints[request.id] = request.fingerprint
    residents += 1
    if residents > sketch.objects { grow() }
  }

  /// A resident object leaves.
  @inlinable
  @inline(__always)
  public mutating func leave() { residents -= 1 }

  /// Requests in a period, after which every count is halved.
  public var period: UInt64 { sketch.period }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { fingerprints.reserve(objects: objects) }

  /// Brings the object's fingerprint near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { fingerprints.prefetch(id) }

  /// Brings the counters of an object near whose fingerprint is; only if it was resident before.
  @inlinable
  @inline(__always)
  public func prefetchCounters(_ id: ObjectID) { sketch.prefetch(fingerprints[id]) }

  /// Brings the counters of a fingerprint near.
  @inlinable
  @inline(__always)
  public func prefetchCounters(fingerprint: UInt32) { sketch.prefetch(fingerprint) }

  /// Memory held, in bytes.
  public var bytes: Int {
    sketch.bytes + (hasDoorkeeper ? doorkeeper.bytes : 0) + fingerprints.bytes
  }

  @inlinable
  @inline(__always)
  mutating func count(_ fingerprint: UInt32) {
    if hasDoorkeeper, doorkeeper.insert(fingerprint) { return }
    if sketch.increment(fingerprint), hasDoorkeeper { doorkeeper.clear() }
  }

  @inlinable
  @inline(__always)
  func estimate(fingerprint: UInt32) -> UInt32 {
    sketch.estimate(fingerprint) + (hasDoorkeeper && doorkeeper.contains(fingerprint) ? 1 : 0)
  }

  /// Caffeine's doorkeeper: room for three keys for each object.
  private static func makeDoorkeeper(_ objects: Int) -> BloomFilter {
    BloomFilter(capacity: objects * 3, error: doorkeeperError)
  }

  @usableFromInline
  @inline(never)
  mutating func grow() {
    sketch.reserve(objects: residents)
    if hasDoorkeeper, doorkeeper.capacity < residents * 3 {
      doorkeeper = SketchedCounts.makeDoorkeeper(residents * 2)
    }
  }
}
