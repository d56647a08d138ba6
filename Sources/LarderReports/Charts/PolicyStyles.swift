import LarderEngine

/// The style of each policy. It depends on the name alone, so a policy looks alike in every chart
/// of every report.
///
/// The most common policies have a colour each; after them colours repeat with other markers, every
/// second round hollow. Variants that differ in parameters have the colour and marker of their
/// policy and another line. A hybrid has those of its disk policy, and another line unless memory
/// uses LRU. Policies that know the future are bounds: neutral and dashed.
struct PolicyStyles: Sendable {
  private let styles: [String: SeriesStyle]

  init(_ names: [String]) {
    var styles: [String: SeriesStyle] = [:]
    var taken: Set<SeriesStyle> = []
    let names = names.map(Self.varying)
    // Names with a fixed slot keep their style, whatever else is in the report.
    let ordered = names.filter { Self.slots[$0] != nil } + names
    for name in ordered where styles[name] == nil {
      var style = Self.style(name)
      // Vary the line before two names look alike.
      for dash in SeriesStyle.Dash.allCases where taken.contains(style) {
        style.dash = dash
      }
      taken.insert(style)
      styles[name] = style
    }
    self.styles = styles
  }

  subscript(name: String) -> SeriesStyle { styles[Self.varying(name)] ?? Self.style(name) }

  /// The varied name of a hybrid without LRU in memory; else it would look like its disk policy
  /// alone.
  private static func varying(_ name: String) -> String {
    name.hasPrefix("lru+") ? String(name.dropFirst(4)) : name
  }

  static func style(_ name: String) -> SeriesStyle {
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

  private static func dash(_ tiers: [String]) -> SeriesStyle.Dash {
    let parameters = (tiers.last ?? "").drop { $0 != ":" }
    let memory = tiers.dropLast().filter { $0 != "lru" }
    guard !parameters.isEmpty || !memory.isEmpty else { return .solid }
    let dashes = SeriesStyle.Dash.allCases.dropFirst()
    let text = String(parameters) + memory.joined(separator: "+")
    return dashes[dashes.startIndex + number(text) % dashes.count]
  }

  /// Slots are permanent. Every other policy, built in or not, has a style from its name alone, so
  /// that it is equal in every program and version.
  static let order = [
    "lru", "fifo", "s3-fifo", "sieve", "arc", "w-tinylfu", "gdsf",
    "lfu", "clock", "slru", "2q", "ttl", "cost", "lirs",
    "lru-k", "random", "qd-lp", "tinylfu", "mru", "lhd", "lecar",
    "hyperbolic", "car", "clock-pro", "mq", "cacheus", "greedydual", "lfuda",
    "lru-mad", "la-cache", "redis-lru", "redis-lfu", "nginx", "varnish", "memcached",
    "s4-fifo", "clock2q-plus", "tinyufo", "auto",
  ]

  private static let slots = Dictionary(
    order.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })

  /// A number derived from the text alone (FNV-1a), equal on every machine.
  private static func number(_ text: String) -> Int {
    var hash: UInt32 = 2_166_136_261
    for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return Int(hash % 997)
  }
}

struct SeriesStyle: Sendable, Hashable {
  var colour: ChartColour
  var marker: ChartMarker
  var isOpen = false
  var dash = Dash.solid

  enum Dash: Int, Sendable, Hashable, CaseIterable {
    case solid, long, short, dotDash, dots, longShort

    var pattern: String? { [nil, "8 4", "4 3", "8 3 2 3", "1.5 3.5", "12 3 4 3"][rawValue] }
  }
}

/// The colours of series: those of Okabe and Ito, which people with any kind of colour vision can
/// distinguish (M. Okabe, K. Ito, "Color Universal Design", 2008), and a neutral one. Orange, sky
/// blue and yellow are darkened on white to a contrast of at least 3 : 1; blue is lightened on
/// black.
enum ChartColour: Int, Sendable, Hashable, CaseIterable {
  case blue, orange, green, purple, vermillion, sky, yellow
  case neutral

  static let policyCount = allCases.count - 1

  private static let colours = [
    ("#0072b2", "#4a9fe0"), ("#c47a00", "#e69f00"), ("#009e73", "#1fbf8f"),
    ("#b8578d", "#d98bb8"), ("#d55e00", "#f0753a"), ("#2b95cf", "#8fd0f5"),
    ("#8f8500", "#f0e442"), ("#3d444d", "#c9d1d9"),
  ]

  var onLight: String { Self.colours[rawValue].0 }
  var onDark: String { Self.colours[rawValue].1 }
  var className: String { "c\(rawValue)" }
}

enum ChartMarker: Int, Sendable, Hashable, CaseIterable {
  case circle, square, triangle, diamond, cross, wedge, plus, pentagon

  private static let outlines = [
    "m-4 0a4 4 0 108 0a4 4 0 10-8 0z", "m-3.6-3.6h7.2v7.2h-7.2z", "m0-5l4.8 8.4h-9.6z",
    "m0-5.2l5.2 5.2l-5.2 5.2l-5.2-5.2z",
    "m-2.2-4.3l2.2 2.2l2.2-2.2l2.1 2.1l-2.2 2.2l2.2 2.2l-2.1 2.1l-2.2-2.2l-2.2 2.2"
      + "l-2.1-2.1l2.2-2.2l-2.2-2.2z",
    "m0 5l4.8-8.4h-9.6z", "m-1.5-4.7h3v3.2h3.2v3h-3.2v3.2h-3v-3.2h-3.2v-3h3.2z",
    "m0-4.9l4.7 3.4l-1.8 5.5h-5.8l-1.8-5.5z",
  ]

  /// The outline around the current point as an SVG path, about 9 wide.
  var outline: String { Self.outlines[rawValue] }
}
