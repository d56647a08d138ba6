/// How whole numbers are spread: exact extremes, mean and percentiles.
public struct Distribution: Sendable, Hashable {
  /// How many values there are.
  public let count: Int
  /// The smallest.
  public let min: UInt32
  /// The largest.
  public let max: UInt32
  /// The arithmetic mean.
  public let mean: Double
  /// Values at the percentiles of `Distribution.percentiles`, by nearest rank: the smallest value
  /// that at least so many per cent of the values do not exceed.
  public let percentileValues: [UInt32]

  /// The percentiles that are worked out.
  public static let percentiles: [Double] = [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9]

  /// The distribution of the values above `floor` (all when it is nil); nil when there are none.
  ///
  /// Two passes count the values by their upper and then, where a percentile falls, by their lower
  /// 16 bits: exact, in 512 KiB and as much again for each upper half that a percentile falls into,
  /// however many values there are.
  ///
  /// - Complexity: O(values).
  public init?(_ values: UnsafeBufferPointer<UInt32>, above floor: UInt32? = nil) {
    let first = floor.map { $0 &+ 1 } ?? 0
    var (count, sum, least, most) = (0, UInt64(0), UInt32.max, UInt32(0))
    var upper = [Int](repeating: 0, count: 1 << 16)
    for value in values where value >= first {
      count += 1
      sum &+= UInt64(value)
      least = Swift.min(least, value)
      most = Swift.max(most, value)
      upper[Int(value >> 16)] += 1
    }
    guard count > 0 else { return nil }
    self.count = count
    min = least
    max = most
    mean = Double(sum) / Double(count)
    percentileValues = Distribution.values(
      atRanks: Distribution.percentiles.map { Distribution.rank($0, of: count) },
      upper: upper, values: values, first: first)
  }

  /// The value at one of `Distribution.percentiles`; nil at another.
  public func percentile(_ percentile: Double) -> UInt32? {
    Distribution.percentiles.firstIndex(of: percentile).map { percentileValues[$0] }
  }

  /// The nearest rank of a percentile, from 0.
  private static func rank(_ percentile: Double, of count: Int) -> Int {
    // In whole tenths: 99.9 per cent of 1000 in floating point is a little more than 999.
    let tenths = Int((percentile * 10).rounded())
    return Swift.min(count - 1, Swift.max(0, (tenths * count + 999) / 1000 - 1))
  }

  /// The values at ranks (from 0, not decreasing) among all that are at least `first`.
  private static func values(
    atRanks ranks: [Int], upper: [Int], values: UnsafeBufferPointer<UInt32>, first: UInt32
  ) -> [UInt32] {
    var places: [(half: Int, rest: Int)] = []
    var (half, before) = (0, 0)
    for rank in ranks {
      while before + upper[half] <= rank {
        before += upper[half]
        half += 1
      }
      places.append((half, rank - before))
    }
    var lower: [[Int]] = []
    var slots = [Int8](repeating: -1, count: 1 << 16)
    for place in places where slots[place.half] < 0 {
      slots[place.half] = Int8(lower.count)
      lower.append([Int](repeating: 0, count: 1 << 16))
    }
    for value in values where value >= first {
      let slot = slots[Int(value >> 16)]
      if slot >= 0 { lower[Int(slot)][Int(value & 0xFFFF)] += 1 }
    }
    return places.map { place in
      var (low, rest) = (0, place.rest)
      let counts = lower[Int(slots[place.half])]
      while rest >= counts[low] {
        rest -= counts[low]
        low += 1
      }
      return UInt32(place.half << 16 | low)
    }
  }
}
