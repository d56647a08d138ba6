import LarderExperiments
import LarderSupport

/// Advice in sentences, shared by the terminal, Markdown and HTML.
struct AdviceSentences {
  let advice: Advice

  /// A sentence with its heading.
  struct Item: Equatable {
    var title: String
    var text: String
  }

  private var best: CapacityAdvice { advice.best }

  /// All sentences, in the order in which a reader needs them.
  var items: [Item] {
    var items = [Item(title: "Advice", text: recommendation)]
    if advice.obstacle != nil { return items }
    items.append(Item(title: "Regret", text: regret))
    if let memory {
      items.append(Item(title: storage == "disk" ? "Capacity" : "Memory", text: memory))
    }
    if let disk { items.append(Item(title: "Disk", text: disk)) }
    if let lifetimes { items.append(Item(title: "TTL", text: lifetimes)) }
    if let money { items.append(Item(title: "Money", text: money)) }
    if let stability { items.append(Item(title: "Stability", text: stability)) }
    return items
  }

  /// The recommendation in one sentence. It begins by saying so if the choice does not matter.
  var recommendation: String {
    let place = size(best.capacity)
    let lru = ratio(best.lru)
    if let obstacle = advice.obstacle { return text(of: obstacle) }
    let keep = "with \(place), lru serves \(answers(best.lru))"
    guard best.matters else {
      let better = best.hindsight.hitRatio > best.lru.hitRatio
      return "The policy does not matter: \(keep), the best of \(advice.candidates) designs "
        + (better
          ? "(\(best.hindsight.name)) \(ratio(best.hindsight))."
          : "no more.") + " Keep lru."
    }
    if best.advised.isSameDesign(as: best.lru) {
      let lost = (best.lru.hitRatio - best.chosen.hitRatio) * 100
      guard !best.chosen.isSameDesign(as: best.lru) else {
        return "Keep lru: \(keep), and was the best on the first part."
      }
      return
        "Keep lru: \(keep). \(best.chosen.name), the best on the first part, serves "
        + "\(ratio(best.chosen)): "
        + (lost > 0
          ? "\(AdviceNumbers.points(lost)) points less."
          : "only \(AdviceNumbers.points(-lost)) points more.")
    }
    let start = "\(place) with \(best.advised.name) serves \(answers(best.advised)); "
    if let needed = best.lruCapacity {
      return start + "LRU serves \(lru), and would need \(size(needed)) for as much."
    }
    return start + "LRU serves \(lru)"
      + (advice.lruCurve.isEmpty ? "." : ", and does not reach it at any capacity.")
  }

  /// The reason for which no cache helps, with a way on.
  private func text(of obstacle: Advice.Obstacle) -> String {
    let requests = NumberText.grouped(advice.trace.requests)
    let largest = size(advice.capacities.map(\.capacity).max() ?? 0)
    switch obstacle {
    case .nothingRepeats:
      return "No cache helps: no request is for an object seen before (0 of \(requests)). The ids "
        + "may be row numbers or the ids of requests; check with 'larder trace head', and name the "
        + "column of the object with --format."
    case .nothingFits:
      return "No object fits: the largest capacity is \(largest), the smallest object has "
        + "\(NumberText.capacity(advice.smallestObject ?? 0, bytes: true)). Give larger ones with "
        + "--capacity, or count objects with --ignore-size."
    case .nothingHits:
      return "No hits: none of \(advice.candidates) designs has a hit in \(scored) with at most "
        + "\(largest), although objects are requested again. Give larger capacities with "
        + "--capacity."
    }
  }

  /// Name of the tier of the capacities.
  var storage: String { [.disk, .hybrid].contains(advice.tiers) ? "disk" : "memory" }

  /// Requests that no cache may answer, in words.
  private var uncacheable: String? {
    advice.uncacheableRatio.map { "\(AdviceNumbers.percent($0)) may not be cached" }
  }

  /// The hit ratio of a design, with the part of the trace it was measured on.
  private func answers(_ design: DesignResult) -> String {
    var text = AdviceNumbers.percent(design.hitRatio) + " of "
    if advice.prefix != nil { text += "prompt blocks as prefix hits" }
    if advice.learnedBillionths == nil {
      if advice.prefix == nil { text += "requests" }
      if let uncacheable { text += " (\(uncacheable))" }
    } else {
      text += advice.prefix == nil ? "requests in \(scored)" : " in \(scored)"
      text += uncacheable.map { ", of which \($0)" } ?? ""
      text += ", with a warm cache (\(AdviceNumbers.percent(design.wholeHitRatio)) of all)"
    }
    if let tokens = design.tokenShare {
      text += ", which saves computing \(AdviceNumbers.percent(tokens)) of their tokens"
    }
    return text
  }

