/// Which positions of a stream hold the latest request of an object: a bit for each position, with
/// running sums above it, so that the live positions before a given one are counted by five loads.
///
/// The order-statistic structure under a stack distance, as Bennett and Kruskal (LRU Stack
/// Processing, IBM Journal of Research and Development 1975) keep it, over bits. Each sum counts
/// what stands before its part within the part above: 32 words of 64 positions are a group, 32
/// groups a block, 32 blocks a section. Taking a position out lowers the sums to the right of it,
/// which is a handful of vector operations for each level, without a branch. Where positions run
/// out the live ones are numbered anew. Memory: less than a byte for six positions.
struct RecencyBits: RecencyOrder, ~Copyable {
  private var words: Column<UInt64>
  private var wordSums: Column<UInt16>
  private var groupSums: Column<UInt16>
  private var blockSums: Column<UInt32>
  private var sectionSums: Column<UInt32>
  private var sections: UInt32
  private var live = 0
  private var end = 0
  private let room: Int

  private static var blockSize: Int { 1 << 16 }

  init(room wanted: Int) {
    let blockCount = max(1, (wanted + Self.blockSize - 1) / Self.blockSize)
    let sectionCount = (blockCount + 31) / 32
    room = blockCount * Self.blockSize
    sections = UInt32(sectionCount)
    words = Column(objects: blockCount << 10)
    wordSums = Column(objects: blockCount << 10)
    groupSums = Column(objects: blockCount << 5)
    blockSums = Column(objects: sectionCount << 5)
    sectionSums = Column(objects: sectionCount)
  }

  @inline(__always)
  var isFull: Bool { end == room }

  /// Live positions.
  @inline(__always)
  var total: UInt64 { UInt64(truncatingIfNeeded: live) }

  static var weighs: Bool { false }

  @inline(__always)
  func weight(_ position: UInt32) -> UInt32 { 1 }

  @inline(__always)
  func before(_ position: UInt32) -> UInt64 { UInt64(rank(position)) }

  // There are no parts of 1.
  mutating func lighten(_ position: UInt32, by weight: UInt32) {}

  mutating func makeRanks() {}

  @inline(__always)
  mutating func append(_ weight: UInt32) -> UInt32 {
    let position = UInt32(truncatingIfNeeded: end)
    if position & 63 == 0 { beginWord(position) }
    words[position >> 6] |= 1 << UInt64(position & 63)
    live &+= 1
    end &+= 1
    return position
  }

  @inline(__always)
  func rank(_ position: UInt32) -> UInt32 {
    let below = words[position >> 6] & ((1 << UInt64(position & 63)) &- 1)
    return sectionSums[position >> 21] &+ blockSums[position >> 16]
      &+ UInt32(groupSums[position >> 11]) &+ UInt32(wordSums[position >> 6])
      &+ UInt32(truncatingIfNeeded: below.nonzeroBitCount)
  }

  @inline(__always)
  mutating func remove(_ position: UInt32) {
    words[position >> 6] ^= 1 << UInt64(position & 63)
    Self.lower(wordSums, after: position >> 6)
    Self.lower(groupSums, after: position >> 11)
    Self.lower(blockSums, after: position >> 16)
    var later = (position >> 21) &+ 1
    while later < sections {
      sectionSums[later] &-= 1
      later &+= 1
    }
    live &-= 1
  }

  @inline(__always)
  func prefetch(_ position: UInt32) {
    words.prefetch(position >> 6)
    wordSums.prefetch((position >> 6) & ~31)
  }

  mutating func renumber(room wanted: Int) {
    let count = live
    self = RecencyBits(room: wanted)
    for _ in 0..<count { _ = append(1) }
  }

  var bytes: Int {
    words.bytes + wordSums.bytes + groupSums.bytes + blockSums.bytes + sectionSums.bytes
  }

  /// Fills in the sums of the parts that begin at `position`: all that is live stands before them.
  private mutating func beginWord(_ position: UInt32) {
    var before = UInt32(truncatingIfNeeded: live)
    if position & (1 << 21 - 1) == 0 { sectionSums[position >> 21] = before }
    before &-= sectionSums[position >> 21]
    if position & (1 << 16 - 1) == 0 { blockSums[position >> 16] = before }
    before &-= blockSums[position >> 16]
    if position & (1 << 11 - 1) == 0 {
      groupSums[position >> 11] = UInt16(truncatingIfNeeded: before)
    }
    before &-= UInt32(groupSums[position >> 11])
    wordSums[position >> 6] = UInt16(truncatingIfNeeded: before)
  }

  /// Subtracts 1 from the sums after `part` among the 32 that it belongs to.
  @inline(__always)
  private static func lower<Sum: FixedWidthInteger & BitwiseCopyable>(
    _ sums: borrowing Column<Sum>, after part: UInt32
  ) {
    // A loop of fixed length over memory in a row becomes vector operations.
    let family = sums.row(from: part & ~31, count: 32)
    let place = Sum(truncatingIfNeeded: part & 31)
    for lane in 0..<32 {
      family[lane] &-= Sum(truncatingIfNeeded: lane) > place ? 1 : 0
    }
  }
}
