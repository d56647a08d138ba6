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
