import LarderEngine

extension RandomStream {
  /// An exponential waiting time with mean 1: never 0, never infinite.
  mutating func nextExponential() -> Double {
    -DeterministicMath.log(1 - nextUnit() * (1 - 0x1p-53))
  }

  /// How often something happens before it first fails, so that the mean is `mean`; at most 2^31.
  mutating func nextGeometric(mean: Double) -> Int {
    guard mean > 0 else { return 0 }
    let scale = -1 / DeterministicMath.log(mean / (1 + mean))
    return Int(min(nextExponential() * scale, 0x1p31))
  }
}
