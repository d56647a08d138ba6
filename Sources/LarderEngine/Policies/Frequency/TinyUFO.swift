/// A small queue and a main one, and a count of misses that decides between a newcomer and what
/// would have to leave for it.
///
/// The program of the reference counts with a sketch whose hashes differ from run to run. Here they
/// are the same in every run; `counters=exact` has a counter for each object, and counts what the
/// reference does. That is defined for objects of one size: where the capacity is in bytes, the
/// share of the small queue is one of bytes, a newcomer is compared with the first object that
/// would have to leave, and the cache's size in objects is the most that it held so far.
struct TinyUFO: EvictionPolicy, ThreeQueuePolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "tinyufo", family: .frequency,
    summary: "A small and a main FIFO; when the cache is full, a new object is stored only if a "
      + "sketch counts as many recent misses of it as of the victim, which otherwise stays.",
    parameters: [
      PolicyParameter(
        "counters", default: "sketch",
        "sketch: an approximate count of misses; exact: a counter for each object")
    ],
    learns: true,
    paper: "TinyUFO of Cloudflare's Pingora, 2024; after S3-FIFO and TinyLFU")

  /// The queue whose oldest object is the victim.
  private enum Chosen { case nothing, small, main }

  var queues: ThreeQueues
  // There are no ghosts.
  var missedGhost = false
  private var counts: MissCounts
  private let capacity: UInt64
  private var chosen = Chosen.nothing

  init(_ setup: PolicySetup) throws(PolicyError) {
    let words = ["sketch", "exact"]
    let counters = setup.spec.values["counters"] ?? words[0]
    guard words.contains(counters) else {
      throw .badValue(
        policy: setup.spec.name, parameter: "counters", value: counters,
        expected: "sketch or exact")
    }
    queues = try ThreeQueues(
      setup, small: min(setup.capacity / 10 + 1, setup.capacity), ghosts: 0)
    capacity = setup.capacity
    counts = MissCounts(setup, isExact: counters == "exact")
  }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool {
    queues.contains(id) || counts.remembers(id)
  }

  /// Decides between the newcomer and the first victim, which becomes the newest of the small queue
  /// where it wins.
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

  /// What exact counters remember.
  var ghostsMax: Int { counts.ghostsMax }

  /// The queues have no ghosts, but misses may be counted by id.
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

  /// Finds the victim, which stays where it is: the oldest of the queue that is chosen.
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
  @inlinable static var objectsAtFirst: Int { 1 << 16 }
  @inlinable static var stepsPerObject: Int { 8 }

  /// How many objects the sketch of a cache of `objects` is for. In a small cache two popular keys
  /// that share their counters are many of the requests: with 200 objects a sketch for so many was
  /// up to two points from exact counters on a real trace, and one for 1,024 was within 0.05.
  @inlinable static func sketched(_ objects: Int) -> Int { max(objects, min(objects * 8, 1024)) }

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
  @inlinable @inline(__always) public mutating func countMiss(_ request: Request) -> UInt32 {
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
  @inlinable @inline(__always) public func estimate(_ id: ObjectID) -> UInt32 {
    isExact ? UInt32(truncatingIfNeeded: exact(id)) : sketch.estimate(fingerprints[id])
  }

  /// Whether misses of the object are known, and whose they were.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool {
    isExact && exact(id) > 0
  }

  /// Forgets an object's misses, where it is known whose they were.
  public mutating func forget(_ id: ObjectID) { if isExact { counters[id] = 0 } }

  /// An object becomes resident.
  @inlinable @inline(__always) public mutating func enter(_ request: Request) {
    if !isExact { fingerprints[request.id] = request.fingerprint }
    size.enter()
    if !isExact { sketch.reserve(objects: MissCounts.sketched(size.residents)) }
  }

  /// A resident object leaves.
  @inlinable @inline(__always) public mutating func leave() { size.leave() }

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
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {
    if isExact { counters.prefetch(id) } else { fingerprints.prefetch(id) }
  }

  /// Brings the counters of an object near whose fingerprint is; only if it was resident before.
  @inlinable @inline(__always) public func prefetchCounters(_ id: ObjectID) {
    if !isExact { sketch.prefetch(fingerprints[id]) }
  }

  /// Memory held, in bytes.
  public var bytes: Int { counters.bytes + sketch.bytes + fingerprints.bytes }

  // Halving rounds down each time, and so does halving often at once.
  @inlinable @inline(__always) func exact(_ id: ObjectID) -> UInt64 {
    let word = counters[id]
    return (word & 255) >> min(halvings - (word >> 8), 8)
  }

  @usableFromInline @inline(never) mutating func halve() {
    halvings += 1
    if !isExact { sketch.halve() }
  }
}

/// How often each of any number of keys was counted, up to 15 and to within a small overestimate,
/// in 32 to 64 bytes for each object of a cache: a count-min sketch with conservative updates.
///
/// As `FrequencySketch`, but of a key's counters only the lowest go up (Estan and Varghese, New
/// directions in traffic measurement and accounting, SIGCOMM 2002), there are four times as many,
/// and they are halved when its owner says so. TinyUFO keeps so many different keys between two
/// halvings that with a quarter of the counters it is up to half a point from exact ones; counts
/// above 15 make no difference to it. All four counters of a key lie in one block of 64 bytes.
public struct MissSketch: ~Copyable {
  /// A count never goes beyond this.
  @inlinable public static var estimateMax: UInt32 { 15 }

