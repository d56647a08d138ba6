import LarderAdvice
import LarderSystem

/// The tables of advice.
enum AdviceTables {
  /// What is advised at each capacity.
  static func capacities(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    var table = Table(
      titles: ["capacity", "advised", "\(sentences.ratioTitle), %", "lru, %"]
        + (advice.learnedBillionths == nil ? [] : ["of all, %"])
        + ["lru would need", "regret, points"])
    for (place, capacity) in advice.capacities.enumerated() {
      let name = sentences.size(capacity.capacity)
      var values = [capacity.advised.hitRatio, capacity.lru.hitRatio]
      if advice.learnedBillionths != nil { values.append(capacity.advised.wholeHitRatio) }
      let ratios = values.map { Inline.text(NumberText.fixed($0 * 100, decimals: 2) ?? "–") }
      table.rows.append(
        [place == advice.recommended ? .strong(name) : .text(name), .code(capacity.advised.name)]
          + ratios + [
            capacity.matters
              ? capacity.lruCapacity.map { .text(sentences.size($0)) } ?? Table.none
              : "does not matter",
            .text(AdviceNumbers.points(capacity.regretBoundPoints)),
          ])
    }
    return table
  }

  /// The designs that were simulated in full at the recommended capacity.
  static func designs(_ advice: Advice) -> Table {
    let ratio = AdviceSentences(advice: advice).ratioTitle
    let hasPart = advice.learnedBillionths != nil
    var titles = ["design", "\(ratio), %", "first half, %", "second half, %"]
    if hasPart {
      titles.insert("chosen on, %", at: 1)
      titles.append("of all, %")
    }
    let hasTokens = advice.best.advised.tokenShare != nil
    if hasTokens { titles.append("tokens not computed, %") }
    var table = Table(titles: titles)
    var listed: [DesignResult] = []
    for design in [advice.best.advised, advice.best.chosen] + advice.best.runnersUp
      + [advice.best.lru]
    where !listed.contains(where: { $0.isSameDesign(as: design) }) {
      listed.append(design)
      var values = [design.hitRatio] + design.halves
      if hasPart {
        values.insert(design.learnedHitRatio, at: 0)
        values.append(design.wholeHitRatio)
      }
      if hasTokens { values.append(design.tokenShare ?? 0) }
      table.rows.append(
        [.code(design.name)]
          + values.map { .text(NumberText.fixed($0 * 100, decimals: 2) ?? "–") })
    }
    return table
  }

  /// Memory in front of disk.
  static func splits(_ advice: Advice) -> Table {
    let sentences = AdviceSentences(advice: advice)
    let currency = advice.costs?.prices.currency ?? ""
    var table = Table(
      titles: [
        "memory", "disk", "in memory", "on disk", "inclusion", "memory hits, %", "disk hits, %",
        "\(currency) a month",
      ])
    for split in advice.splits {
      table.rows.append([
        .text(sentences.size(split.memory)),
        split.disk > 0 ? .text(sentences.size(split.disk)) : Table.none,
        .code(split.memoryPolicy), split.diskPolicy.map { .code($0) } ?? Table.none,
        split.inclusion.map { .text($0.rawValue) } ?? Table.none,
        .text(NumberText.fixed(split.memoryHitRatio * 100, decimals: 2) ?? "–"),
        .text(NumberText.fixed(split.diskHitRatio * 100, decimals: 2) ?? "–"),
        .text(AdviceNumbers.amount(split.monthlyCost)),
      ])
    }
    return table
  }

  /// Times to live.
  static func lifetimes(_ advice: Advice) -> Table {
    let hasStale = advice.lifetimes.contains { $0.staleRatio != nil }
    var table = Table(
      titles: ["time to live", "\(AdviceSentences(advice: advice).ratioTitle), %", "lost, points"]
        + (hasStale ? ["stale, %"] : []))
    for point in advice.lifetimes {
      table.rows.append(
        [
          .text(AdviceNumbers.time(Double(point.seconds))),
          .text(NumberText.fixed(point.hitRatio * 100, decimals: 2) ?? "–"),
          .text(AdviceNumbers.points(point.lostPoints)),
        ]
          + (hasStale
            ? [
              point.staleRatio.map {
                .text(NumberText.fixed($0 * 100, decimals: 2) ?? "–")
              } ?? Table.none
            ] : []))
    }
    return table
  }

  /// Costs by capacity.
  static func costs(_ advice: Advice, _ costs: Costs) -> Table {
    let sentences = AdviceSentences(advice: advice)
    let currency = costs.prices.currency
    var table = Table(
      titles: ["capacity", "memory, \(currency)", "misses, \(currency)", "total, \(currency)"])
    for point in costs.points {
      table.rows.append(
        [.text(sentences.size(point.capacity))]
          + [point.memory, point.misses, point.total].map {
            .text(AdviceNumbers.amount($0))
          })
    }
    return table
  }
}
