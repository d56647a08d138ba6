import LarderExperiments
import LarderSupport

struct AdviceSentences {
  let advice: Advice

  private var best: CapacityAdvice { advice.best }

  private var isDivided: Bool { advice.learnedBillionths != nil }

  var items: [(title: String, text: String)] {
    let texts: [(String, String?)] = [
      ("Advice", recommendation), ("Regret", regret),
      (storage == "disk" ? "Capacity" : "Memory", memory), ("Disk", disk), ("TTL", lifetimes),
      ("Money", money), ("Stability", stability),
    ]
    return (advice.obstacle == nil ? texts : [texts[0]]).compactMap { title, text in
      text.map { (title, $0) }
    }
  }

  /// A column that only advice has whose designs are chosen on a part of the trace.
  func whole<Row>(_ column: () -> Column<Row>) -> [Column<Row>] { isDivided ? [column()] : [] }

  var recommendation: String {
    if let obstacle = advice.obstacle { return text(of: obstacle) }
    let (place, lru) = (size(best.capacity), ratio(best.lru))
    let keep = "with \(place), lru serves \(answers(best.lru))"
    guard best.matters else {
      let better =
        best.hindsight.hitRatio > best.lru.hitRatio
        ? "(\(best.hindsight.name)) \(ratio(best.hindsight))" : "no more"
      return "The policy does not matter: \(keep), the best of \(advice.candidates) designs "
        + "\(better). Keep lru."
    }
    if best.chosen.isSameDesign(as: best.lru) {
      return "Keep lru: \(keep), and was the best on the first part."
    }
    if best.advised.isSameDesign(as: best.lru) {
      let gain = (best.chosen.hitRatio - best.lru.hitRatio) * 100
      return "Keep lru: \(keep). \(best.chosen.name), the best on the first part, serves "
        + "\(ratio(best.chosen)): \(difference(gain))."
    }
    let start =
      "\(place) with \(best.advised.name) serves \(answers(best.advised)); LRU serves \(lru)"
    if let needed = best.lruCapacity {
      return "\(start), and would need \(size(needed)) for as much."
    }
    return start + (advice.lruCurve.isEmpty ? "." : ", and does not reach it at any capacity.")
  }

  private func difference(_ points: Double) -> String {
    "\(AdviceNumbers.points(points.magnitude)) points \(points < 0 ? "less" : "more")"
  }

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

  var storage: String { [.disk, .hybrid].contains(advice.tiers) ? "disk" : "memory" }

  private var uncacheable: String? {
    advice.uncacheableRatio.map { "\(NumberText.percent($0)) may not be cached" }
  }

  private func answers(_ design: DesignResult) -> String {
    var text =
      NumberText.percent(design.hitRatio)
      + (advice.prefix == nil ? " of requests" : " of prompt blocks as prefix hits")
    if isDivided {
      text +=
        " in \(scored)" + (uncacheable.map { ", of which \($0)" } ?? "")
        + ", with a warm cache (\(NumberText.percent(design.wholeHitRatio)) of all)"
    } else if let uncacheable {
      text += " (\(uncacheable))"
    }
    if let tokens = design.tokenShare {
      text += ", which saves computing \(NumberText.percent(tokens)) of their tokens"
    }
    return text
  }

  private func ratio(_ design: DesignResult) -> String {
    let own = NumberText.percent(design.hitRatio)
    guard isDivided else { return own }
    return "\(own) (\(NumberText.percent(design.wholeHitRatio)) of all)"
  }

  private var scored: String {
    if !isDivided { return "the trace" }
    let rest = 100 - Double(advice.learnedBillionths ?? 0) / 1e7
    return "the last \(AdviceNumbers.plain(rest)) % of the trace"
  }

  var ratioTitle: String {
    (advice.prefix == nil ? "hit ratio" : "prefix hit ratio")
      + (!isDivided ? "" : " in \(scored)")
      + (uncacheable.map { " (\($0))" } ?? "")
  }

  var regret: String {
    let lost = max(0, best.hindsight.hitRatio - best.advised.hitRatio) * 100
    let text =
      (isDivided
        ? "Chosen on the first \(learned) of the requests and scored on the rest. "
        : "Chosen and scored on the whole trace. ")
      + (lost < 0.005
        ? "No fully simulated design was better"
        : "In hindsight, \(best.hindsight.name) was \(AdviceNumbers.points(lost)) points better")
    if best.isExhaustive {
      return text + "; all \(advice.candidates) designs were simulated in full."
    }
    let bound = "\(AdviceNumbers.points(best.regretBoundPoints)) points (two standard errors)"
    guard best.regretBoundPoints - lost <= Choice.indifferentPoints else {
      return text + ". Most of the \(advice.candidates) designs were simulated on samples only, "
        + "which cannot exclude \(bound); a larger max-requests can."
    }
    return text + "; the best of all \(advice.candidates) designs, most of them simulated on "
      + "samples only, is better by at most \(bound)."
  }

