import LarderEngine

/// Draws ranks 1 to n with probability proportional to 1 / rank^exponent, exactly, for any exponent
/// from 0 and any n, in constant time and a few kilobytes.
///
/// Rejection under a step function (von Neumann 1951): ranks are cut into blocks whose ends differ
/// by at most 1/32; a block is drawn by the weight it would have if all its ranks were as likely as
/// its first, a rank in it evenly, and the rank is kept with its true share of that likelihood. No
/// normalising sum is needed, so that nothing depends on n but the number of blocks (640 for four
/// thousand million). About 1 draw in 64 is repeated; most are kept without computing a power.
/// Unlike the approximation of Gray et al. (SIGMOD 1994) that YCSB uses, it holds for exponent 1
/// and above and for the first ranks; rejection-inversion (Hörmann and Derflinger, ACM TOMACS 6,
/// 1996) is as exact and needs two powers a draw.
struct ZipfSampler: Sendable {
  /// Ranks that follow one another.
  private struct Block {
    /// The first rank.
    var start: UInt32
    /// How many.
    var length: UInt32
    /// The share of the first rank's probability that the last one has, of 2^64.
    var surelyKept: UInt64
  }

  private let blocks: [Block]
  private let table: AliasTable
  private let exponent: Double
  private let shift: Double

  /// A sampler of ranks 1 to `count`; `exponent` and `shift` are finite and not negative. A shift
  /// flattens the first ranks: 1 / (rank + shift)^exponent, the law of Mandelbrot (1953).
  init(count: Int, exponent: Double, shift: Double = 0) {
    var blocks: [Block] = []
    var weights: [Double] = []
    var start = 1
    while start <= count {
      let length = min(max(1, start / 32), count - start + 1)
      // Relative to rank 1 and to the block's first rank, so that no exponent is too large.
      let end = Double(start + length - 1) + shift
      let first = DeterministicMath.pow((1 + shift) / (Double(start) + shift), exponent)
      let last = DeterministicMath.pow((Double(start) + shift) / end, exponent)
      // Too small to be ever drawn.
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

  /// The next rank, from 1.
  @inline(__always)
  func rank(_ random: inout RandomStream) -> UInt64 {
    while true {
      let block = blocks[table.index(random.next())]
      let (offset, fraction) = random.next().multipliedFullWidth(by: UInt64(block.length))
      let rank = UInt64(block.start) + offset
      if fraction <= block.surelyKept || isKept(rank, block: block, fraction: fraction) {
        return rank
      }
    }
  }

  @inline(never)
  private func isKept(_ rank: UInt64, block: Block, fraction: UInt64) -> Bool {
    let ratio = (Double(block.start) + shift) / (Double(rank) + shift)
    return fraction < RandomStream.threshold(DeterministicMath.pow(ratio, exponent))
  }
}
