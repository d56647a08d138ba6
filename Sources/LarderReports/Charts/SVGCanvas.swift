import LarderSupport

struct SVGCanvas {
  private(set) var content = ""
  /// True if only classes define the style, as in a page.
  private let isStyled: Bool

  static let textSize = 12.0

  init(isStyled: Bool = false) { self.isStyled = isStyled }

  /// A coordinate; whole in a page, where pixels are about as large.
  private func place(_ value: Double) -> String {
    ChartText.place(isStyled ? value.rounded() : value)
  }

  enum Anchor: String {
    case start, middle, end

    /// The class in a page, after another.
    var className: String { self == .start ? "" : self == .end ? " e" : " i" }
  }

  mutating func open(_ className: String, colour: ChartColour? = nil, series: String? = nil) {
    let classes = [className, colour?.className].compactMap { $0 }.joined(separator: " ")
    content += "<g class=\"\(classes)\""
    if let colour, !isStyled { content += " color=\"\(colour.onLight)\"" }
    if let series { content += XMLText.attribute("data-series", series) }
    content += ">"
  }

  mutating func close() { content += "</g>\n" }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, className: String
  ) {
    polyline([(x1, y1), (x2, y2)], className: className)
  }

  mutating func polyline(
    _ points: [(x: Double, y: Double)], className: String, dash: SeriesStyle.Dash = .solid
  ) {
    guard points.count > 1 else { return }
    let places = points.map { "\(place($0.x)) \(place($0.y))" }
    let dashes = dash.pattern.map { " stroke-dasharray=\"\($0)\"" } ?? ""
    path("M" + places.joined(separator: "L"), className: className, more: dashes)
  }

  mutating func path(
    _ data: String, className: String, label: String? = nil, more: String = ""
  ) {
    content += "<path class=\"\(className)\"\(attributes(className)) d=\"\(data)\"\(more)"
    content += label.map { "><title>\(XMLText.escaped($0))</title></path>" } ?? "/>"
  }

  mutating func marker(_ style: SeriesStyle, _ x: Double, _ y: Double, label: String? = nil) {
    guard isStyled else {
      path(
        "M\(place(x)) \(place(y))\(style.marker.outline)",
        className: (label == nil ? "s" : "k") + (style.isOpen ? " o" : ""), label: label)
      return
    }
    let classes = [label == nil ? "s" : nil, style.isOpen ? "o" : nil].compactMap { $0 }
    content += classes.isEmpty ? "<use" : "<use class=\"\(classes.joined(separator: " "))\""
    content += " href=\"#m\(style.marker.rawValue)\""
    content += " x=\"\(place(x))\" y=\"\(place(y))\""
    content += label.map { "><title>\(XMLText.escaped($0))</title></use>" } ?? "/>"
  }

  /// The outlines that the markers of a page use.
  static let shapes =
    "<svg id=\"shapes\" hidden>"
    + ChartMarker.allCases.map { "<path id=\"m\($0.rawValue)\" d=\"M0 0\($0.outline)\"/>" }
    .joined() + "</svg>"

  mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, className: String,
    label: String? = nil
  ) {
    if isStyled {
      let (across, down) = (place(max(0, width)), place(height))
      path(
        "M\(place(x)) \(place(y))h\(across)v\(down)h-\(across)z",
        className: className, label: label)
      return
    }
    content += "<rect class=\"\(className)\" x=\"\(place(x))\""
    content += " y=\"\(place(y))\" width=\"\(place(max(0, width)))\""
    content += " height=\"\(place(height))\"\(attributes(className))"
    content += label.map { "><title>\(XMLText.escaped($0))</title></rect>" } ?? "/>"
  }

  mutating func text(
    _ text: String, _ x: Double, _ y: Double, anchor: Anchor = .start, className: String = "t",
    size: Double = Self.textSize
  ) {
    let aligned = isStyled ? anchor.className : ""
    content += "<text class=\"\(className)\(aligned)\" x=\"\(place(x))\""
    content += " y=\"\(place(y))\""
    if anchor != .start, !isStyled { content += " text-anchor=\"\(anchor.rawValue)\"" }
    if size != Self.textSize { content += " font-size=\"\(ChartText.place(size))\"" }
    content += attributes(className) + ">\(XMLText.escaped(text))</text>"
  }

  /// Writes the labels of an axis that have room; the last and the first take precedence.
  mutating func labels(
    _ labels: [(place: Double, text: String)], at height: Double, className: String,
    size: Double = Self.textSize
  ) {
    var taken: [ClosedRange<Double>] = []
    for label in labels.suffix(1) + labels.dropLast() {
      let half = ChartText.width(label.text, size: size) / 2
      // Labels at the ends stay within the drawing.
      let centre = min(max(label.place, half), ChartOptions.width - half)
      let span = (centre - half - 4)...(centre + half + 4)
      guard !taken.contains(where: { $0.overlaps(span) }) else { continue }
      taken.append(span)
      text(label.text, centre, height, anchor: .middle, className: className, size: size)
    }
  }

  /// Draws a legend from `top` downwards and returns its lower edge.
  mutating func legend(_ entries: [(name: String, style: SeriesStyle)], from top: Double) -> Double
  {
    let wanted = min(max(ChartText.widest(entries.map(\.name)), 40) + 46, ChartOptions.width)
    let columns = max(1, min(entries.count, Int(ChartOptions.width / wanted)))
    let column = ChartOptions.width / Double(columns)
    for (number, entry) in entries.enumerated() {
      let x = Double(number % columns) * column
      let y = top + Double(number / columns) * 20 + 8
      open("series", colour: entry.style.colour, series: entry.name)
      polyline([(x, y), (x + 24, y)], className: "l", dash: entry.style.dash)
      marker(entry.style, x + 12, y)
      text(ChartText.fitted(entry.name, width: column - 36), x + 31, y + 4, className: "n")
      close()
    }
    return top + Double((entries.count + columns - 1) / columns) * 20 + 4
  }

  /// Presentation attributes for readers without style sheets; style sheets override them.
  private func attributes(_ className: String) -> String {
    isStyled ? "" : Self.attributes[className].map { " " + $0 } ?? ""
  }

  private static let attributes: [String: String] = [
    "g": "fill=\"none\" stroke=\"#d8dee4\"", "a": "fill=\"none\" stroke=\"#8c959f\"",
    "l":
      "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linejoin=\"round\"",
    "b": "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"",
    "w": "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-opacity=\".55\"",
    "k o": "fill=\"#ffffff\" stroke=\"currentColor\" stroke-width=\"1.7\"",
    "s o": "fill=\"#ffffff\" stroke=\"currentColor\" stroke-width=\"1.7\"",
    "k": "fill=\"currentColor\"", "s": "fill=\"currentColor\"", "s k": "fill=\"currentColor\"",
    "s2": "fill=\"currentColor\" fill-opacity=\".4\"",
    "s2 k": "fill=\"currentColor\" fill-opacity=\".4\"",
    "s3": "fill=\"currentColor\" fill-opacity=\".12\"",
    "s3 k": "fill=\"currentColor\" fill-opacity=\".12\"",
    "h": "font-weight=\"600\"", "n": "fill=\"#1f2328\"", "m": "fill=\"#59636e\"",
  ]

  /// The drawing; a page has the caption next to it.
  func svg(
    title: String, description: String, caption: String, height: Double, options: ChartOptions
  ) -> String {
    let id = XMLText.escaped(options.id)
    if !options.isFile {
      return """
        <svg class="chart" viewBox="0 0 \(ChartText.place(ChartOptions.width)) \
        \(ChartText.place(height))" role="img" aria-labelledby="\(id)-title \(id)-text">
        <title id="\(id)-title">\(XMLText.escaped(title))</title>
        <desc id="\(id)-text">\(XMLText.escaped(description))</desc>
        \(content)</svg>

        """
    }
    // A standalone file has a margin.
    let edge = 18.0
    let corner = ChartText.place(-edge)
    let (across, down) = (
      ChartText.place(ChartOptions.width + 2 * edge), ChartText.place(height + 2 * edge)
    )
    return """
      <svg xmlns="http://www.w3.org/2000/svg" class="chart" width="\(across)" height="\(down)" \
      viewBox="\(corner) \(corner) \(across) \(down)" role="img" \
      aria-labelledby="\(id)-title \(id)-text" font-family="\(Self.fonts)" \
      font-size="\(ChartText.place(Self.textSize))" fill="currentColor" color="#1f2328">
      <title id="\(id)-title">\(XMLText.escaped(title))</title>
      <desc id="\(id)-text">\(XMLText.escaped("\(description) \(caption)"))</desc>
      <style>\(ChartStyleSheet.file)</style>
      <rect class="ground" x="\(corner)" y="\(corner)" width="100%" height="100%" fill="#ffffff"/>
      \(content)</svg>

      """
  }

  static let fonts =
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif"
}

