import LarderEngine
import LarderExperiments
import LarderSupport

/// Today's cache against the proposed one: the first thing on every screen and page.
struct DecisionBox {
  let decision: Decision

  private var today: Decision.Side { decision.today }
  private var proposed: Decision.Side { decision.proposed }

  private func size(_ side: Decision.Side) -> String {
    NumberText.capacity(side.capacity, decision.unit)
  }

  private var limit: String { "\(AdviceNumbers.plain(Choice.indifferentPoints)) points" }

  var verdict: String {
    if decision.keeps {
      let rivals = decision.isServer ? "setting of it" : "design"
      return "Keep \(today.cache) with \(size(today)): no \(rivals) is better by more than "
        + "\(limit)."
    }
    var changes = today.cache == proposed.cache ? "Keep \(today.cache), " : "Use \(proposed.cache) "
    changes += "with \(size(proposed))"
    if decision.keyOption != nil { changes += " and fewer query parameters in the key" }
    return "\(changes): \(effects.joined(separator: ", "))."
  }

  private var effects: [String] {
    let points = AdviceNumbers.points(decision.gainPoints.magnitude)
    var effects = [
      Choice.isEqual(proposed.hitRatio, today.hitRatio)
        ? "as many hits within \(limit)"
        : "\(points) points \(decision.gainPoints > 0 ? "more" : "fewer") hits"
    ]
    if let own = today.monthlyCost, let other = proposed.monthlyCost {
      effects.append(money(abs(own - other)) + " a month " + (other < own ? "less" : "more"))
    } else if proposed.capacity < today.capacity {
      let saved = today.capacity - proposed.capacity
      effects.append("\(NumberText.capacity(saved, decision.unit)) less")
    }
    return effects
  }

  private func money(_ amount: Double) -> String {
    AdviceNumbers.money(amount, decision.currency ?? "")
  }

  private struct Row {
    var name: String
    var cells: [String]
  }

  /// The names of the caches, a line for each setting, so that the box fits a terminal.
  private var cacheRows: [Row] {
    let lines = [today, proposed].map { $0.cache.split(separator: ", ").map(String.init) }
    return (0..<max(lines[0].count, lines[1].count)).map { place in
      let cells = lines.map { own in
        place < own.count ? own[place] + (place < own.count - 1 ? "," : "") : ""
      }
      return Row(name: place == 0 ? "cache" : "", cells: cells + [""])
    }
  }

  var table: Table {
    func row(
      _ name: String, _ value: KeyPath<Decision.Side, Double?>, _ text: (Double) -> String
    ) -> Row? {
      guard let own = today[keyPath: value], let other = proposed[keyPath: value] else {
        return nil
      }
      let change = own > 0 ? (other / own - 1) * 100 : 0
      let sign = change > 0 ? "+" : ""
      return Row(
        name: name,
        cells: [text(own), text(other)]
          + [change == 0 ? "" : "\(sign)\(NumberText.fixed(change, decimals: 1) ?? "–") %"])
    }
    func percent(_ ratio: Double) -> String { NumberText.percent(ratio, decimals: 2) }
    let gain = AdviceNumbers.points(decision.gainPoints)
    let rows: [Row?] = [
      Row(name: "size", cells: [size(today), size(proposed), ""]),
      decision.keyOption.map { Row(name: "key", cells: ["whole", $0, ""]) },
      Row(
        name: "hit ratio",
        cells: [percent(today.hitRatio), percent(proposed.hitRatio)]
          + [gain == "0.00" ? "" : "\(decision.gainPoints > 0 ? "+" : "")\(gain) points"]),
      decision.recordedHitRatio.map {
        Row(name: "hit ratio in the log", cells: [percent($0), "–", ""])
      },
      row("origin requests a day", \.originRequestsPerDay) {
        NumberText.whole($0)
      },
      row("origin traffic a day", \.originBytesPerDay) { Self.decimalBytes($0) },
      row("\(decision.currency ?? "") a month", \.monthlyCost) { AdviceNumbers.amount($0) },
    ]
    return Table(
      cacheRows + rows.compactMap { $0 },
      [
        .init("") { .text($0.name) }, .init("today") { .text($0.cells[0]) },
        .init("proposed") { .strong($0.cells[1]) }, .init("change") { .text($0.cells[2]) },
      ])
  }