  @inlinable static var wordsInBlock: Int { 8 }
  @inlinable static var objectsInBlock: Int { 2 }

  @usableFromInline var words: Column<UInt64>
  // The first word at the start of a cache line.
  @usableFromInline var first: UInt32
  @usableFromInline var blockMask: UInt32
  /// The number of objects that it is for: at least as many as the cache holds.
  public private(set) var objects: Int

  /// All counts zero, for a cache of `objects`.
  public init(objects: Int) {
    self.objects = max(objects, 1)
    let blocks = MissSketch.blocks(self.objects)
    words = Column(objects: (blocks + 1) * MissSketch.wordsInBlock)
    first = MissSketch.alignedWord(words)
    blockMask = UInt32(blocks - 1)
  }

  /// Counts once, and returns the estimate then. O(1).
  @inlinable @inline(__always) public mutating func increment(_ fingerprint: UInt32) -> UInt32 {
    let place = Place(fingerprint, self)
    let old = estimate(place)
    guard old < UInt64(MissSketch.estimateMax) else { return MissSketch.estimateMax }
    for row in 0..<4 as Range<UInt32> {
      let (word, shift) = place.counter(row)
      if words[word] >> shift & 15 == old { words[word] &+= 1 << shift }
    }
    return UInt32(truncatingIfNeeded: old + 1)
  }

  /// How often the key was counted, from 0 to 15. O(1).
  @inlinable @inline(__always) public func estimate(_ fingerprint: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: estimate(Place(fingerprint, self)))
  }

  /// Halves every counter, odd ones downwards. O(its size).
  @inline(never) public mutating func halve() {
    for index in 0..<(Int(blockMask) + 1) * MissSketch.wordsInBlock {
      words[first + UInt32(index)] = words[first + UInt32(index)] >> 1 & 0x7777_7777_7777_7777
    }
  }

  /// Is good for a cache of `wanted` objects from now on; estimates stay as they are. O(`wanted`)
  /// each time that number doubles.
  @inlinable @inline(__always) public mutating func reserve(objects wanted: Int) {
    if wanted > objects { grow(wanted) }
  }

  @usableFromInline @inline(never) mutating func grow(_ wanted: Int) {
    objects = wanted
    let blocks = MissSketch.blocks(wanted)
    let oldBlocks = Int(blockMask) + 1
    guard blocks > oldBlocks else { return }
    // A key's block is the low bits of its hash, so that its counters are now in one of the copies.
    let larger = Column<UInt64>(objects: (blocks + 1) * MissSketch.wordsInBlock)
    let largerFirst = MissSketch.alignedWord(larger)
    let oldWords = oldBlocks * MissSketch.wordsInBlock
    for word in 0..<blocks * MissSketch.wordsInBlock {
      larger[largerFirst + UInt32(word)] = words[first + UInt32(word % oldWords)]
    }
    words = larger
    first = largerFirst
    blockMask = UInt32(blocks - 1)
  }

  /// Brings the counters of a key near.
  @inlinable @inline(__always) public func prefetch(_ fingerprint: UInt32) {
    words.prefetch(Place(fingerprint, self).block)
  }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes }

  /// Where the counters of a key are.
  @usableFromInline struct Place {
    /// The first word of its block.
    @usableFromInline let block: UInt32
    // Five bits for each counter: one of two words and one of 16 places there.
    @usableFromInline let choices: UInt32

    @inlinable @inline(__always) init(_ fingerprint: UInt32, _ sketch: borrowing MissSketch) {
      let hash = FrequencySketch.hash(fingerprint)
      let number = UInt32(truncatingIfNeeded: hash) & sketch.blockMask
      block = sketch.first + number * UInt32(MissSketch.wordsInBlock)
      choices = UInt32(truncatingIfNeeded: hash >> 44)
    }

    /// The word of the counter in a row from 0 to 3, and how far its bits are from the lowest.
    @inlinable @inline(__always) func counter(_ row: UInt32) -> (word: UInt32, shift: UInt64) {
      let choice = choices >> (row * 5)
      return (block + row * 2 + (choice & 1), UInt64(choice >> 1 & 15) * 4)
    }
  }

  @inlinable @inline(__always) func estimate(_ place: Place) -> UInt64 {
    var least: UInt64 = 15
    for row in 0..<4 as Range<UInt32> {
      let (word, shift) = place.counter(row)
      least = min(least, words[word] >> shift & 15)
    }
    return least
  }

  private static func blocks(_ objects: Int) -> Int {
    var blocks = 1
    while blocks * objectsInBlock < min(objects, 1 << 30) { blocks *= 2 }
    return blocks
  }

  /// The first word that begins a cache line.
  private static func alignedWord(_ words: borrowing Column<UInt64>) -> UInt32 {
    UInt32((64 - UInt(bitPattern: words.view) % 64) % 64 / 8)
  }
}