  /// A hit ratio next to one whose part of the trace was named before.
  private func ratio(_ design: DesignResult) -> String {
    let own = AdviceNumbers.percent(design.hitRatio)
    guard advice.learnedBillionths != nil else { return own }
    return "\(own) (\(AdviceNumbers.percent(design.wholeHitRatio)) of all)"
  }

  /// The part of the trace that hit ratios cover.
  private var scored: String {
    if advice.learnedBillionths == nil { return "the trace" }
    let rest = 100 - Double(advice.learnedBillionths ?? 0) / 1e7
    return "the last \(AdviceNumbers.plain(rest)) % of the trace"
  }

  var ratioTitle: String {
    (advice.prefix == nil ? "hit ratio" : "prefix hit ratio")
      + (advice.learnedBillionths == nil ? "" : " in \(scored)")
      + (uncacheable.map { " (\($0))" } ?? "")
  }

  /// An upper bound of the loss against the best design.
  var regret: String {
    let lost = max(0, best.hindsight.hitRatio - best.advised.hitRatio) * 100
    var text: String
    if advice.learnedBillionths != nil {
      text =
        "Chosen on the first \(learned) of the requests and scored on the rest. "
        + (lost < 0.005
          ? "No fully simulated design was better there"
          : "In hindsight, \(best.hindsight.name) was \(AdviceNumbers.points(lost)) points "
            + "better there")
    } else {
      text =
        "Chosen and scored on the whole trace. "
        + (lost < 0.005
          ? "No fully simulated design is better"
          : "\(best.hindsight.name) is \(AdviceNumbers.points(lost)) points better")
    }
    if best.isExhaustive {
      return text + "; all \(advice.candidates) designs were simulated in full."
    }
    let bound = "\(AdviceNumbers.points(best.regretBoundPoints)) points (two standard errors)"
    // The samples know less than the finalists.
    guard best.regretBoundPoints - lost <= AdviceNumbers.indifferentPoints else {
      return text + ". Most of the \(advice.candidates) designs were simulated on samples only, "
        + "which do not show which of them are better: they cannot exclude \(bound). "
        + "A larger --max-requests can."
    }
    return text + "; the best of all \(advice.candidates) designs, most of them simulated on "
      + "samples only, is better by at most \(bound)."
  }

  private var learned: String {
    AdviceNumbers.plain(Double(advice.learnedBillionths ?? 0) / 1e7) + " %"
  }

  /// The effect of more or less memory.
  var memory: String? {
    let capacity = best.capacity
    func at(_ wanted: UInt64) -> CurvePoint? { advice.curve.first { $0.capacity == wanted } }
    var parts: [String] = []
    for (wanted, words) in [(capacity / 2, "Half of it"), (capacity * 2, "twice as much")] {
      guard let point = at(wanted) else { continue }
      let change = (point.hitRatio - best.advised.hitRatio) * 100
      parts.append(
        "\(words) (\(size(wanted))) serves \(AdviceNumbers.percent(point.hitRatio)) "
          + "(\(change < 0 ? "" : "+")\(AdviceNumbers.points(change)) points"
          + (point.isEstimate ? ", estimated)" : ")"))
    }
    guard !parts.isEmpty else { return nil }
    // The difference needs its subject.
    var text = parts.joined(separator: "; ")
    text += advice.learnedBillionths == nil ? "." : ", all in \(scored)."
    if advice.reason == .knee {
      text +=
        " \(size(capacity)) is the knee: beyond it, each "
        + "\(advice.unit == .bytes ? "byte" : "object") gains less."
    }
    if advice.reason == .cheapest {
      text +=
        " \(size(capacity)) is the cheapest of the requested "
        + "capacities."
    }
    return text
  }