  private var learned: String {
    AdviceNumbers.plain(Double(advice.learnedBillionths ?? 0) / 1e7) + " %"
  }

  var memory: String? {
    let capacity = best.capacity
    let parts = [(capacity / 2, "Half of it"), (capacity * 2, "twice as much")].compactMap {
      wanted, words in
      advice.curve.first { $0.capacity == wanted }.map { point in
        let change = (point.hitRatio - best.advised.hitRatio) * 100
        return "\(words) (\(size(wanted))) serves \(NumberText.percent(point.hitRatio)) "
          + "(\(difference(change))\(point.isEstimate ? ", estimated" : ""))"
      }
    }
    guard !parts.isEmpty else { return nil }
    let text = parts.joined(separator: "; ") + (isDivided ? ", all in \(scored)." : ".")
    switch advice.reason {
    case .knee:
      return text + " \(size(capacity)) is the knee: beyond it, each "
        + "\(advice.unit == .bytes ? "byte" : "object") gains less."
    case .cheapest:
      return text + " \(size(capacity)) is the cheapest of the requested capacities."
    case .asked, nil: return text
    }
  }

  var disk: String? {
    guard let alone = advice.splits.first(where: { $0.disk == 0 || $0.memory == 0 }),
      let costs = advice.costs,
      let split = advice.splits.filter({ $0.disk > 0 && $0.memory > 0 })
        .min(by: { $0.monthlyCost < $1.monthlyCost })
    else { return nil }
    func served(_ split: TierSplit) -> Double { split.memoryHitRatio + split.diskHitRatio }
    func money(_ split: TierSplit) -> String {
      AdviceNumbers.money(split.monthlyCost, costs.prices.currency)
    }
    let verdict =
      (alone.disk == 0 ? "A disk tier " : "Memory in front of the disk ")
      + (split.monthlyCost < alone.monthlyCost ? "pays" : "does not pay")
    return "\(verdict): \(size(split.memory)) of memory (\(split.memoryPolicy ?? "–")) in front of "
      + "\(size(split.disk)) of disk (\(split.diskPolicy ?? "–"), "
      + "\(split.inclusion?.rawValue ?? "–")) serves \(NumberText.percent(served(split))) "
      + (isDivided ? "in \(scored) " : "")
      + "(\(difference((served(split) - served(alone)) * 100)) than "
      + "\(size(max(alone.memory, alone.disk))) of \(storage) alone) for \(money(split)) a month, "
      + "\(costs.basis), instead of \(money(alone))\(examples)."
  }

  var lifetimes: String? {
    guard !advice.lifetimes.isEmpty else { return nil }
    let parts = advice.lifetimes.map { point in
      "\(NumberText.time(Double(point.seconds))) costs "
        + "\(AdviceNumbers.points(max(0, point.lostPoints))) points"
        + (point.staleRatio.map {
          " and leaves \(NumberText.fixed($0 * 100, decimals: 2) ?? "–") % stale responses"
        } ?? "")
    }
    return "No response is older than the TTL: a TTL of " + parts.joined(separator: ", ") + "."
  }

  var money: String? {
    guard let costs = advice.costs else { return nil }
    func money(_ amount: Double) -> String { AdviceNumbers.money(amount, costs.prices.currency) }
    let (own, cheapest) = (costs.recommended, costs.cheapest)
    var text =
      "\(size(best.capacity)) costs \(money(own.total)) a month, \(costs.basis) (\(storage) "
      + "\(money(own.storage)), misses \(money(own.misses))); no cache "
      + "\(money(costs.withoutCache))\(examples). "
    if costs.withoutCache <= min(cheapest.total, own.total) {
      text += "No cache is the cheapest at these prices."
    } else if own.total <= cheapest.total {
      text += "No capacity of the curve is cheaper."
    } else {
      text += "Cheaper with this design: \(size(cheapest.capacity)), \(money(cheapest.total)); "
      switch advice.reason {
      case .cheapest: text += "it was not searched; --capacity does."
      case .asked: text += "only \(size(best.capacity)) was given."
      default:
        text +=
          "\(size(best.capacity)) is recommended as the knee, and --prices recommends by cost."
      }
    }
    guard let seconds = costs.breakEvenMemorySeconds else { return text }
    return text + " Memory pays for objects requested again within \(NumberText.time(seconds))"
      + (costs.breakEvenFlashSeconds.map { ", flash within \(NumberText.time($0))." } ?? ".")
  }

