import LarderEngine
import LarderSimulation
import LarderSystem
import LarderWorkloads

/// The charts and tables of one configuration.
struct ConfigurationTables {
  /// The configuration over one trace.
  let comparison: Comparison
  /// Its name, with the trace where there are several.
  let name: String
  /// True for the one whose hit ratios stand beside the recommendation.
  let isMain: Bool
  /// The configuration whose hits are the same; nil where none before this has them.
  let same: String?
  let styles: PolicyStyles

  private var charts: ComparisonCharts {
    ComparisonCharts(comparison: comparison, name: name, styles: styles)
  }

  /// Those of all configurations, in the order of the plan.
  static func all(_ rankings: [ConfigurationRanking], styles: PolicyStyles)
    -> [ConfigurationTables]
  {
    let severalTraces = rankings.count > 1
    return rankings.enumerated().flatMap { number, ranking in
      ranking.entries.flatMap { entry in
        entry.comparisons.enumerated().map { place, comparison in
          ConfigurationTables(
            comparison: comparison,
            name: ReportDocument.name(of: comparison, severalTraces: severalTraces),
            isMain: number == 0 && place == 0
              && ranking.first?.comparison.configuration == comparison.configuration
              && ranking.first?.comparison.countsBytes == comparison.countsBytes,
            same: place == 0 ? nil : entry.comparison.configuration, styles: styles)
        }
      }
    }
  }

  /// The hit ratios: what a recommendation rests on.
  var front: [Block] { [.heading(3, [.text("\(ratioTitle): \(name)")])] + hitRatios }

  /// Everything else about the configuration, after the hit ratios unless they stand elsewhere.
  func blocks(withFront: Bool) -> [Block] {
    var blocks: [Block] = [.paragraph([.text(introduction)])]
    if let same {
      blocks.append(
        .paragraph(["Its hit ratios are those of ", .strong(same), ", and so are its bounds."]))
    } else {
      if withFront { blocks += [.heading(3, [.text(ratioTitle)])] + hitRatios }
      if comparison.countsBytes {
        blocks += section("Byte hit ratio, %", "byte-hit-ratio", .byteHitRatio)
      }
      blocks += distanceToBelady
    }
    return blocks + tiers + modelled + staleHits + writes
  }

  private var introduction: String {
    // What is no share says itself how much it is.
    let capacities = comparison.columns.map { column in
      let amount = column.description(bytes: comparison.countsBytes)
      return column.title.hasSuffix("%") ? "\(column.title) = \(amount)" : amount
    }
    let whose = comparison.kind == .hybrid ? "Capacity of the disk tier" : "Capacity"
    var text = "\(whose): \(capacities.joined(separator: "; "))."
    let seeds = Set(comparison.allRecords.map(\.cell.seed)).count
    if seeds > 1 {
      text += " Values are means over \(seeds) seeds, followed by the smallest and the largest."
    }
    if let memory = memoryCapacity { text += " \(memory)" }
    return text
  }

  private var memoryCapacity: String? {
    let capacities = comparison.allRecords.compactMap(\.cell.memoryCapacity)
    guard let low = capacities.min(), let high = capacities.max() else { return nil }
    func amount(_ value: UInt64) -> String {
      NumberText.capacity(value, bytes: comparison.countsBytes)
    }
    let range = low == high ? amount(low) : "\(amount(low)) to \(amount(high))"
    let unit = comparison.countsBytes ? "" : " objects"
    return "The memory tier in front holds \(range)\(unit)."
  }

  private var hitRatios: [Block] {
    guard comparison.has(comparison.mainMetric.value) else {
      return [.paragraph(["No requests were counted, so there is no hit ratio."])]
    }
    return chart("hit-ratio", comparison.mainMetric) + [table(comparison.mainMetric)]
      + comparison.hitMetrics.dropFirst().flatMap { metric in
        section("\(metric.title.prefix(1).uppercased())\(metric.title.dropFirst()), %", nil, metric)
      }
  }

  private var ratioTitle: String {
    comparison.hasPrefixes ? "Prefix hit ratio, %" : "Hit ratio, %"
  }

