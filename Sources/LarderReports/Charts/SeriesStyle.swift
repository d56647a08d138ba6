/// How a series looks in every chart: its colour, its marker and its line.
package struct SeriesStyle: Sendable, Hashable {
  /// The colour of line and marker.
  package var colour: ChartColour
  /// The shape at each value.
  package var marker: ChartMarker
  /// Whether the shape is an outline only.
  package var isOpen: Bool
  /// How the line is drawn.
  package var dash: Dash

  /// A style of these parts.
  package init(
    colour: ChartColour, marker: ChartMarker, isOpen: Bool = false, dash: Dash = .solid
  ) {
    self.colour = colour
    self.marker = marker
    self.isOpen = isOpen
    self.dash = dash
  }

  /// How a line is drawn.
  package enum Dash: Int, Sendable, Hashable, CaseIterable {
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