  /// Benefit of a disk tier.
  var disk: String? {
    guard let alone = advice.splits.first(where: { $0.disk == 0 || $0.memory == 0 }),
      let costs = advice.costs,
      let split = advice.splits.filter({ $0.disk > 0 && $0.memory > 0 })
        .min(by: { $0.monthlyCost < $1.monthlyCost })
    else { return nil }
    let currency = costs.prices.currency
    func served(_ split: TierSplit) -> Double { split.memoryHitRatio + split.diskHitRatio }
    let gain = (served(split) - served(alone)) * 100
    let verdict =
      (alone.disk == 0 ? "A disk tier " : "Memory in front of the disk ")
      + (split.monthlyCost < alone.monthlyCost ? "pays" : "does not pay")
    let single = "\(size(max(alone.memory, alone.disk))) of \(storage) alone"
    return
      "\(verdict): \(size(split.memory)) of memory "
      + "(\(split.memoryPolicy ?? "–")) in front of \(size(split.disk)) of disk "
      + "(\(split.diskPolicy ?? "–"), \(split.inclusion?.rawValue ?? "–")) serves "
      + "\(AdviceNumbers.percent(served(split))) "
      + (advice.learnedBillionths == nil ? "" : "in \(scored) ")
      + "(\(AdviceNumbers.points(gain.magnitude)) points \(gain < 0 ? "less" : "more") than "
      + "\(single)) for \(AdviceNumbers.money(split.monthlyCost, currency)) a month, "
      + "\(costs.basis), instead of "
      + "\(AdviceNumbers.money(alone.monthlyCost, currency))\(examples)."
  }

  /// Hits lost to each TTL.
  var lifetimes: String? {
    guard !advice.lifetimes.isEmpty else { return nil }
    let parts = advice.lifetimes.map { point in
      "\(AdviceNumbers.time(Double(point.seconds))) costs "
        + "\(AdviceNumbers.points(max(0, point.lostPoints))) points"
        + (point.staleRatio.map {
          " and leaves \(NumberText.fixed($0 * 100, decimals: 2) ?? "–") % stale responses"
        } ?? "")
    }
    return "No response is older than the TTL: a TTL of " + parts.joined(separator: ", ") + "."
  }

  /// The cheapest capacity, and the access interval at which keeping an object pays.
  var money: String? {
    guard let costs = advice.costs else { return nil }
    let currency = costs.prices.currency
    var text =
      "\(size(best.capacity)) costs "
      + "\(AdviceNumbers.money(costs.recommended.total, currency)) a month, \(costs.basis) "
      + "(\(storage) \(AdviceNumbers.money(costs.recommended.storage, currency)), misses "
      + "\(AdviceNumbers.money(costs.recommended.misses, currency))); no cache "
      + "\(AdviceNumbers.money(costs.withoutCache, currency))\(examples). \(cheapest(costs))"
    if let seconds = costs.breakEvenMemorySeconds {
      text +=
        " Memory pays for objects requested again within \(AdviceNumbers.time(seconds))"
        + (costs.breakEvenFlashSeconds.map { ", flash within \(AdviceNumbers.time($0))." } ?? ".")
    }
    return text
  }

  /// The cheapest capacity of the curve, and the reason for recommending another one.
  private func cheapest(_ costs: Costs) -> String {
    let currency = costs.prices.currency
    let (capacity, total) = (size(costs.cheapest.capacity), costs.cheapest.total)
    if costs.withoutCache <= min(total, costs.recommended.total) {
      return "No cache is the cheapest at these prices."
    }
    if costs.recommended.total <= total { return "No capacity of the curve is cheaper." }
    let start = "Cheaper with this design: \(capacity), \(AdviceNumbers.money(total, currency)); "
    switch advice.reason {
    case .cheapest: return start + "it was not searched; --capacity does."
    case .asked: return start + "only \(size(best.capacity)) was given."
    default:
      return start
        + "\(size(best.capacity)) is recommended as the knee, and --prices recommends by "
        + "cost."
    }
  }

  private var examples: String {
    advice.costs?.areExamples ?? false ? " (example prices; set yours with --prices)" : ""
  }

  /// Stability of the recommendation over seeds and parts of the trace.
  var stability: String? {
    guard let stability = advice.stability else { return nil }
    var text: String
    if stability.changes {
      text =
        "The halves of the trace differ: \(stability.halves[0].name) is best in the first and "
        + "\(stability.halves[1].name) in the second; the wrong choice costs up to "
        + "\(AdviceNumbers.points(stability.disagreementPoints)) points. Safest is "
        + "\(stability.safest.name): at most "
        + "\(AdviceNumbers.points(stability.safestLossPoints)) points below the best of each half."
      text += auto(stability)
    } else {
      text =
        "Both halves of the trace agree: the best design of one loses "
        + "\(AdviceNumbers.points(max(0, stability.disagreementPoints))) points in the other."
    }
    if let advantage = stability.advantage {
      text +=
        " Over samples of the objects, \(best.chosen.name) is "
        + "\(AdviceNumbers.points(advantage.low)) to \(AdviceNumbers.points(advantage.high)) "
        + "points above lru (95 %)"
      if let share = stability.confirmedShare {
        text +=
          ", and within \(AdviceNumbers.plain(AdviceNumbers.indifferentPoints)) points of the best "
          + "finalist in "
          + "\(NumberText.fixed(share * 100, decimals: 0) ?? "–") % of them"
      }
      text += "."
    }
    return text
  }

