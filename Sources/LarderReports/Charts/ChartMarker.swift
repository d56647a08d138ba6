/// The shapes that tell series apart where colours are the same, or not seen.
package enum ChartMarker: Int, Sendable, Hashable, CaseIterable {
  case circle, square, triangle, diamond, cross, wedge, plus, pentagon

  /// The outline around (x, y) as an SVG path, about 9 wide.
  func path(_ x: Double, _ y: Double) -> String {
    "M\(ChartText.place(x)) \(ChartText.place(y))\(outline)"
  }

  /// The outline from the centre.
  private var outline: String {
    switch self {
    case .circle: "m-4 0a4 4 0 108 0a4 4 0 10-8 0z"
    case .square: "m-3.6-3.6h7.2v7.2h-7.2z"
    case .triangle: "m0-5l4.8 8.4h-9.6z"
    case .diamond: "m0-5.2l5.2 5.2l-5.2 5.2l-5.2-5.2z"
    case .cross:
      "m-2.2-4.3l2.2 2.2l2.2-2.2l2.1 2.1l-2.2 2.2l2.2 2.2l-2.1 2.1l-2.2-2.2l-2.2 2.2"
        + "l-2.1-2.1l2.2-2.2l-2.2-2.2z"
    case .wedge: "m0 5l4.8-8.4h-9.6z"
    case .plus: "m-1.5-4.7h3v3.2h3.2v3h-3.2v3.2h-3v-3.2h-3.2v-3h3.2z"
    case .pentagon: "m0-4.9l4.7 3.4l-1.8 5.5h-5.8l-1.8-5.5z"
    }
  }
}
