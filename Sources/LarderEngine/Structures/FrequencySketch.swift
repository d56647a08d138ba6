/// Recent request counts of any number of keys, up to 15, in 8 to 64 bytes for each object of a
/// cache: a count-min sketch (Cormode and Muthukrishnan 2005) whose counters are halved after
/// `period` additions (Einziger, Friedman and Manes, TinyLFU, ACM ToS 2017).
///
/// A key has four counters of 4 bits, all in one block of 64 bytes, and its estimate is their
/// minimum. `increment` raises all four, without comparisons; `incrementLowest` only the lowest
/// ones, which is more exact (Estan and Varghese, SIGCOMM 2002).
///
/// Counters halve in parts: 64 blocks with each increment, and a block that a key needs before its
/// turn when it is needed, so that estimates are those of halving at once. They move to a larger
/// sketch in the same way.
public struct FrequencySketch: ~Copyable {
  /// The largest count.
  @inlinable public static var estimateMax: UInt32 { 15 }
  @inlinable static var wordsInBlock: Int { 8 }
  @inlinable static var blocksInGroup: UInt32 { 64 }

  @usableFromInline var words: Column<UInt64>
  // Groups of blocks that have still to be halved or copied, the last one next, and a bit for each
  // of their blocks that has been already.
  @usableFromInline var unswept: UInt32 = 0
  @usableFromInline var halved: Column<UInt64>
  // Odd counters of the halved blocks, and the additions at the start of halving, halved.
  private var odd: UInt64 = 0
  private var half: UInt64 = 0
  // The smaller sketch that is copied, and its blocks; 0 if there is none.
  private var smaller = Column<UInt64>(objects: 0)
  @usableFromInline var smallerBlocks: UInt32 = 0
  // The first word at the start of a cache line.
  @usableFromInline var first: UInt32
  @usableFromInline var blockMask: UInt32
  @usableFromInline var additions: UInt64 = 0
  // With as many additions halving is due, or goes on: the period, or 0.
  @usableFromInline var trigger: UInt64
  /// The number of objects that the sketch is sized for, that of the cache.
  public private(set) var objects: Int
  /// The number of additions after which all counters are halved.
  public private(set) var period: UInt64
  private let periodFixed: UInt64?
  private let objectsInBlock: Int

  /// Creates a sketch of zeros for a cache of `objects`, with 128 counters for `objectsInBlock` of
  /// them. Halves after `period` additions, by default ten for each object.
  public init(objects: Int, period: UInt64? = nil, objectsInBlock: Int = 8) {
    // A local: `??` with a property of a value that is not fully initialised is miscompiled.
    let count = max(objects, 1)
    self.objects = count
    self.objectsInBlock = objectsInBlock
    periodFixed = period
    let additionsInPeriod = period ?? UInt64(count) * 10
    self.period = additionsInPeriod
    trigger = additionsInPeriod
    let blocks = FrequencySketch.blocks(objects, objectsInBlock)
    words = Column(objects: (blocks + 1) * FrequencySketch.wordsInBlock)
    halved = Column(objects: blocks / Int(FrequencySketch.blocksInGroup))
    first = FrequencySketch.alignedWord(words)
    blockMask = UInt32(blocks - 1)
  }

  /// Counts one request. At the end of a period all counters are halved, before the next one. O(1).
  @inlinable @inline(__always) public mutating func increment(_ fingerprint: UInt32) {
    let place = Place(fingerprint, self)
    additions >= trigger ? addHalving(place) : add(place)
  }

  @inlinable @inline(__always) mutating func add(_ place: Place) {
    // Branchless, because saturation of a counter is unpredictable.
    var added: UInt64 = 0
    for row in 0..<4 as Range<UInt32> {
      let (word, shift) = place.counter(row)
      let old = words[word]
      let step: UInt64 = old >> shift & 15 != 15 ? 1 : 0
      words[word] = old &+ step &<< shift
      added |= step
    }
    additions += added
  }

  /// Increments the key's lowest counters, and returns the new estimate. O(1).
  @inlinable @inline(__always) public mutating func incrementLowest(
    _ fingerprint: UInt32
  ) -> UInt32 {
    let place = Place(fingerprint, self)
    if additions >= trigger { settle(place) }
    let old = lowest(place)
    guard old < UInt64(FrequencySketch.estimateMax) else { return FrequencySketch.estimateMax }
    for row in 0..<4 as Range<UInt32> {
      let (word, shift) = place.counter(row)
      if words[word] >> shift & 15 == old { words[word] &+= 1 << shift }
    }
    return UInt32(truncatingIfNeeded: old + 1)
  }

