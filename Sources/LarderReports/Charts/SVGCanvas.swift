/// A drawing under construction. Text is escaped here, and numbers are rounded to a tenth.
struct SVGCanvas {
  private(set) var content = ""
  /// True where classes alone say how things look: in a page.
  private let isStyled: Bool

  /// An empty drawing. In a file of its own everything looks right without a style sheet, too.
  init(isStyled: Bool = false) { self.isStyled = isStyled }

  /// Where a text begins.
  enum Anchor: String {
    case start, middle, end
  }

  /// Opens a group.
  mutating func open(_ className: String, colour: ChartColour? = nil, series: String? = nil) {
    let classes = [className, colour?.className].compactMap { $0 }.joined(separator: " ")
    content += "<g class=\"\(classes)\""
    if let colour, !isStyled { content += " color=\"\(colour.onLight)\"" }
    if let series { content += XMLText.attribute("data-series", series) }
    content += ">"
  }

  /// Closes the group that was opened last.
  mutating func close() { content += "</g>\n" }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, className: String
  ) {
    path(
      "M\(ChartText.place(x1)) \(ChartText.place(y1))L\(ChartText.place(x2)) "
        + ChartText.place(y2), className: className)
  }

  /// A line through points.
  mutating func polyline(
    _ points: [(x: Double, y: Double)], className: String, dash: SeriesStyle.Dash = .solid
  ) {
    guard points.count > 1 else { return }
    let places = points.map { "\(ChartText.place($0.x)) \(ChartText.place($0.y))" }
    let dashes = dash.pattern.map { " stroke-dasharray=\"\($0)\"" } ?? ""
    content += "<path class=\"\(className)\"\(attributes(className)) "
    content += "d=\"M\(places.joined(separator: "L"))\"\(dashes)/>"
  }

  /// A path; with a label it can be pointed at.
  mutating func path(_ data: String, className: String, label: String? = nil) {
    content += "<path class=\"\(className)\"\(attributes(className)) d=\"\(data)\""
    content += label.map { "><title>\(XMLText.escaped($0))</title></path>" } ?? "/>"
  }

  /// A series' marker; with a label it can be pointed at.
  mutating func marker(_ style: SeriesStyle, _ x: Double, _ y: Double, label: String? = nil) {
    path(
      style.marker.path(x, y), className: (label == nil ? "s" : "k") + (style.isOpen ? " o" : ""),
      label: label)
  }

  mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, className: String,
    label: String? = nil
  ) {
    content += "<rect class=\"\(className)\" x=\"\(ChartText.place(x))\""
    content += " y=\"\(ChartText.place(y))\" width=\"\(ChartText.place(max(0, width)))\""
    content += " height=\"\(ChartText.place(height))\"\(attributes(className))"
    content += label.map { "><title>\(XMLText.escaped($0))</title></rect>" } ?? "/>"
  }

  mutating func text(
    _ text: String, _ x: Double, _ y: Double, anchor: Anchor = .start, className: String = "t",
    size: Double = Self.textSize
  ) {
    content += "<text class=\"\(className)\" x=\"\(ChartText.place(x))\""
    content += " y=\"\(ChartText.place(y))\""
    if anchor != .start { content += " text-anchor=\"\(anchor.rawValue)\"" }
    if size != Self.textSize { content += " font-size=\"\(ChartText.place(size))\"" }
    content += attributes(className) + ">\(XMLText.escaped(text))</text>"
  }

  /// The size of text, pixels.
  static let textSize = 12.0

  /// What readers see that do not know style sheets; style sheets come before it.
  private func attributes(_ className: String) -> String {
    guard !isStyled else { return "" }
    return switch className {
    case "g": " fill=\"none\" stroke=\"#d8dee4\""
    case "a": " fill=\"none\" stroke=\"#8c959f\""
    case "l": " fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linejoin=\"round\""
    case "b": " fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\""
    case "w": " fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-opacity=\".55\""
    case "k o", "s o": " fill=\"#ffffff\" stroke=\"currentColor\" stroke-width=\"1.7\""
    case "k", "s": " fill=\"currentColor\""
    case "h": " font-weight=\"600\""
    case "s k": " fill=\"currentColor\""
    case "s2", "s2 k": " fill=\"currentColor\" fill-opacity=\".4\""
    case "s3", "s3 k": " fill=\"currentColor\" fill-opacity=\".12\""
    case "n": " fill=\"#1f2328\""
    case "m": " fill=\"#59636e\""
    default: ""
    }
  }

  /// The whole drawing.
  func svg(title: String, description: String, height: Double, options: ChartOptions) -> String {
    let id = XMLText.escaped(options.id)
    // A file of its own has a margin.
    let edge = options.isFile ? Self.margin : 0
    let (across, down) = (options.width + 2 * edge, height + 2 * edge)
    let size = "width=\"\(ChartText.place(across))\" height=\"\(ChartText.place(down))\""
    let corner = ChartText.place(-edge)
    var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" \(size)"
    text += " viewBox=\"\(corner) \(corner) \(ChartText.place(across)) "
    text += "\(ChartText.place(down))\""
    text += " role=\"img\" aria-labelledby=\"\(id)-title \(id)-text\""
    text += " font-family=\"\(Self.fonts)\" font-size=\"\(ChartText.place(Self.textSize))\""
    text += " fill=\"currentColor\" color=\"#1f2328\">\n"
    text += "<title id=\"\(id)-title\">\(XMLText.escaped(title))</title>\n"
    text += "<desc id=\"\(id)-text\">\(XMLText.escaped(description))</desc>\n"
    if options.isFile {
      text += "<style>\(ChartStyleSheet.file)</style>\n"
      text += "<rect class=\"ground\" x=\"\(corner)\" y=\"\(corner)\" width=\"100%\""
      text += " height=\"100%\" fill=\"#ffffff\"/>\n"
    }
    return text + content + "</svg>\n"
  }

  private static let margin = 18.0

  /// The fonts of the reader's system.
  static let fonts =
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif"
}