  /// The chart of a metric; nothing where there is none to draw.
  private func chart(_ word: String, _ metric: Metric) -> [Block] {
    charts.figure(word, metric).map { [.chart($0)] } ?? []
  }

  private func table(_ metric: Metric) -> Block {
    .table(ValueTable(comparison: comparison, metric: metric).table)
  }

  /// A heading, a chart where `word` names it, and a table; nothing where nothing has the metric.
  private func section(_ title: String, _ word: String?, _ metric: Metric) -> [Block] {
    guard comparison.has(metric.value) else { return [] }
    let chart = word.map { self.chart($0, metric) } ?? []
    return [.heading(3, [.text(title)])] + chart + [table(metric)]
  }

  private var distanceToBelady: [Block] {
    guard let belady = comparison.offline.first(where: \.isBelady),
      comparison.has(comparison.mainMetric.value), !comparison.competitors.isEmpty
    else { return [] }
    let ratio = comparison.mainMetric
    var bounds: [String: [UInt64: Double]] = [:]
    for record in comparison.records(belady) {
      bounds[Self.place(record), default: [:]][record.cell.seed] = ratio.value(record)
    }
    let distances = bounds
    let metric = Metric(
      title: "distance to Belady, points", name: "distance to Belady's algorithm", unit: .points,
      better: .lower, showsOffline: false
    ) { record in
      guard let bound = distances[Self.place(record)]?[record.cell.seed] else { return nil }
      return ratio.value(record).map { bound - $0 }
    }
    let standing =
      comparison.beladyCaveat
      ?? "no policy that stores every fetched object can have a negative distance"
    let meaning =
      "The difference to the hit ratio of Belady's algorithm, which knows the future: \(standing)."
    return [.heading(3, ["Distance to Belady, points"]), .paragraph([.text(meaning)])]
      + chart("distance", metric) + [table(metric)]
  }

  /// What tells the capacities of one seed apart.
  private static func place(_ record: Record) -> String {
    let memory = record.cell.memoryCapacity.map { String($0) } ?? ""
    return "\(record.cell.capacity)/\(memory)/\(record.cell.capacityLabel)"
  }

  private var tiers: [Block] {
    guard comparison.kind == .hybrid, comparison.has(Metric.hitRatio.value) else { return [] }
    let drawing = charts.tiers.map { [.heading(3, ["Hits by tier"]), .chart($0)] } ?? [Block]()
    return drawing
      + section("Hits in memory, % of requests", nil, .share("hits in memory") { $0.memoryHits })
      + section("Hits on disk, % of requests", nil, .share("hits on disk") { $0.diskHits })
  }

  private var modelled: [Block] {
    let p99 = Metric(title: "", name: "99th percentile", unit: .nanoseconds, better: .lower) {
      $0.modelled.map { $0.p99Microseconds * 1000 }
    }
    return section("Mean access time: modelled, not measured", "access-time", .accessTime)
      + section("99th percentile of the access time: modelled, not measured", nil, p99)
  }

  private var staleHits: [Block] {
    guard comparison.allRecords.contains(where: { $0.counts.staleHits > 0 }) else { return [] }
    return [
      .heading(3, ["Stale hits, % of requests"]),
      .paragraph([
        "Requests that returned a copy older than the origin's; they are hits in all other tables."
      ]),
      table(.share("stale hits", .lower) { $0.staleHits }),
    ]
  }

  private var writes: [Block] {
    func whole(
      _ unit: ChartUnit, _ better: Better, of value: @escaping @Sendable (Counts) -> UInt64
    ) -> Metric {
      Metric(title: "", name: "", unit: unit, better: better) { record in
        record.tierCounts(value).map { Double($0) }
      }
    }
    let unit: ChartUnit = comparison.countsBytes ? .bytes : .objects
    let written =
      comparison.kind == .memory
      ? []
      : section(
        "Written to disk, \(comparison.countsBytes ? "bytes" : "objects")", nil,
        whole(unit, .lower) { $0.disk.bytesWritten })
    return written + section("Evictions", nil, whole(.objects, .none) { $0.evictions })
  }
}
