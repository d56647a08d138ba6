import Foundation

/// An estimate with an interval around it.
package struct CentreInterval: Sendable, Hashable {
  /// The estimate.
  package var centre: Double
  /// The lower end; may be infinite.
  package var lower: Double
  /// The upper end; may be infinite.
  package var upper: Double

  /// An interval; see the properties for the meaning of each part.
  package init(centre: Double, lower: Double, upper: Double) {
    self.centre = centre
    self.lower = lower
    self.upper = upper
  }

  /// The same of ratios, where this is one of their logarithms.
  package var ratios: CentreInterval {
    CentreInterval(centre: exp(centre), lower: exp(lower), upper: exp(upper))
  }

  /// Where the interval lies.
  package func verdict(border: Double) -> TimingVerdict {
    if lower > border { return .fail }
    return upper < border ? .pass : .inconclusive
  }
}

/// What a comparison of timings comes to.
package enum TimingVerdict: String, Sendable, Hashable, CaseIterable {
  /// Not slower by as much as matters.
  case pass
  /// Slower.
  case fail
  /// The measurements do not say.
  case inconclusive
}
