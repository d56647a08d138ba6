import LarderExperiments

extension ReportDocument {
  /// What the presets and the caches of others are, and designs side by side; nothing where there
  /// are none.
  static func designs(_ results: RunResults, _ designs: [Designs]) -> [Block] {
    let facts = (results.caches ?? []).map { facts -> [Inline] in
      let what = facts.preset.map { "preset \($0)" } ?? "cache \(facts.cache)"
      let isNamed = facts.configuration == facts.preset ?? facts.cache
      return [
        .strong(facts.configuration), .text("\(isNamed ? "" : ", \(what)"): \(facts.summary)"),
      ]
    }
    guard !facts.isEmpty || !designs.isEmpty else { return [] }
    var blocks: [Block] = [.heading(2, ["Designs side by side"])]
    if !facts.isEmpty { blocks.append(.list(facts)) }
    return blocks + designs.map { .table($0.table) }
  }
}
