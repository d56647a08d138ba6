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
  @inlinable
  public static var estimateMax: UInt32 { 15 }

  @inlinable
  static var wordsInBlock: Int { 8 }
  @inlinable
  static var objectsInBlock: Int { 2 }

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
  @inlinable
  @inline(__always)
  public mutating func increment(_ fingerprint: UInt32) -> UInt32 {
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
  @inlinable
  @inline(__always)
  public func estimate(_ fingerprint: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: estimate(Place(fingerprint, self)))
  }

  /// Halves every counter, odd ones downwards. O(its size).
  @inline(never)
  public mutating func halve() {
    for index in 0..<(Int(blockMask) + 1) * MissSketch.wordsInBlock {
      words[first + UInt32(index)] = words[first + UInt32(index)] >> 1 & 0x7777_7777_7777_7777
    }
  }

  /// Is good for a cache of `wanted` objects from now on; estimates stay as they are. O(`wanted`)
  /// each time that number doubles.
  @inlinable
  @inline(__always)
  public mutating func reserve(objects wanted: Int) { if wanted > objects { grow(wanted) } }

  @usableFromInline
  @inline(never)
  mutating func grow(_ wanted: Int) {
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
  @inlinable
  @inline(__always)
  public func prefetch(_ fingerprint: UInt32) { words.prefetch(Place(fingerprint, self).block) }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes }

  /// Where the counters of a key are.
  @usableFromInline
  struct Place {
    /// The first word of its block.
    @usableFromInline let block: UInt32
    // Five bits for each counter: one of two words and one of 16 places there.
    @usableFromInline let choices: UInt32

    @inlinable
    @inline(__always)
    init(_ fingerprint: UInt32, _ sketch: borrowing MissSketch) {
      let hash = FrequencySketch.hash(fingerprint)
      let number = UInt32(truncatingIfNeeded: hash) & sketch.blockMask
      block = sketch.first + number * UInt32(MissSketch.wordsInBlock)
      choices = UInt32(truncatingIfNeeded: hash >> 44)
    }

    /// The word of the counter in a row from 0 to 3, and how far its bits are from the lowest.
    @inlinable
    @inline(__always)
    func counter(_ row: UInt32) -> (word: UInt32, shift: UInt64) {
      let choice = choices >> (row * 5)
      return (block + row * 2 + (choice & 1), UInt64(choice >> 1 & 15) * 4)
    }
  }

  @inlinable
  @inline(__always)
  func estimate(_ place: Place) -> UInt64 {
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