  /// The recent request count of the key, from 0 to 15. O(1).
  @inlinable @inline(__always) public mutating func estimate(_ fingerprint: UInt32) -> UInt32 {
    let place = Place(fingerprint, self)
    if additions >= trigger { settle(place) }
    return UInt32(truncatingIfNeeded: lowest(place))
  }

  @inlinable @inline(__always) func lowest(_ place: Place) -> UInt64 {
    var least: UInt64 = 15
    for row in 0..<4 as Range<UInt32> {
      let (word, shift) = place.counter(row)
      least = min(least, words[word] >> shift & 15)
    }
    return least
  }

  /// Sizes the sketch for a cache of `wanted` objects without changing estimates. O(1); O(size)
  /// while counters halve or move.
  @inlinable @inline(__always) public mutating func reserve(objects wanted: Int) {
    if wanted > objects { grow(wanted) }
  }

  @usableFromInline @inline(never) mutating func grow(_ wanted: Int) {
    if unswept == 0, additions >= period { beginHalving() }
    objects = wanted
    period = periodFixed ?? UInt64(wanted) * 10
    if unswept == 0 { trigger = period }
    let blocks = FrequencySketch.blocks(wanted, objectsInBlock)
    let oldBlocks = Int(blockMask) + 1
    guard blocks > oldBlocks else { return }
    sweepAll()
    // A key's block is the low bits of its hash, so its counters are now in one of the copies.
    var larger = Column<UInt64>(objects: (blocks + 1) * FrequencySketch.wordsInBlock)
    swap(&words, &larger)
    smaller = larger
    smallerBlocks = UInt32(oldBlocks)
    first = FrequencySketch.alignedWord(words)
    blockMask = UInt32(blocks - 1)
    halved = Column(objects: blocks / Int(FrequencySketch.blocksInGroup))
    sweepFromEnd()
  }

  // The word of the smaller sketch that is copied to a word.
  private func smallerWord(_ word: UInt32) -> UInt32 {
    let words = smallerBlocks * UInt32(FrequencySketch.wordsInBlock)
    return FrequencySketch.alignedWord(smaller) + (word - first) % words
  }

