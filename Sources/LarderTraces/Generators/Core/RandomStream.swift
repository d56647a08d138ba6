import LarderEngine

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) for the generators' inner loops. Separate from
/// the engine's, because calls across modules would cost more than the numbers.
struct RandomStream: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  init(seed: UInt64, purpose: UInt64) { state = Self.derived(seed, purpose) }

  @inline(__always) mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mixed(state)
  }

  @inline(__always) mutating func next(below bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  @inline(__always) mutating func nextUnit() -> Double { Self.unit(next()) }

  @inline(__always) mutating func happens(_ threshold: UInt64) -> Bool { next() < threshold }

  @inline(__always) static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

  /// Threshold of a probability for `happens`; that of 1 misses once in 2^64.
  static func threshold(_ probability: Double) -> UInt64 {
    probability >= 1 ? .max : probability <= 0 ? 0 : UInt64(probability * 0x1p64)
  }

  @inline(__always) static func mixed(_ value: UInt64) -> UInt64 { SplitMix64.mixed(value) }

  @inline(__always) static func derived(_ seed: UInt64, _ number: UInt64) -> UInt64 {
    mixed(mixed(seed &+ 0x9e37_79b9_7f4a_7c15) ^ (number &+ 1) &* 0xd6e8_feb8_6659_fd93)
  }
}

extension RandomStream {
  /// An exponential waiting time with mean 1: never 0, never infinite.
  mutating func nextExponential() -> Double {
    -DeterministicMath.log(1 - nextUnit() * (1 - 0x1p-53))
  }

  /// Number of successes before the first failure, such that the mean is `mean`; at most 2^31.
  mutating func nextGeometric(mean: Double) -> Int {
    guard mean > 0 else { return 0 }
    let scale = -1 / DeterministicMath.log(mean / (1 + mean))
    return Int(min(nextExponential() * scale, 0x1p31))
  }
}

/// Draws ranks 1 to n with probability proportional to 1 / rank^exponent, exactly, for any exponent
/// from 0 and any n, in constant time and a few kilobytes.
public struct ZipfSampler: Sendable {
  private struct Block {
    var start: UInt32
    var length: UInt32
    /// Ratio of the last rank's probability to the first rank's, times 2^64.
    var surelyKept: UInt64
  }

  private let blocks: [Block]
  private let table: AliasTable
  private let exponent: Double
  private let shift: Double

  /// A sampler of ranks 1 to `count`; `exponent` and `shift` are finite and not negative. A shift
  /// flattens the first ranks: 1 / (rank + shift)^exponent, the law of Mandelbrot (1953).
  public init(count: Int, exponent: Double, shift: Double = 0) {
    var blocks: [Block] = []
    var weights: [Double] = []
    var start = 1
    while start <= count {
      let length = min(max(1, start / 32), count - start + 1)
      // Relative to rank 1 and to the block's first rank, so that no exponent overflows.
      let end = Double(start + length - 1) + shift
      let first = DeterministicMath.pow((1 + shift) / (Double(start) + shift), exponent)
      let last = DeterministicMath.pow((Double(start) + shift) / end, exponent)
      // Too small to ever be drawn.
      if first < 1e-290 { break }
      blocks.append(
        Block(
          start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: length),
          surelyKept: RandomStream.threshold(last)))
      weights.append(first * Double(length))
      start += length
    }
    self.blocks = blocks
    self.table = AliasTable(weights: weights)
    self.exponent = exponent
    self.shift = shift
  }

  /// Draws a rank.
  @inline(__always) public func rank(_ random: inout some RandomNumberGenerator) -> UInt64 {
    while true {
      let block = blocks[table.index(random.next())]
      let (offset, fraction) = random.next().multipliedFullWidth(by: UInt64(block.length))
      let rank = UInt64(block.start) + offset
      if fraction <= block.surelyKept || isKept(rank, block: block, fraction: fraction) {
        return rank
      }
    }
  }

  @inline(never) private func isKept(_ rank: UInt64, block: Block, fraction: UInt64) -> Bool {
    let ratio = (Double(block.start) + shift) / (Double(rank) + shift)
    return fraction < RandomStream.threshold(DeterministicMath.pow(ratio, exponent))
  }
}