  /// Hits of the policy that changes its policy, against the chosen design and the best one.
  private func auto(_ stability: Stability) -> String {
    guard let auto = stability.auto else { return "" }
    if auto.name == best.chosen.name {
      return " auto, which is chosen, changes its policy while it runs."
    }
    let gain = (auto.hitRatio - best.chosen.hitRatio) * 100
    let loss = max(0, best.hindsight.hitRatio - auto.hitRatio) * 100
    return " auto, which changes its policy while it runs, serves \(ratio(auto)): "
      + "\(AdviceNumbers.points(abs(gain))) points \(gain < 0 ? "less" : "more") than "
      + "\(best.chosen.name), and \(AdviceNumbers.points(loss)) less than the best in hindsight, "
      + "\(best.hindsight.name)."
  }

  /// Reason for not recommending the runner-up.
  var runnerUp: String? {
    guard let second = best.runnersUp.first(where: { !$0.isSameDesign(as: best.advised) }) else {
      return nil
    }
    let learnedGap = (best.chosen.learnedHitRatio - second.learnedHitRatio) * 100
    let scoredGap = (best.advised.hitRatio - second.hitRatio) * 100
    guard advice.learnedBillionths != nil else {
      return "\(second.name) answers \(AdviceNumbers.percent(second.hitRatio)), "
        + "\(AdviceNumbers.points(scoredGap.magnitude)) points "
        + (scoredGap >= 0 ? "less." : "more: too little to matter, and the other is simpler.")
    }
    return "\(second.name) was "
      + (learnedGap >= 0
        ? "\(AdviceNumbers.points(learnedGap)) points worse"
        : "\(AdviceNumbers.points(-learnedGap)) points better at this capacity, but worse with "
          + "smaller caches or less simple,")
      + " on the first part, on which designs are chosen, and "
      + "\(AdviceNumbers.points(scoredGap.magnitude)) points "
      + "\(scoredGap >= 0 ? "worse" : "better") on the rest."
  }

  func size(_ capacity: UInt64) -> String {
    NumberText.capacity(capacity, bytes: advice.unit == .bytes)
      + (advice.unit == .objects ? " objects" : "")
  }
}

/// Advice for a terminal, on one screen.
package enum AdviceText {
  /// The text in lines of at most `width` characters.
  package static func text(of advice: Advice, width: Int) -> String {
    let width = min(max(width, 40), 100)
    let sentences = AdviceSentences(advice: advice)
    var lines: [String] = []
    for item in sentences.items {
      let label = item.title + String(repeating: " ", count: max(1, 11 - item.title.count))
      let words = wrapped(TextSafety.singleLine(item.text), width: width - 11)
      for (number, line) in words.enumerated() {
        lines.append((number == 0 ? label : String(repeating: " ", count: 11)) + line)
      }
    }
    var text = lines.joined(separator: "\n") + "\n"
    if advice.capacities.count > 1, advice.obstacle == nil {
      text += "\n" + ComparisonTable.aligned(AdviceTables.capacities(advice), false)
    }
    if let costs = advice.costs {
      let assumptions = "Assumed: " + costs.assumptions.joined(separator: "; ") + "."
      text += "\n" + wrapped(assumptions, width: width).joined(separator: "\n") + "\n"
    }
    for note in advice.notes {
      text +=
        wrapped("Note: \(TextSafety.singleLine(note))", width: width)
        .joined(separator: "\n") + "\n"
    }
    return text
  }

  /// Lines of at most `width` characters; longer words stay whole.
  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words(text) {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The words of a text. Digit groups of a number and its unit stay together.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    for part in text.split(separator: " ") {
      let follows = words.last.map { $0.last?.isNumber ?? false } ?? false
      if follows,
        part.first?.isNumber ?? false || units.contains(part.prefix { $0.isLetter || $0 == "%" })
      {
        words[words.count - 1] += " " + part
      } else {
        words.append(String(part))
      }
    }
    return words
  }

  private static let units: Set<Substring> = [
    "%", "B", "KiB", "MiB", "GiB", "TiB", "objects", "points", "s", "min", "h", "days", "years",
  ]
}
