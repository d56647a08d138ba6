import LarderEngine

/// The style of each policy: a function of its name, so that it is the same in every chart of every
/// report.
///
/// Those that are used most have a colour each; after them colours repeat with other markers, of
/// which every second round is hollow.
/// Variants that differ in parameters have the colour and marker of their policy and another line.
/// A hybrid has those of its disk's policy, and another line where memory's is not LRU. Policies
/// that know the future are measures and not choices: neutral, and dashed.
package struct PolicyStyles: Sendable {
  private let styles: [String: SeriesStyle]

  /// The styles of the policies of one report, told apart where names alone do not. Linear in the
  /// names.
  package init(_ names: [String]) {
    var styles: [String: SeriesStyle] = [:]
    var taken: Set<SeriesStyle> = []
    let names = names.map(Self.varying)
    // What is known by its name alone keeps its look, whoever else is there.
    let ordered = names.filter { Self.slots[$0] != nil } + names
    for name in ordered where styles[name] == nil {
      var style = Self.style(name)
      // Another line, before two look the same.
      for dash in SeriesStyle.Dash.allCases where taken.contains(style) {
        style.dash = dash
      }
      taken.insert(style)
      styles[name] = style
    }
    self.styles = styles
  }

  /// The style of a name; one that the report does not have gets that of its name alone.
  package subscript(name: String) -> SeriesStyle {
    styles[Self.varying(name)] ?? Self.style(name)
  }

  /// A hybrid's name without LRU in memory: it looks like its disk's policy alone does.
  private static func varying(_ name: String) -> String {
    name.hasPrefix("lru+") ? String(name.dropFirst(4)) : name
  }

  /// The style that a name has wherever no other looks the same.
  package static func style(_ name: String) -> SeriesStyle {
    let policy = PolicyName(name)
    let tiers = name.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    if policy.isOffline {
      let index = PolicyName.offline.firstIndex(of: policy.bases.last ?? "") ?? number(name)
      let dashes = SeriesStyle.Dash.allCases.dropFirst()
      return SeriesStyle(
        colour: .neutral,
        marker: ChartMarker.allCases[(index + 3) % ChartMarker.allCases.count],
        dash: dashes[dashes.startIndex + index % dashes.count])
    }
    let base = policy.bases.last ?? name
    let slot = slots[base] ?? slots.count + number(base)
    let round = slot / ChartColour.policyCount
    let colour = slot % ChartColour.policyCount
    return SeriesStyle(
      colour: ChartColour(rawValue: colour) ?? .neutral,
      marker: ChartMarker.allCases[(colour + round) % ChartMarker.allCases.count],
      isOpen: !round.isMultiple(of: 2), dash: dash(tiers))
  }

  /// Solid for a policy as it is, alone or behind LRU in memory; for a variant one of the others.
  private static func dash(_ tiers: [String]) -> SeriesStyle.Dash {
    let parameters = (tiers.last ?? "").drop { $0 != ":" }
    let memory = tiers.dropLast().filter { $0 != "lru" }
    guard !parameters.isEmpty || !memory.isEmpty else { return .solid }
    let dashes = SeriesStyle.Dash.allCases.dropFirst()
    let text = String(parameters) + memory.joined(separator: "+")
    return dashes[dashes.startIndex + number(text) % dashes.count]
  }

  /// The places are kept for good: a policy that is added takes one at the end, and changes no
  /// other.
  private static let order = [
    "lru", "fifo", "s3-fifo", "sieve", "arc", "w-tinylfu", "gdsf",
    "lfu", "clock", "slru", "2q", "ttl", "cost", "lirs",
    "lru-k", "random", "qd-lp", "tinylfu", "mru", "lhd", "lecar",
    "hyperbolic", "car", "clock-pro", "mq", "cacheus", "greedydual", "lfuda",
  ]

  private static let slots: [String: Int] = {
    let known = Set(order + PolicyName.offline)
    // Those of other packages go by their names alone: their looks are the same in every program.
    let newer = PolicyRegistry.standard.map(\.description.name).filter { !known.contains($0) }
    return Dictionary(
      (order + newer).enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }()

  /// A number that depends on the text alone: FNV-1a, which is the same everywhere.
  private static func number(_ text: String) -> Int {
    var hash: UInt32 = 2_166_136_261
    for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return Int(hash % 997)
  }
}

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
