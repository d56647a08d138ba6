import LarderEngine

/// A distribution given by a few of its quantiles, as measurements are published: between two of
/// them the logarithm of the value is even.
struct QuantileTable: Sendable {
  private let shares: [Double]
  private let logarithms: [Double]

  /// A table over pairs of a share and the value that this share lies below: shares rising from 0
  /// to 1, values above 0 and not falling.
  init(_ points: [(share: Double, value: Double)]) {
    shares = points.map(\.share)
    logarithms = points.map { DeterministicMath.log($0.value) }
  }

  /// A random value. Complexity: O(points).
  func draw(_ random: inout RandomStream) -> Double {
    let share = random.nextUnit()
    var index = 1
    while index < shares.count - 1, share >= shares[index] { index += 1 }
    let part = (share - shares[index - 1]) / (shares[index] - shares[index - 1])
    let step = logarithms[index] - logarithms[index - 1]
    return DeterministicMath.exp(logarithms[index - 1] + part * step)
  }
}