  /// Prefetches the counters of a key.
  @inlinable @inline(__always) public func prefetch(_ fingerprint: UInt32) {
    words.prefetch(Place(fingerprint, self).block)
  }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes + halved.bytes + smaller.bytes }

  @usableFromInline struct Place {
    @usableFromInline var block: UInt32
    // Five bits for each counter: one of two words, and one of 16 counters in it.
    @usableFromInline let choices: UInt32

    @inlinable @inline(__always) init(_ fingerprint: UInt32, _ sketch: borrowing FrequencySketch) {
      let hash = FrequencySketch.hash(fingerprint)
      let number = UInt32(truncatingIfNeeded: hash) & sketch.blockMask
      block = sketch.first + number * UInt32(FrequencySketch.wordsInBlock)
      choices = UInt32(truncatingIfNeeded: hash >> 44)
    }

    @inlinable @inline(__always) func counter(_ row: UInt32) -> (word: UInt32, shift: UInt64) {
      let choice = choices >> (row * 5)
      return (block + row * 2 + (choice & 1), UInt64(choice >> 1 & 15) * 4)
    }
  }

  @inlinable @inline(__always) static func hash(_ fingerprint: UInt32) -> UInt64 {
    var hash = UInt64(fingerprint) &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
    return hash ^ hash >> 32
  }

  /// Halves every counter, rounding down, and the number of additions with them. O(1); O(size) if
  /// the last halving has not ended.
  public mutating func halve() {
    sweepAll()
    beginHalving()
  }

  private mutating func beginHalving() {
    additions /= 2
    (half, odd) = (additions, 0)
    sweepFromEnd()
  }

  private mutating func sweepFromEnd() {
    unswept = blockMask / FrequencySketch.blocksInGroup + 1
    trigger = 0
    sweepGroup()
  }

  mutating func sweepAll() {
    if unswept == 0, additions >= period { beginHalving() }
    while unswept != 0 { sweepGroup() }
  }

  @usableFromInline @inline(never) mutating func addHalving(_ place: Place) {
    settle(place)
    add(place)
    // Odd counters may still lower the number of additions.
    if additions >= period { sweepAll() }
  }

  // Halves or copies the block of a key, if that is due, and those whose turn it is.
  @usableFromInline @inline(never) mutating func settle(_ place: Place) {
    unswept == 0 ? beginHalving() : sweepGroup()
    let number = (place.block - first) / UInt32(FrequencySketch.wordsInBlock)
    let group = number / FrequencySketch.blocksInGroup
    let mark: UInt64 = 1 << UInt64(number % FrequencySketch.blocksInGroup)
    guard group < unswept, halved[group] & mark == 0 else { return }
    halved[group] |= mark
    sweepBlock(place.block)
  }

  private mutating func sweepGroup() {
    unswept -= 1
    let size = min(FrequencySketch.blocksInGroup, blockMask + 1)
    let start = unswept * FrequencySketch.blocksInGroup
    let done = halved[unswept]
    halved[unswept] = 0
    for block in 0..<size where done >> UInt64(block) & 1 == 0 {
      sweepBlock(first + (start + block) * UInt32(FrequencySketch.wordsInBlock))
    }
    DebugWork.add(Int(size))
    guard unswept == 0 else { return }
    trigger = period
    if smallerBlocks > 0 {
      smaller = Column(objects: 0)
      smallerBlocks = 0
      return
    }
    // As in Caffeine 2, with which the published results were produced. (Caffeine 3 subtracts half
    // as much, which is what odd counters lose; hit ratios differ by 0.1 points.)
    additions -= min(half, odd / 4)
  }

  private mutating func sweepBlock(_ block: UInt32) {
    if smallerBlocks > 0 {
      let source = smallerWord(block)
      for word in 0..<UInt32(FrequencySketch.wordsInBlock) {
        words[block + word] = smaller[source + word]
      }
      return
    }
    for word in block..<block + UInt32(FrequencySketch.wordsInBlock) {
      odd += UInt64((words[word] & 0x1111_1111_1111_1111).nonzeroBitCount)
      words[word] = words[word] >> 1 & 0x7777_7777_7777_7777
    }
  }

  private static func blocks(_ objects: Int, _ objectsInBlock: Int) -> Int {
    var blocks = 1
    while blocks * objectsInBlock < min(objects, objectsInBlock << 28) { blocks *= 2 }
    return blocks
  }

  private static func alignedWord(_ words: borrowing Column<UInt64>) -> UInt32 {
    UInt32((64 - UInt(bitPattern: words.view) % 64) % 64 / 8)
  }
}

/// TinyLFU's estimator: approximate recent request counts of all keys, and the key of each resident
/// object. With a capacity in bytes, the sketch grows with the number of residents. The requests of
/// a removed object stay until they fade.
public struct SketchedCounts: ~Copyable {
  // For large capacities, the sketch starts with this number of objects and doubles as needed.
  @inlinable static var objectsAtFirst: Int { 1 << 20 }

  @usableFromInline var sketch: FrequencySketch
  @usableFromInline var fingerprints: Column<UInt32>
  @usableFromInline var residents = 0

  /// Creates an estimator with all counts zero.
  public init(_ setup: PolicySetup) {
    sketch = SketchedCounts.makeSketch(setup)
    fingerprints = Column(objects: setup.objects)
  }

  package static func makeSketch(_ setup: PolicySetup) -> FrequencySketch {
    guard setup.unit == .objects else { return FrequencySketch(objects: 16) }
    let objects = Int(min(setup.capacity, UInt64(SketchedCounts.objectsAtFirst)))
    return FrequencySketch(objects: objects, period: min(setup.capacity, 1 << 60) * 10)
  }

  package mutating func raise(_ object: KnownObject) {
    let count = min(object.requests + 1, FrequencySketch.estimateMax)
    while sketch.estimate(object.fingerprint) < count {
      _ = sketch.incrementLowest(object.fingerprint)
    }
  }

  /// Counts a request for a resident object.
  @inlinable @inline(__always) public mutating func countHit(_ id: ObjectID) {
    sketch.increment(fingerprints[id])
  }

  /// Counts a request for an object that is not resident.
  @inlinable @inline(__always) public mutating func countMiss(_ request: Request) {
    sketch.increment(request.fingerprint)
  }