  private var examples: String {
    advice.costs?.areExamples ?? false ? " (example prices; set yours with --prices)" : ""
  }

  var stability: String? {
    guard let stability = advice.stability else { return nil }
    guard stability.changes else {
      return "Both halves of the trace agree: the best design of one loses "
        + "\(AdviceNumbers.points(max(0, stability.disagreementPoints))) points in the other."
    }
    return "The halves of the trace differ: \(stability.halves[0].name) is best in the first and "
      + "\(stability.halves[1].name) in the second; the wrong choice costs up to "
      + "\(AdviceNumbers.points(stability.disagreementPoints)) points. Safest is "
      + "\(stability.safest.name): at most \(AdviceNumbers.points(stability.safestLossPoints)) "
      + "points below the best of each half.\(auto(stability))"
  }

  private func auto(_ stability: Stability) -> String {
    guard let auto = stability.auto else { return "" }
    if auto.name == best.chosen.name {
      return " auto, which is chosen, changes its policy while it runs."
    }
    let gain = (auto.hitRatio - best.chosen.hitRatio) * 100
    let loss = (auto.hitRatio - max(auto.hitRatio, best.hindsight.hitRatio)) * 100
    return " auto, which changes its policy while it runs, serves \(ratio(auto)): "
      + "\(difference(gain)) than \(best.chosen.name), and \(AdviceNumbers.points(-loss)) points "
      + "less than the best in hindsight, \(best.hindsight.name)."
  }

  var runnerUp: String? {
    guard let second = best.runnersUp.first(where: { !$0.isSameDesign(as: best.advised) }) else {
      return nil
    }
    let gain = (second.hitRatio - best.advised.hitRatio) * 100
    guard isDivided else {
      return "\(second.name) serves \(NumberText.percent(second.hitRatio)), \(difference(gain))."
    }
    return "\(second.name) had "
      + "\(difference((second.learnedHitRatio - best.chosen.learnedHitRatio) * 100)) on the first "
      + "part, on which designs are chosen at this capacity and smaller ones, and "
      + "\(difference(gain)) on the rest."
  }

  func size(_ capacity: UInt64) -> String { NumberText.capacity(capacity, advice.unit) }
}

package enum AdviceText {
  package static func text(of advice: Advice, width: Int, box hasBox: Bool = true) -> String {
    let width = min(max(width, 40), 100)
    let box = hasBox ? advice.decision.map { DecisionBox(decision: $0).text(width: width) } : nil
    if advice.decision?.isServer == true {
      return (box ?? "") + advice.notes.map { paragraph("Note: \($0)", width) }.joined()
    }
    var text = (box.map { $0 + "\n" } ?? "")
    text += AdviceSentences(advice: advice).items.map { title, text in
      let label = title + String(repeating: " ", count: max(1, 11 - title.count))
      let indent = "\n" + String(repeating: " ", count: 11)
      return label + wrapped(text, width: width - 11).joined(separator: indent) + "\n"
    }.joined()
    if advice.capacities.count > 1, advice.obstacle == nil {
      text += "\n" + PlainMarkup().text(of: [.table(AdviceTables.capacities(advice))])
    }
    if let costs = advice.costs {
      text += "\n" + paragraph("Assumed: \(costs.assumptions.joined(separator: "; ")).", width)
    }
    return text + advice.notes.map { paragraph("Note: \($0)", width) }.joined()
  }

  private static func paragraph(_ text: String, _ width: Int) -> String {
    wrapped(text, width: width).joined(separator: "\n") + "\n"
  }

  /// Lines of at most `width` characters. A longer word stays whole, as does a number with its
  /// unit.
  package static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words(TextSafety.singleLine(text)) {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: []) { words, part in
      let isUnit =
        part.first?.isNumber ?? false || units.contains(part.prefix { $0.isLetter || $0 == "%" })
      if let last = words.last, last.last?.isNumber ?? false, isUnit {
        words[words.count - 1] += " " + part
      } else {
        words.append(String(part))
      }
    }
  }

  private static let units: Set<Substring> = [
    "%", "B", "KiB", "MiB", "GiB", "TiB", "objects", "points", "s", "min", "h", "days", "years",
  ]
}
