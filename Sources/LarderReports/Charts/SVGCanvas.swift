import LarderSupport

struct SVGCanvas {
  private(set) var content = ""
  /// True if only classes define the style, as in a page.
  private let isStyled: Bool

  init(isStyled: Bool = false) { self.isStyled = isStyled }

  enum Anchor: String {
    case start, middle, end
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
    path(
      "M\(ChartText.place(x1)) \(ChartText.place(y1))L\(ChartText.place(x2)) "
        + ChartText.place(y2), className: className)
  }

  mutating func polyline(
    _ points: [(x: Double, y: Double)], className: String, dash: SeriesStyle.Dash = .solid
  ) {
    guard points.count > 1 else { return }
    let places = points.map { "\(ChartText.place($0.x)) \(ChartText.place($0.y))" }
    let dashes = dash.pattern.map { " stroke-dasharray=\"\($0)\"" } ?? ""
    content += "<path class=\"\(className)\"\(attributes(className)) "
    content += "d=\"M\(places.joined(separator: "L"))\"\(dashes)/>"
  }

  mutating func path(_ data: String, className: String, label: String? = nil) {
    content += "<path class=\"\(className)\"\(attributes(className)) d=\"\(data)\""
    content += label.map { "><title>\(XMLText.escaped($0))</title></path>" } ?? "/>"
  }

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

  static let textSize = 12.0

  /// Presentation attributes for readers without style sheets; style sheets override them.
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

  func svg(title: String, description: String, height: Double, options: ChartOptions) -> String {
    let id = XMLText.escaped(options.id)
    let edge = options.isFile ? Self.margin : 0
    let (across, down) = (ChartOptions.width + 2 * edge, height + 2 * edge)
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

  static let fonts =
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif"
}

enum ChartText {
  static func place(_ value: Double) -> String { trimmed(value, decimals: 1) }

  static func short(_ value: Double) -> String {
    let size = value.magnitude
    return trimmed(value, decimals: size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 4 : 8)
  }

  static func scaled(
    _ value: Double, by factor: Double, units: [String], isTrimmed: Bool = true
  ) -> String {
    var rest = value
    var unit = 0
    // A value that would round up to the next unit is shown in it.
    while unit + 1 < units.count, rest.magnitude >= factor * 0.9995 {
      rest /= factor
      unit += 1
    }
    let decimals = rest.magnitude >= 100 ? 0 : rest.magnitude >= 10 ? 1 : 2
    // Whole nanoseconds and whole bytes have no fraction.
    let shown = unit == 0 && rest == rest.rounded() ? 0 : decimals
    let text =
      isTrimmed ? trimmed(rest, decimals: decimals) : NumberText.fixed(rest, decimals: shown)
    return (text ?? "–") + units[unit]
  }

  static func trimmed(_ value: Double, decimals: Int) -> String {
    guard let text = NumberText.fixed(value, decimals: decimals), text.contains(".") else {
      return NumberText.fixed(value, decimals: decimals) ?? "–"
    }
    var digits = text[...]
    while digits.last == "0" { digits.removeLast() }
    if digits.last == "." { digits.removeLast() }
    return digits == "-0" ? "0" : String(digits)
  }

  /// The approximate width of `text` in the unit of `size`. Fonts differ, so this rounds up.
  static func width(_ text: String, size: Double = SVGCanvas.textSize) -> Double {
    text.unicodeScalars.reduce(0) { width, scalar in
      width + size * em(scalar)
    }
  }

  static func widest(_ texts: [String]) -> Double { texts.map { width($0) }.max() ?? 0 }

  private static func em(_ scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", "(", ")", " ": 0.34
    case "f", "r", "t", "-", "[", "]": 0.42
    case "m", "w", "M", "W", "%", "@": 0.92
    case "A"..."Z": 0.7
    default: scalar.value < 0x1100 ? 0.62 : 1.05
    }
  }

  static func fitted(_ text: String, width: Double, size: Double) -> String {
    guard self.width(text, size: size) > width else { return text }
    var kept = text
    while !kept.isEmpty, self.width(kept + "…", size: size) > width { kept.removeLast() }
    return kept + "…"
  }

  static func lines(_ text: String, width: Double, size: Double) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let longer = line.isEmpty ? String(word) : line + " " + word
      if !line.isEmpty, self.width(longer, size: size) > width {
        lines.append(line)
        line = fitted(String(word), width: width, size: size)
      } else {
        line = fitted(longer, width: width, size: size)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

enum ChartHeader {
  private static let margin = 14.0
  private static let captionSize = 12.5
  private static let captionHeight = 17.0
  private static let captionLinesMax = 5

  static func height(_ chart: some Chart, _ options: ChartOptions) -> Double {
    guard options.isFile else { return 0 }
    return 40 + Double(lines(chart, options).count) * captionHeight
  }

  static func draw(_ chart: some Chart, on canvas: inout SVGCanvas, _ options: ChartOptions) {
    guard options.isFile else { return }
    let title = ChartText.fitted(
      chart.title, width: (ChartOptions.width - margin) / 1.08, size: 16)
    canvas.text(title, 0, 20, className: "h", size: 16)
    for (number, line) in lines(chart, options).enumerated() {
      canvas.text(
        line, 0, 41 + Double(number) * captionHeight, className: "m", size: captionSize)
    }
  }

  private static func lines(_ chart: some Chart, _ options: ChartOptions) -> [String] {
    let width = ChartOptions.width - margin
    let lines = ChartText.lines(chart.caption, width: width, size: captionSize)
    return Array(lines.prefix(captionLinesMax))
  }
}

struct ChartLegend {
  private let entries: [(name: String, style: SeriesStyle)]

  init(_ entries: [(name: String, style: SeriesStyle)]) { self.entries = entries }

  func draw(on canvas: inout SVGCanvas, from top: Double) -> Double {
    let width = ChartOptions.width
    let wanted = min(max(ChartText.widest(entries.map(\.name)), 40) + 46, width)
    let columns = max(1, min(entries.count, Int(width / wanted)))
    let column = width / Double(columns)
    for (number, entry) in entries.enumerated() {
      let x = Double(number % columns) * column
      let y = top + Double(number / columns) * 20 + 8
      canvas.open("series", colour: entry.style.colour, series: entry.name)
      canvas.polyline([(x, y), (x + 24, y)], className: "l", dash: entry.style.dash)
      canvas.marker(entry.style, x + 12, y)
      let name = ChartText.fitted(entry.name, width: column - 36, size: SVGCanvas.textSize)
      canvas.text(name, x + 31, y + 4, className: "n")
      canvas.close()
    }
    return top + Double((entries.count + columns - 1) / columns) * 20 + 4
  }
}

enum ChartStyleSheet {
  static let file =
    "@media(prefers-color-scheme:dark){svg{color:#e6edf3}.ground{fill:#0d1117}"
    + ".g{stroke:#30363d}.a{stroke:#6e7681}.m{fill:#9198a1}.n{fill:#e6edf3}.o{fill:#0d1117}"
    + ChartColour.allCases.map { ".\($0.className){color:\($0.onDark)}" }.joined() + "}"
}