/// Title and caption above a drawing in a standalone file; a page shows them as text.
enum ChartHeader {
  private static let width = ChartOptions.width - 14
  private static let captionHeight = 17.0

  static func height(_ chart: some Chart, _ options: ChartOptions) -> Double {
    guard options.isFile else { return 0 }
    return 40 + Double(lines(chart).count) * captionHeight
  }

  static func draw(_ chart: some Chart, on canvas: inout SVGCanvas, _ options: ChartOptions) {
    guard options.isFile else { return }
    let title = ChartText.fitted(chart.title, width: width / 1.08, size: 16)
    canvas.text(title, 0, 20, className: "h", size: 16)
    for (number, line) in lines(chart).enumerated() {
      canvas.text(line, 0, 41 + Double(number) * captionHeight, className: "m", size: 12.5)
    }
  }

  private static func lines(_ chart: some Chart) -> ArraySlice<String> {
    ChartText.lines(chart.caption, width: width, size: 12.5).prefix(5)
  }
}

enum ChartStyleSheet {
  static let file =
    "@media(prefers-color-scheme:dark){svg{color:#e6edf3}.ground{fill:#0d1117}"
    + ".g{stroke:#30363d}.a{stroke:#6e7681}.m{fill:#9198a1}.n{fill:#e6edf3}.o{fill:#0d1117}"
    + ChartColour.allCases.map { ".\($0.className){color:\($0.onDark)}" }.joined() + "}"
}