  /// Bytes in the units of traffic, powers of 1000.
  private static func decimalBytes(_ bytes: Double) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"]
    var (value, unit) = (bytes, 0)
    while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    return "\(NumberText.fixed(value, decimals: unit == 0 ? 0 : 2) ?? "–") \(units[unit])"
  }

  var lines: [String] {
    var lines: [String] = []
    if let other = decision.other {
      let gain = (other.hitRatio - proposed.hitRatio) * 100
      lines.append(
        "Another cache: \(other.cache) with \(size(other)) would serve "
          + "\(NumberText.percent(other.hitRatio, decimals: 2)), \(AdviceNumbers.points(gain)) "
          + "points more than proposed; it counts values alone.")
    } else if decision.isServer, decision.keyOption == nil {
      lines.append("Another cache: none of this size is better by more than \(limit).")
    }
    if let seconds = decision.ttlSeconds {
      lines.append(
        "TTL: one of \(NumberText.time(Double(seconds))) or more costs at most \(limit).")
    }
    if let option = decision.keyOption {
      lines.append("Key: \(option) as simulated, if those parameters do not change the response.")
    }
    let amounts = decision.basis.map { " Amounts a day: \($0)." } ?? ""
    let source = decision.isExecuted == true ? "of real caches with one thread" : "simulated"
    lines.append("Hit ratios are \(source), in \(decision.scope).\(amounts)")
    if let recorded = decision.recordedHitRatio, !decision.isAssumed,
      abs(recorded - today.hitRatio) > 0.05
    {
      lines.append(
        "The log's own HIT and MISS differ from the simulation by "
          + "\(AdviceNumbers.points(abs(recorded - today.hitRatio) * 100)) points: check the size "
          + "and policy of today's cache.")
    }
    if today.cache.hasPrefix("memcached "), today.capacity < 64 << 20 {
      lines.append("memcached: each class of sizes in use takes 1 MiB, even beyond its capacity.")
    }
    if today.cache.contains("volatile-") {
      lines.append("volatile-: simulated as if every key had a TTL.")
    }
    if today.cache.contains("volatile-ttl"), decision.unit == .bytes {
      lines.append("volatile-ttl: it counts values alone; Redis holds fewer, and hits less.")
    }
    if decision.isAssumed {
      lines.append(
        "Today is assumed to be LRU; name your cache with --current redis:allkeys-lru:4GiB, "
          + "nginx:8GiB or memcached:64MiB.")
    }
    return lines
  }

  var blocks: [Block] {
    [.paragraph("\(strong: verdict)"), .table(table), .list(lines.map { Line(text: $0) })]
  }

  /// The box for a terminal.
  func text(width: Int) -> String {
    var plain = self.table
    plain.rows = plain.rows.map { $0.map { .text($0.plain) } }
    let table = PlainMarkup().text(of: Block.table(plain)).split(separator: "\n").map(String.init)
    let inner = max(width - 4, table.map(\.count).max() ?? 0)
    func wrapped(_ text: String) -> [String] { AdviceText.wrapped(text, width: inner) }
    let lines = wrapped(verdict) + [""] + table + [""] + self.lines.flatMap(wrapped)
    let edge = String(repeating: "─", count: inner + 2)
    let body = lines.map { line in
      "│ \(line)\(String(repeating: " ", count: max(0, inner - line.count))) │\n"
    }
    return "┌\(edge)┐\n\(body.joined())└\(edge)┘\n"
  }
}

extension Decision {
  /// For a run: the recommended policy against LRU or FIFO, for the configuration and trace that
  /// the report begins with, at the capacity beyond which hits grow less than the capacity. Nil
  /// if there is nothing to compare.
  init?(_ ranking: Ranking, trace: String) {
    guard let leader = ranking.leader, !ranking.comparison.hasPrefixes,
      let baseline = ranking.comparison.baseline(for: nil),
      let column = ranking.knee,
      let record = ranking.comparison.records(leader, column).first,
      let before = ranking.value(baseline, column), let after = ranking.value(leader, column)
    else { return nil }
    let name = { (policy: PolicyName) in "\(policy.text) (\(ranking.comparison.configuration))" }
    let capacity = record.cell.capacity
    let today = Side(cache: name(baseline), capacity: capacity, hitRatio: before)
    self.init(
      trace: trace, unit: ranking.comparison.unit, scope: "all counted requests of \(trace)",
      today: today,
      proposed: Choice.isBetter(after, than: before)
        ? Side(cache: name(leader), capacity: capacity, hitRatio: after) : today)
    isAssumed = true
    if record.executions != nil, record.timings.isEmpty { isExecuted = true }
  }

  /// Those of the run; without any, that of the ranking that a report begins with.
  static func all(of results: RunResults, _ rankings: [ConfigurationRanking]) -> [Decision] {
    if let decisions = results.decisions { return decisions }
    guard let first = rankings.first, let main = first.first else { return [] }
    return [Decision(main.ranking, trace: first.trace)].compactMap { $0 }
  }
}
