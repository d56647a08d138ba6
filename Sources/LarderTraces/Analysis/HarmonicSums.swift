#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sums of r to the power of -s for the ranks r from 1 on.
struct HarmonicSums {
  /// s, at least 0.
  let exponent: Double

  /// The sums up to each rank that is added term by term; the first is 0.
  private let exact: [Double]
  private static let exactCount = 1000

  /// Sums for an exponent.
  init(exponent: Double) {
    self.exponent = exponent
    var sums = [0.0]
    sums.reserveCapacity(HarmonicSums.exactCount + 1)
    var sum = 0.0
    for rank in 1...HarmonicSums.exactCount {
      sum += pow(Double(rank), -exponent)
      sums.append(sum)
    }
    exact = sums
  }

  /// The sum up to `rank`: term by term up to 1000, then by the Euler-Maclaurin formula, whose
  /// error there is below 1e-10 of the sum.
  ///
  /// - Complexity: O(1).
  func sum(_ rank: Int) -> Double {
    if rank < exact.count { return exact[max(0, rank)] }
    let s = exponent
    let (a, b) = (Double(HarmonicSums.exactCount), Double(rank))
    let integral = abs(s - 1) < 1e-9 ? log(b / a) : (pow(b, 1 - s) - pow(a, 1 - s)) / (1 - s)
    let ends = (pow(b, -s) - pow(a, -s)) / 2
    let slopes = s * (pow(a, -s - 1) - pow(b, -s - 1)) / 12
    return exact[HarmonicSums.exactCount] + integral + ends + slopes
  }
}
