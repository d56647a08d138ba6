/// Which positions of a stream hold the latest request of an object, and what the object weighs:
/// `RecencyBits` for objects of different sizes.
///
/// Each level sums up what stands before its part within the part above, 32 parts to one: 32
/// positions are a leaf, 32 leaves a block, and so on up to 2^30 positions and more. Memory: about
/// 4.5 bytes a position.
struct RecencyWeights: RecencyOrder, ~Copyable {
  private var weights: Column<UInt32>
  // A bit for each position, since an object may weigh nothing.
  private var isLive: Column<UInt32>
  private var ranks: Column<UInt32>
  private var leafSums: Column<UInt64>
  private var blockSums: Column<UInt64>
  private var areaSums: Column<UInt64>
  private var sectionSums: Column<UInt64>
  private let sections: UInt32
  private var live = 0
  private var end = 0
  private let room: Int
  private(set) var total: UInt64 = 0

  private static var blockSize: Int { 1 << 10 }

  init(room wanted: Int) {
    let blockCount = max(1, (wanted + Self.blockSize - 1) / Self.blockSize)
    let areaCount = (blockCount + 31) / 32
    let sectionCount = (areaCount + 31) / 32
    room = blockCount * Self.blockSize
    sections = UInt32(sectionCount)
    weights = Column(objects: room)
    isLive = Column(objects: room >> 5)
    ranks = Column(objects: 0)
    leafSums = Column(objects: blockCount << 5)
    blockSums = Column(objects: areaCount << 5)
    areaSums = Column(objects: sectionCount << 5)
    sectionSums = Column(objects: sectionCount)
  }

  static var weighs: Bool { true }

  @inline(__always)
  var isFull: Bool { end == room }

  @inline(__always)
  mutating func append(_ weight: UInt32) -> UInt32 {
    let position = UInt32(truncatingIfNeeded: end)
    if position & 31 == 0 { beginLeaf(position) }
    weights[position] = weight
    isLive[position >> 5] |= 1 << (position & 31)
    total &+= UInt64(weight)
    live &+= 1
    end &+= 1
    return position
  }

  @inline(__always)
  func weight(_ position: UInt32) -> UInt32 { weights[position] }

  @inline(__always)
  func before(_ position: UInt32) -> UInt64 {
    let leaf = weights.row(from: position & ~31, count: 32)
    let place = position & 31
    var sum: UInt64 = 0
    for lane in UInt32(0)..<32 { sum &+= lane < place ? UInt64(leaf[Int(lane)]) : 0 }
    return sum &+ leafSums[position >> 5] &+ blockSums[position >> 10]
      &+ areaSums[position >> 15] &+ sectionSums[position >> 20]
  }

  @inline(__always)
  mutating func remove(_ position: UInt32) {
    let weight = weights[position]
    isLive[position >> 5] ^= 1 << (position & 31)
    live &-= 1
    weights[position] = 0
    lower(position, by: weight)
  }

  mutating func lighten(_ position: UInt32, by weight: UInt32) {
    weights[position] -= weight
    lower(position, by: weight)
  }

  mutating func makeRanks() {
    ranks = Column(objects: room >> 5)
    var count: UInt32 = 0
    for word in 0..<UInt32(room >> 5) {
      ranks[word] = count
      count += UInt32(isLive[word].nonzeroBitCount)
    }
  }

  func rank(_ position: UInt32) -> UInt32 {
    let below = isLive[position >> 5] & ((1 << (position & 31)) &- 1)
    return ranks[position >> 5] + UInt32(below.nonzeroBitCount)
  }

  mutating func renumber(room wanted: Int) {
    var packed = RecencyWeights(room: wanted)
    for position in 0..<UInt32(truncatingIfNeeded: end)
    where isLive[position >> 5] >> (position & 31) & 1 == 1 {
      _ = packed.append(weights[position])
    }
    self = packed
  }

  @inline(__always)
  func prefetch(_ position: UInt32) {
    weights.prefetch(position & ~31)
    leafSums.prefetch(position >> 5)
  }

  var bytes: Int {
    weights.bytes + isLive.bytes + ranks.bytes + leafSums.bytes + blockSums.bytes + areaSums.bytes
      + sectionSums.bytes
  }

  /// Fills in the sums of the parts that begin at `position`: everything stands before them.
  private mutating func beginLeaf(_ position: UInt32) {
    var before = total
    if position & (1 << 20 - 1) == 0 { sectionSums[position >> 20] = before }
    before &-= sectionSums[position >> 20]
    if position & (1 << 15 - 1) == 0 { areaSums[position >> 15] = before }
    before &-= areaSums[position >> 15]
    if position & (1 << 10 - 1) == 0 { blockSums[position >> 10] = before }
    before &-= blockSums[position >> 10]
    leafSums[position >> 5] = before
  }

  /// Subtracts `weight` from all sums after `position`.
  @inline(__always)
  private mutating func lower(_ position: UInt32, by weight: UInt32) {
    let weight = UInt64(weight)
    total &-= weight
    Self.lower(leafSums, after: position >> 5, by: weight)
    Self.lower(blockSums, after: position >> 10, by: weight)
    Self.lower(areaSums, after: position >> 15, by: weight)
    var later = (position >> 20) &+ 1
    while later < sections {
      sectionSums[later] &-= weight
      later &+= 1
    }
  }

  /// Subtracts `weight` from the sums after `part` among the 32 that it belongs to.
  @inline(__always)
  private static func lower(
    _ sums: borrowing Column<UInt64>, after part: UInt32, by weight: UInt64
  ) {
    let family = sums.row(from: part & ~31, count: 32)
    var lane = Int(part & 31) + 1
    while lane < 32 {
      family[lane] &-= weight
      lane += 1
    }
  }
}
