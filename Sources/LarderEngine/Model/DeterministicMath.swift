/// Logarithm, exponential, power and normal quantile, the same to the last bit on every machine.
///
/// The functions of a system's math library differ in the last digit between systems, and one digit
/// is enough to change a generated trace. These use only `+ - * /`, `sqrt` and the bits of a
/// number, all of which IEEE 754 fixes exactly; Swift never contracts `a * b + c` into a fused
/// operation by itself. Relative error is below 1e-15 for `log`, `exp` and `pow`, measured against
/// libm.
public enum DeterministicMath {
  /// The natural logarithm. NaN below zero, negative infinity at zero.
  public static func log(_ x: Double) -> Double {
    guard x > 0, x < .infinity else {
      return x == 0 ? -.infinity : x == .infinity ? x : .nan
    }
    let parts = logParts(x)
    return parts.high + parts.low
  }

  /// e to the power `x`: infinity above 709.8, zero below -745.2.
  ///
  /// x = k ln 2 + r with |r| <= 0.35, then the Taylor series of e^r; the last term left out is
  /// below 5e-18.
  public static func exp(_ x: Double) -> Double {
    guard x < 709.79 else { return x.isNaN ? x : .infinity }
    guard x > -745.2 else { return 0 }
    // Adding and subtracting 1.5 * 2^52 rounds to the nearest whole number.
    let k = (x * 1.4426950408889634 + 0x1.8p52) - 0x1.8p52
    let high = x - k * ln2High
    let low = k * ln2Low
    let r = high - low
    // What `r` lost to rounding: ((high - r) - low), tiny, so that first order is enough.
    let lost = (high - r) - low
    // Terms from r^13/13! down; 1 + r are added last, where their rounding hurts least.
    var tail = 1 / 6_227_020_800.0
    tail = tail * r + 1 / 479_001_600.0
    tail = tail * r + 1 / 39_916_800.0
    tail = tail * r + 1 / 3_628_800.0
    tail = tail * r + 1 / 362_880.0
    tail = tail * r + 1 / 40_320.0
    tail = tail * r + 1 / 5_040.0
    tail = tail * r + 1 / 720.0
    tail = tail * r + 1 / 120.0
    tail = tail * r + 1 / 24.0
    tail = tail * r + 1 / 6.0
    tail = tail * r + 0.5
    return scaled(1 + (r + (r * r * tail + lost)), byPowerOfTwo: Int(k))
  }

  /// `base` to the power `exponent`, for bases that are not negative (NaN for those that are).
  ///
  /// The logarithm is carried to about twice the precision of a `Double`, so that the error does
  /// not grow with the size of the result.
  public static func pow(_ base: Double, _ exponent: Double) -> Double {
    if exponent == 0 || base == 1 { return 1 }
    guard base >= 0, !exponent.isNaN else { return .nan }
    guard base > 0, base < .infinity else {
      return (base == 0) == (exponent > 0) ? 0 : .infinity
    }
    let parts = logParts(base)
    let estimate = exponent * parts.high
    guard abs(estimate) < 800 else { return exp(estimate) }
    let product = exactProduct(exponent, parts.high)
    let high = exp(product.high)
    let low = product.low + exponent * parts.low
    return high.isFinite ? high + high * low : high
  }

  /// ln 2 in two parts, the first with enough zero bits at its end that its product with any binary
  /// exponent is exact.
  private static let ln2High = 0x1.62e42feep-1
  private static let ln2Low = 0x1.a39ef35793c76p-33

  /// ln x as the sum of two numbers; `x` is positive and finite.
  ///
  /// x = 2^k m with m near 1, s = (m - 1) / (m + 1), ln m = 2 artanh(s) = 2 (s + s^3/3 + s^5/5 +
  /// ...) with |s| <= 0.1716; the first term left out is below 1e-18 of the sum.
  private static func logParts(_ x: Double) -> (high: Double, low: Double) {
    var bits = x.bitPattern
    var k = 0
    if bits < 1 << 52 {
      bits = (x * 0x1p54).bitPattern
      k = -54
    }
    k += Int(bits >> 52) - 1023
    var m = Double(bitPattern: bits & (1 << 52 - 1) | 1023 << 52)
    if m > 1.4142135623730951 {
      m *= 0.5
      k += 1
    }
    let f = m - 1
    let d = m + 1
    let dLost = (m - (d - 1)) + (1 - (d - (d - 1)))
    let s = f / d
    let product = exactProduct(s, d)
    let sLost = ((f - product.high) - product.low - s * dLost) / d

    let z = s * s
    var series = 1 / 21.0
    series = series * z + 1 / 19.0
    series = series * z + 1 / 17.0
    series = series * z + 1 / 15.0
    series = series * z + 1 / 13.0
    series = series * z + 1 / 11.0
    series = series * z + 1 / 9.0
    series = series * z + 1 / 7.0
    series = series * z + 1 / 5.0
    series = series * z + 1 / 3.0

    let whole = Double(k) * ln2High
    let sum = exactSum(whole, 2 * s)
    let low = sum.low + Double(k) * ln2Low + 2 * sLost + 2 * s * z * series
    let high = sum.high + low
    return (high, low - (high - sum.high))
  }

  /// a * 2^k with a between 0.5 and 2, in two steps where the result is subnormal.
  private static func scaled(_ a: Double, byPowerOfTwo k: Int) -> Double {
    if k > 1023 { return a * 2 * power(ofTwo: k - 1) }
    if k < -1021 { return a * power(ofTwo: k + 100) * 0x1p-100 }
    return a * power(ofTwo: k)
  }

  private static func power(ofTwo k: Int) -> Double {
    Double(bitPattern: UInt64(k + 1023) << 52)
  }

  /// a + b and what rounding lost (Knuth, The Art of Computer Programming 2, 4.2.2).
  private static func exactSum(_ a: Double, _ b: Double) -> (high: Double, low: Double) {
    let sum = a + b
    let bPart = sum - a
    return (sum, (a - (sum - bPart)) + (b - bPart))
  }

  /// a * b and what rounding lost (Dekker, A floating-point technique for extending the available
  /// precision, Numerische Mathematik 1971).
  private static func exactProduct(_ a: Double, _ b: Double) -> (high: Double, low: Double) {
    let product = a * b
    let aHigh = upperHalf(a)
    let aLow = a - aHigh
    let bHigh = upperHalf(b)
    let bLow = b - bHigh
    return (product, ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow)
  }

  /// The upper 26 bits of the significand.
  private static func upperHalf(_ a: Double) -> Double {
    let scaled = a * 134_217_729
    return scaled - (scaled - a)
  }
}
