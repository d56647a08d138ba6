import LarderEngine

extension RegisteredPolicy {
  package static let tinyUFO = RegisteredPolicy(TinyUFO.self)
}

/// A small and a main queue, with a count of misses that decides between a new object and its first
/// victim. `counters=exact` has the counts of the reference program, whose sketch hashes differ
/// from run to run.
struct TinyUFO: EvictionPolicy, ThreeQueuePolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "tinyufo", family: .frequency,
    summary: "A small and a main FIFO; when the cache is full, a new object is stored only if a "
      + "sketch counts at least as many recent misses of it as of the victim.",
    parameters: [
      PolicyParameter(
        "counters", default: "sketch",
        "sketch: an approximate count of misses; exact: a counter for each object")
    ],
    learns: true,
    paper: "TinyUFO of Cloudflare's Pingora, 2024; after S3-FIFO and TinyLFU")

  private enum Chosen { case nothing, small, main }

  var queues: ThreeQueues
  // Always false: the queues keep no ghosts.
  var missedGhost = false
  private var counts: MissCounts
  private let capacity: UInt64
  private var chosen = Chosen.nothing

  init(_ setup: PolicySetup) throws(PolicyError) {
    let isExact = try setup.spec.choice("counters", "sketch", "exact") == "exact"
    queues = try ThreeQueues(
      setup, small: min(setup.capacity / 10 + 1, setup.capacity), ghosts: 0)
    capacity = setup.capacity
    counts = MissCounts(setup, isExact: isExact)
  }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool {
    queues.contains(id) || counts.remembers(id)
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    let misses = counts.countMiss(request)
    chosen = .nothing
    guard queues.smallUsed + queues.mainUsed + UInt64(request.size) > capacity else { return true }
    guard counts.estimate(choose(sizes)) > misses else { return true }
    queues.renewOldest(inSmall: chosen == .small, sizes)
    chosen = .nothing
    return false
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    if chosen == .nothing { _ = choose(sizes) }
    let victim = chosen == .small ? queues.dropSmall(sizes) : queues.popMain(sizes)
    chosen = .nothing
    counts.leave()
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    counts.enter(request)
    queues.pushSmall(request.id, request.size)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    chosen = .nothing
    if queues.contains(id) { counts.leave() }
    queues.remove(id, sizes)
    counts.forget(id)
  }

  @inline(__always) var candidate: ObjectID {
    queues.smallUsed >= queues.smallCapacity ? queues.smallCandidate : queues.mainCandidate
  }

  var ghostsMax: Int { counts.ghostsMax }
  mutating func withGhostQueues<Result>(_ body: (inout ThreeQueues) -> Result) -> Result? { nil }

  mutating func reserve(objects: Int) {
    queues.reserve(objects: objects)
    counts.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    queues.prefetch(id)
    counts.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { counts.prefetchCounters(id) }
  var stateBytes: Int { queues.bytes + counts.bytes }

  @inline(__always) private mutating func choose(_ sizes: some ObjectSizes) -> ObjectID {
    if queues.smallUsed >= queues.smallCapacity || queues.isMainEmpty {
      let victim = queues.spareSmall(above: 1, sizes)
      if victim != .none {
        chosen = .small
        return victim
      }
    }
    chosen = .main
    return queues.spareMain()
  }
}

/// Recent misses of each key, up to 15 in a sketch or 255 in exact counters. Each miss is a step,
/// and all counts are halved after eight steps per object in the cache and one more.
struct MissCounts: ~Copyable {
  // For large capacities, the sketch starts with this number of objects and doubles as needed.
  static var objectsAtFirst: Int { 1 << 16 }
  static var stepsPerObject: Int { 8 }
  static func sketched(_ objects: Int) -> Int { max(objects, min(objects * 8, 1024)) }

  let isExact: Bool
  let countsObjects: Bool
  // The count is in the lowest 8 bits, the number of halvings at its last update above them.
  var counters: Column<UInt64>
  var sketch: FrequencySketch
  var fingerprints: Column<UInt32>
  var size: CacheSizeInObjects
  var steps = 0
  var halvings: UInt64 = 0

  init(_ setup: PolicySetup, isExact: Bool) {
    self.isExact = isExact
    countsObjects = setup.unit == .objects
    size = CacheSizeInObjects(setup)
    counters = Column(objects: isExact ? setup.objects : 0)
    let objects = countsObjects ? Int(min(setup.capacity, UInt64(MissCounts.objectsAtFirst))) : 16
    sketch = MissCounts.sketch(objects: isExact ? 1 : MissCounts.sketched(objects))
    fingerprints = Column(objects: isExact ? 0 : setup.objects)
  }

  static func sketch(objects: Int) -> FrequencySketch {
    FrequencySketch(objects: objects, period: .max, objectsInBlock: 2)
  }

  @inline(__always) mutating func countMiss(_ request: Request) -> UInt32 {
    if steps >= size.objects * MissCounts.stepsPerObject {
      steps = 0
      halve()
    } else {
      steps += 1
    }
    guard isExact else { return sketch.incrementLowest(request.fingerprint) }
    let count = min(exact(request.id) + 1, 255)
    counters[request.id] = halvings << 8 | count
    return UInt32(truncatingIfNeeded: count)
  }

  @inline(__always) mutating func estimate(_ id: ObjectID) -> UInt32 {
    isExact ? UInt32(truncatingIfNeeded: exact(id)) : sketch.estimate(fingerprints[id])
  }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool { isExact && exact(id) > 0 }

  mutating func forget(_ id: ObjectID) { if isExact { counters[id] = 0 } }

  @inline(__always) mutating func enter(_ request: Request) {
    if !isExact { fingerprints[request.id] = request.fingerprint }
    size.enter()
    if !isExact { sketch.reserve(objects: MissCounts.sketched(size.residents)) }
  }

  @inline(__always) mutating func leave() { size.leave() }

  var ghostsMax: Int {
    guard isExact else { return 0 }
    return countsObjects ? size.objects * MissCounts.stepsPerObject * 2 + 2 : .max
  }

  mutating func reserve(objects: Int) {
    if isExact {
      counters.reserve(objects: objects)
    } else {
      fingerprints.reserve(objects: objects)
    }
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    if isExact { counters.prefetch(id) } else { fingerprints.prefetch(id) }
  }

  @inline(__always) func prefetchCounters(_ id: ObjectID) {
    if !isExact { sketch.prefetch(fingerprints[id]) }
  }

  var bytes: Int { counters.bytes + sketch.bytes + fingerprints.bytes }

  // Halving rounds down each time, and so does shifting once by several bits.
  @inline(__always) func exact(_ id: ObjectID) -> UInt64 {
    let word = counters[id]
    return (word & 255) >> min(halvings - (word >> 8), 8)
  }

  @inline(never) mutating func halve() {
    halvings += 1
    if !isExact { sketch.halve() }
  }
}
