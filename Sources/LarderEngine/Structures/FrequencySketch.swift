/// How often each of any number of keys was requested lately, to within a small overestimate, in 8
/// bytes for each object of a cache: a count-min sketch that ages.
///
/// A key has four counters of 4 bits, and its estimate is the least of them; it is never too low
/// but through ageing, and too high only where all four are shared (Cormode and Muthukrishnan, An
/// improved data stream summary: the count-min sketch and its applications, Journal of Algorithms
/// 2005). After `period` additions every counter is halved, so that the past fades (Einziger,
/// Friedman and Manes, TinyLFU: a highly efficient cache admission policy, ACM ToS 2017). All four
/// counters of a key lie in one block of 64 bytes, as in Caffeine: one access to memory.
///
/// Plain increments, not conservative ones: every counter of the key goes up, so that the counters
/// of a block can be read and written without being compared.
public struct FrequencySketch: ~Copyable {
  /// A count never goes beyond this.
  @inlinable
  public static var estimateMax: UInt32 { 15 }

  @inlinable
  static var wordsInBlock: Int { 8 }

  @usableFromInline var words: Column<UInt64>
  // The first word at the start of a cache line.
  @usableFromInline var first: UInt32
  @usableFromInline var blockMask: UInt32
  @usableFromInline var additions: UInt64 = 0
  /// The number of objects that it is for: as many as the cache holds.
  public private(set) var objects: Int
  /// After this many additions everything is halved.
  public private(set) var period: UInt64
  @usableFromInline let periodFixed: UInt64?

  /// All counts zero, for a cache of `objects`. Halves after `period` additions, by default ten for
  /// each object.
  public init(objects: Int, period: UInt64? = nil) {
    self.objects = max(objects, 1)
    periodFixed = period
    self.period = period ?? UInt64(self.objects) * 10
    let blocks = FrequencySketch.blocks(objects)
    words = Column(objects: (blocks + 1) * FrequencySketch.wordsInBlock)
    first = FrequencySketch.alignedWord(words)
    blockMask = UInt32(blocks - 1)
  }

  /// Counts one request; true when that was the last of a period and everything was halved.
  /// Amortised O(1).
  @inlinable
  @inline(__always)
  public mutating func increment(_ fingerprint: UInt32) -> Bool {
    let place = Place(fingerprint, self)
    // Without branches: whether a counter is at its end is as good as random.
    var added: UInt64 = 0
    for row in 0..<4 as Range<UInt32> {
      let (word, shift) = place.counter(row)
      let old = words[word]
      let step: UInt64 = old >> shift & 15 != 15 ? 1 : 0
      words[word] = old &+ step &<< shift
      added |= step
    }
    additions += added
    guard additions >= period, added != 0 else { return false }
    halve()
    return true
  }

  /// How often the key was requested lately, from 0 to 15. O(1).
  @inlinable
  @inline(__always)
  public func estimate(_ fingerprint: UInt32) -> UInt32 {
    let place = Place(fingerprint, self)
    var least: UInt64 = 15
    for row in 0..<4 as Range<UInt32> {
      let (word, shift) = place.counter(row)
      least = min(least, words[word] >> shift & 15)
    }
    return UInt32(truncatingIfNeeded: least)
  }

  /// Is good for a cache of `wanted` objects from now on; estimates stay as they are. O(`wanted`)
  /// each time that number doubles.
  public mutating func reserve(objects wanted: Int) {
    guard wanted > objects else { return }
    objects = wanted
    period = periodFixed ?? UInt64(wanted) * 10
    let blocks = FrequencySketch.blocks(wanted)
    let oldBlocks = Int(blockMask) + 1
    guard blocks > oldBlocks else { return }
    // A key's block is the low bits of its hash, so that its counters are now in one of the copies.
    let larger = Column<UInt64>(objects: (blocks + 1) * FrequencySketch.wordsInBlock)
    let largerFirst = FrequencySketch.alignedWord(larger)
    let oldWords = oldBlocks * FrequencySketch.wordsInBlock
    for word in 0..<blocks * FrequencySketch.wordsInBlock {
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
    init(_ fingerprint: UInt32, _ sketch: borrowing FrequencySketch) {
      let hash = FrequencySketch.hash(fingerprint)
      let number = UInt32(truncatingIfNeeded: hash) & sketch.blockMask
      block = sketch.first + number * UInt32(FrequencySketch.wordsInBlock)
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
  static func hash(_ fingerprint: UInt32) -> UInt64 {
    var hash = UInt64(fingerprint) &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
    return hash ^ hash >> 32
  }

  /// Halves every counter, odd ones downwards, and the number of additions with them.
  @usableFromInline
  @inline(never)
  mutating func halve() {
    var odd: UInt64 = 0
    for index in 0..<(Int(blockMask) + 1) * FrequencySketch.wordsInBlock {
      let word = words[first + UInt32(index)]
      odd += UInt64((word & 0x1111_1111_1111_1111).nonzeroBitCount)
      words[first + UInt32(index)] = word >> 1 & 0x7777_7777_7777_7777
    }
    // As Caffeine 2, to which published results belong. (Caffeine 3 subtracts half as much, which
    // is what odd counters lose; hit ratios differ by 0.1 points.)
    additions = additions / 2 - min(additions / 2, odd / 4)
  }

  private static func blocks(_ objects: Int) -> Int {
    var blocks = 1
    while blocks * wordsInBlock < min(objects, 1 << 31) { blocks *= 2 }
    return blocks
  }

  /// The first word that begins a cache line.
  private static func alignedWord(_ words: borrowing Column<UInt64>) -> UInt32 {
    UInt32((64 - UInt(bitPattern: words.view) % 64) % 64 / 8)
  }
}