/// Draws an index with given weights in constant time (Walker, ACM TOMS 3, 1977; Vose, IEEE TSE 17,
/// 1991). Probabilities are exact to 2^-52 of a column.
struct AliasTable: Sendable {
  /// A column: its own index below the threshold, the alias above.
  private struct Column {
    var threshold: UInt64
    var other: UInt32
  }

  private let columns: [Column]
  var count: Int { columns.count }

  init(weights: [Double]) {
    let total = weights.reduce(0, +)
    let scale = Double(weights.count) / total
    var heights = weights.map { $0 * scale }
    var columns = heights.indices.map { Column(threshold: .max, other: UInt32($0)) }
    var small = heights.indices.filter { heights[$0] < 1 }
    var large = heights.indices.filter { heights[$0] >= 1 }
    while let low = small.popLast(), let high = large.popLast() {
      columns[low] = Column(
        threshold: RandomStream.threshold(heights[low]), other: UInt32(high))
      heights[high] -= 1 - heights[low]
      if heights[high] < 1 { small.append(high) } else { large.append(high) }
    }
    // The remaining columns are full except for rounding errors and have no alias.
    self.columns = columns
  }

  @inline(__always) func index(_ bits: UInt64) -> Int {
    let (column, fraction) = bits.multipliedFullWidth(by: UInt64(truncatingIfNeeded: columns.count))
    let index = Int(truncatingIfNeeded: column)
    return fraction < columns[index].threshold ? index : Int(columns[index].other)
  }
}

/// A distribution by a few quantiles: between two the logarithm of the value is uniform.
struct QuantileTable: Sendable {
  private let shares: [Double]
  private let logarithms: [Double]

  /// A table of pairs of a share and the value below which that share lies: shares increase from 0
  /// to 1, values are above 0 and do not decrease.
  init(_ points: [(share: Double, value: Double)]) {
    shares = points.map(\.share)
    logarithms = points.map { DeterministicMath.log($0.value) }
  }

  func draw(_ random: inout RandomStream) -> Double {
    let share = random.nextUnit()
    var index = 1
    while index < shares.count - 1, share >= shares[index] { index += 1 }
    let part = (share - shares[index - 1]) / (shares[index] - shares[index - 1])
    let step = logarithms[index] - logarithms[index - 1]
    return DeterministicMath.exp(logarithms[index - 1] + part * step)
  }
}

/// A seeded bijection of 0 ..< count, computed rather than stored: it scatters the keys of popular
/// ranks, as hashing does. A bijection of the next power of two, repeated until the result is in
/// range (cycle walking; Black and Rogaway, CT-RSA 2002): fewer than two steps on average.
struct Permutation: Sendable {
  private let count: UInt64
  private let mask: UInt64
  private let shift: UInt64
  private let multipliers: (UInt64, UInt64)
  private let addend: UInt64

  init(count: Int, seed: UInt64) {
    self.count = UInt64(count)
    let bits = max(2, UInt64(Int.bitWidth - (count - 1).leadingZeroBitCount))
    mask = bits == 64 ? .max : 1 << bits - 1
    shift = (bits + 1) / 2
    var random = RandomStream(seed: seed, purpose: 0x9e27)
    multipliers = (random.next() | 1, random.next() | 1)
    addend = random.next()
  }

  @inline(__always) func callAsFunction(_ number: UInt64) -> UInt64 {
    var value = number
    repeat {
      value = (value &+ addend) &* multipliers.0 & mask
      value ^= value >> shift
      value = value &* multipliers.1 & mask
      value ^= value >> shift
    } while value >= count
    return value
  }
}
