extension DeterministicMath {
  /// The standard normal quantile: the z below which a share `p` of the distribution lies. Negative
  /// infinity at 0, infinity at 1, NaN outside.
  ///
  /// Wichura, Algorithm AS 241: The Percentage Points of the Normal Distribution, Applied
  /// Statistics 37 (1988), routine PPND16: relative error about 1e-16, plus that of `log`.
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

  /// For p within 0.425 of the middle.
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

  /// For p down to about 1.4e-11.
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

  /// For the rest.
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
