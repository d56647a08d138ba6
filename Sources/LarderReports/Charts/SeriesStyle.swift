/// How a series looks in every chart: its colour, its marker and its line.
public struct SeriesStyle: Sendable, Hashable {
  /// The colour of line and marker.
  public var colour: ChartColour
  /// The shape at each value.
  public var marker: ChartMarker
  /// How the line is drawn.
  public var dash: Dash

  /// A style of these parts.
  public init(colour: ChartColour, marker: ChartMarker, dash: Dash = .solid) {
    self.colour = colour
    self.marker = marker
    self.dash = dash
  }

  /// How a line is drawn.
  public enum Dash: Int, Sendable, Hashable, CaseIterable {
    case solid, long, short, dotDash, dots, longShort

    /// What SVG calls it; nil for a solid line.
    var pattern: String? {
      switch self {
      case .solid: nil
      case .long: "8 4"
      case .short: "4 3"
      case .dotDash: "8 3 2 3"
      case .dots: "1.5 3.5"
      case .longShort: "12 3 4 3"
      }
    }
  }
}
