/// The colours of series: those that Okabe and Ito chose so that people with any kind of colour
/// vision tell them apart (M. Okabe, K. Ito, "Color Universal Design", 2008), and a neutral one.
///
/// On white, orange, sky blue and yellow are too faint for lines, so there each is darkened to a
/// contrast of at least 3 : 1 with its hue kept; on black, blue is lightened.
package enum ChartColour: Int, Sendable, Hashable, CaseIterable {
  case blue, orange, green, purple, vermillion, sky, yellow
  /// The colour of text, for bounds.
  case neutral

  /// How many there are for policies: all but the neutral one.
  static let policyCount = allCases.count - 1

  /// The colour on a light ground, as CSS and SVG write it.
  package var onLight: String {
    switch self {
    case .blue: "#0072b2"
    case .orange: "#c47a00"
    case .green: "#009e73"
    case .purple: "#b8578d"
    case .vermillion: "#d55e00"
    case .sky: "#2b95cf"
    case .yellow: "#8f8500"
    case .neutral: "#3d444d"
    }
  }

  /// The colour on a dark ground.
  package var onDark: String {
    switch self {
    case .blue: "#4a9fe0"
    case .orange: "#e69f00"
    case .green: "#1fbf8f"
    case .purple: "#d98bb8"
    case .vermillion: "#f0753a"
    case .sky: "#8fd0f5"
    case .yellow: "#f0e442"
    case .neutral: "#c9d1d9"
    }
  }

  /// The class that style sheets know it by.
  var className: String { "c\(rawValue)" }
}