  /// The recent request count of a resident object.
  @inlinable @inline(__always) public mutating func estimate(_ id: ObjectID) -> UInt32 {
    sketch.estimate(fingerprints[id])
  }

  /// The recent request count of a requested object that is not resident.
  @inlinable @inline(__always) public mutating func estimate(_ request: Request) -> UInt32 {
    sketch.estimate(request.fingerprint)
  }

  /// Records that an object becomes resident.
  @inlinable @inline(__always) public mutating func enter(_ request: Request) {
    fingerprints[request.id] = request.fingerprint
    residents += 1
    sketch.reserve(objects: residents)
  }

  /// Records that a resident object leaves.
  @inlinable @inline(__always) public mutating func leave() { residents -= 1 }

  /// Requests in a period, after which every count is halved.
  public var period: UInt64 { sketch.period }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { fingerprints.reserve(objects: objects) }

  /// Prefetches the object's fingerprint.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { fingerprints.prefetch(id) }

  /// Prefetches the counters of the object's fingerprint, which is known only if it was resident.
  @inlinable @inline(__always) public func prefetchCounters(_ id: ObjectID) {
    sketch.prefetch(fingerprints[id])
  }

  /// Prefetches the counters of a fingerprint.
  @inlinable @inline(__always) public func prefetchCounters(fingerprint: UInt32) {
    sketch.prefetch(fingerprint)
  }

  /// Memory held, in bytes.
  public var bytes: Int { sketch.bytes + fingerprints.bytes }
}

/// A set of 32-bit fingerprints without false negatives and with few false positives (Bloom 1970).
public struct BloomFilter: ~Copyable {
  @usableFromInline var words: Column<UInt64>
  @usableFromInline let bits: UInt64
  @usableFromInline let probes: Int
  /// The number of keys up to which the error rate is as stated.
  public let capacity: Int
  /// Keys inserted since the set was last empty, except those it took for known.
  @inlinable @inline(__always) public var count: Int { inserted }
  @usableFromInline var inserted = 0

  /// Creates an empty set whose false-positive probability is `error` with `capacity` keys.
  public init(capacity: Int, error: Double) {
    // 5 % more bits than the formula, which ignores that the number of probes is an integer.
    let ln2 = 0.6931471805599453
    let bitsPerKey = -DeterministicMath.log(error) / (ln2 * ln2)
    self.capacity = max(capacity, 1)
    bits = max(64, UInt64((Double(self.capacity) * bitsPerKey * 1.05).rounded(.up)))
    probes = max(1, Int((bitsPerKey * ln2).rounded()))
    words = Column(objects: Int(bits / 64))
  }

  /// Returns false if the key was certainly not inserted, true if it very likely was. O(1).
  @inlinable @inline(__always) public func contains(_ fingerprint: UInt32) -> Bool {
    var (hash, step) = BloomFilter.hashes(fingerprint)
    for _ in 0..<probes {
      let bit = hash.multipliedFullWidth(by: bits).high
      if words[UInt32(truncatingIfNeeded: bit / 64)] >> (bit % 64) & 1 == 0 { return false }
      hash &+= step
    }
    return true
  }

  /// Inserts a key, and returns true if `contains` was false for it before. O(1).
  @inlinable @inline(__always) public mutating func insert(_ fingerprint: UInt32) -> Bool {
    var (hash, step) = BloomFilter.hashes(fingerprint)
    var isNew = false
    for _ in 0..<probes {
      let bit = hash.multipliedFullWidth(by: bits).high
      let word = UInt32(truncatingIfNeeded: bit / 64)
      let mask: UInt64 = 1 << (bit % 64)
      isNew = isNew || words[word] & mask == 0
      words[word] |= mask
      hash &+= step
    }
    if isNew { inserted += 1 }
    return isNew
  }

  /// Removes all keys. O(capacity).
  public mutating func clear() {
    for word in 0...UInt32(truncatingIfNeeded: bits / 64) { words[word] = 0 }
    inserted = 0
  }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes }

  @inlinable @inline(__always) static func hashes(_ fingerprint: UInt32) -> (UInt64, UInt64) {
    var hash = (UInt64(fingerprint) &+ 0x632B_E59B_D9B4_E019) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 29) &* 0x94D0_49BB_1331_11EB
    hash ^= hash >> 32
    return (hash, hash &* 0x9E37_79B9_7F4A_7C15 | 1)
  }
}
