/// Logarithm, exponential, power and normal quantile with bit-identical results on every machine,
/// from `+ - * /`, `sqrt` and the bits of a number. The relative error of the first three is below
/// 1e-15, measured against libm.
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
  public static func exp(_ x: Double) -> Double {
    guard x < 709.79 else { return x.isNaN ? x : .infinity }
    guard x > -745.2 else { return 0 }
    // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer.
    let k = (x * 1.4426950408889634 + 0x1.8p52) - 0x1.8p52
    let high = x - k * ln2High
    let low = k * ln2Low
    let r = high - low
    // The rounding error of `r`: ((high - r) - low), small enough for first order.
    let lost = (high - r) - low
    // Terms from r^13/13! down; 1 + r are added last, where their rounding error matters least.
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

  /// `base` to the power `exponent`, for bases that are not negative (NaN for negative ones).
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

  /// ln 2 in two parts; the product of the first with any binary exponent is exact.
  private static let ln2High = 0x1.62e42feep-1
  private static let ln2Low = 0x1.a39ef35793c76p-33

  /// ln x as the sum of two numbers; `x` is positive and finite.
  ///
  /// x = 2^k m with m near 1, s = (m - 1) / (m + 1), ln m = 2 artanh(s) = 2 (s + s^3/3 + s^5/5 +
  /// ...) with |s| <= 0.1716; the first omitted term is below 1e-18 of the sum.
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

  private static func scaled(_ a: Double, byPowerOfTwo k: Int) -> Double {
    if k > 1023 { return a * 2 * power(ofTwo: k - 1) }
    if k < -1021 { return a * power(ofTwo: k + 100) * 0x1p-100 }
    return a * power(ofTwo: k)
  }

  private static func power(ofTwo k: Int) -> Double { Double(bitPattern: UInt64(k + 1023) << 52) }

  private static func exactSum(_ a: Double, _ b: Double) -> (high: Double, low: Double) {
    let sum = a + b
    let bPart = sum - a
    return (sum, (a - (sum - bPart)) + (b - bPart))
  }

  private static func exactProduct(_ a: Double, _ b: Double) -> (high: Double, low: Double) {
    let product = a * b
    let aHigh = upperHalf(a)
    let aLow = a - aHigh
    let bHigh = upperHalf(b)
    let bLow = b - bHigh
    return (product, ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow)
  }

  private static func upperHalf(_ a: Double) -> Double {
    let scaled = a * 134_217_729
    return scaled - (scaled - a)
  }
}

extension DeterministicMath {
  /// The standard normal quantile: the z below which a share `p` of the distribution lies.
  public static func normalQuantile(_ p: Double) -> Double {
    guard p > 0, p < 1 else { return p == 0 ? -.infinity : p == 1 ? .infinity : .nan }
    let q = p - 0.5
    if abs(q) <= 0.425 { return q * center.value(at: 0.180625 - q * q) }
    let r = (-log(min(p, 1 - p))).squareRoot()
    let z = r <= 5 ? shoulder.value(at: r - 1.6) : tail.value(at: r - 5)
    return q < 0 ? -z : z
  }

  /// Two polynomials of degree 7, one over the other; coefficients from the constant up.
  private struct Ratio {
    typealias Coefficients = (
      Double, Double, Double, Double, Double, Double, Double, Double
    )

    let upper: Coefficients
    let lower: Coefficients

    func value(at x: Double) -> Double { Self.horner(upper, x) / Self.horner(lower, x) }

    private static func horner(_ c: Coefficients, _ x: Double) -> Double {
      let high = ((c.7 * x + c.6) * x + c.5) * x + c.4
      return (((high * x + c.3) * x + c.2) * x + c.1) * x + c.0
    }
  }

  private static let center = Ratio(
    upper: (
      3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
      1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
      3.3430575583588128105e4, 2.5090809287301226727e3
    ),
    lower: (
      1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
      2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
      5.2264952788528545610e3
    ))

  private static let shoulder = Ratio(
    upper: (
      1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
      3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
      2.27238449892691845833e-2, 7.74545014278341407640e-4
    ),
    lower: (
      1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
      1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
      1.05075007164441684324e-9
    ))

  private static let tail = Ratio(
    upper: (
      6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
      2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
      2.71155556874348757815e-5, 2.01033439929228813265e-7
    ),
    lower: (
      1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
      7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
      2.04426310338993978564e-15
    ))
}

/// A random number generator with identical numbers on every machine: xoshiro256** (Blackman and
/// Vigna, ACM Transactions on Mathematical Software 2021), seeded by SplitMix64.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  @usableFromInline var a: UInt64
  @usableFromInline var b: UInt64
  @usableFromInline var c: UInt64
  @usableFromInline var d: UInt64

  /// Creates a generator whose numbers depend only on `seed`.
  public init(seed: UInt64) {
    var state = seed
    func nextWord() -> UInt64 {
      state &+= SplitMix64.step
      return SplitMix64.mixed(state)
    }
    a = nextWord()
    b = nextWord()
    c = nextWord()
    d = nextWord()
  }

  /// The next 64 random bits.
  @inlinable public mutating func next() -> UInt64 {
    let scrambled = b &* 5
    let result = (scrambled << 7 | scrambled >> 57) &* 9
    let shifted = b << 17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = d << 45 | d >> 19
    return result
  }

  /// A number from 0 to `bound` - 1, uniform to within `bound` / 2^64.
  @inlinable public mutating func next(below bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  /// A number from 0 to below 1, a multiple of 2^-53.
  @inlinable public mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
@usableFromInline package enum SplitMix64 {
  @inlinable package static var step: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  @inlinable @inline(__always) package static func mixed(_ state: UInt64) -> UInt64 {
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  @inlinable @inline(__always) package static func number(
    _ index: UInt64, seed: UInt64
  ) -> UInt64 {
    mixed(seed &+ (index &+ 1) &* step)
  }
}
