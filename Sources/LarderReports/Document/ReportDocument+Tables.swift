import LarderEngine
import LarderSimulation
import LarderSystem
import LarderWorkloads

extension ReportDocument {
  /// Everything about one configuration.
  static func tables(
    _ comparison: Comparison, name: String, styles: PolicyStyles
  ) -> [Block] {
    let charts = ComparisonCharts(comparison: comparison, name: name, styles: styles)
    var blocks: [Block] = [
      .heading(2, [.text("Configuration \(name)")]),
      .paragraph([.text(introduction(comparison))]),
    ]
    blocks += hitRatios(charts)
    blocks += distanceToBelady(charts)
    blocks += tiers(charts)
    blocks += modelled(charts)
    blocks += staleHits(comparison)
    blocks += writes(comparison)
    return blocks
  }

  private static func introduction(_ comparison: Comparison) -> String {
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
    if let memory = memoryCapacity(comparison) { text += " \(memory)" }
    return text
  }

  private static func memoryCapacity(_ comparison: Comparison) -> String? {
    let capacities = comparison.allRecords.compactMap(\.cell.memoryCapacity)
    guard let low = capacities.min(), let high = capacities.max() else { return nil }
    func amount(_ value: UInt64) -> String {
      NumberText.capacity(value, bytes: comparison.countsBytes)
    }
    let range = low == high ? amount(low) : "\(amount(low)) to \(amount(high))"
    let unit = comparison.countsBytes ? "" : " objects"
    return "The memory tier in front holds \(range)\(unit)."
  }

  private static func hitRatios(_ charts: ComparisonCharts) -> [Block] {
    let comparison = charts.comparison
    var blocks: [Block] = [.heading(3, ["Hit ratio, %"])]
    guard comparison.has({ $0.counts.hitRatio }) else {
      return blocks + [.paragraph(["No requests were counted, so there is no hit ratio."])]
    }
    blocks += chart(
      charts, "hit-ratio",
      .init(title: "hit ratio", name: "hit ratio", unit: .percent, better: .higher) {
        $0.counts.hitRatio
      })
    blocks.append(.table(percentages(comparison, .higher) { $0.counts.hitRatio }))
    if comparison.countsBytes, comparison.has({ $0.counts.byteHitRatio }) {
      blocks += [
        .heading(3, ["Byte hit ratio, %"])
      ]
      blocks += chart(
        charts, "byte-hit-ratio",
        .init(title: "byte hit ratio", name: "byte hit ratio", unit: .percent, better: .higher) {
          $0.counts.byteHitRatio
        })
      blocks += [
        .table(percentages(comparison, .higher) { $0.counts.byteHitRatio })
      ]
    }
    return blocks
  }

  /// The chart of a quantity; nothing where there is none to draw.
  private static func chart(
    _ charts: ComparisonCharts, _ word: String, _ quantity: ComparisonCharts.Quantity
  ) -> [Block] {
    let caption = ComparisonCaption(comparison: charts.comparison).ranking(quantity)
    return charts.figure(word, quantity, caption: caption).map { [.chart($0)] } ?? []
  }

  private static func percentages(
    _ comparison: Comparison, _ better: ValueTable.Better, of value: @escaping (Record) -> Double?
  ) -> Table {
    ValueTable(comparison: comparison, better: better, value: value) { ratio in
      NumberText.fixed(ratio * 100, decimals: 2)
    }.table
  }

  private static func distanceToBelady(_ charts: ComparisonCharts) -> [Block] {
    let comparison = charts.comparison
    guard let belady = comparison.offline.first(where: \.isBelady),
      comparison.has({ $0.counts.hitRatio }), !comparison.competitors.isEmpty
    else { return [] }
    var bounds: [String: [UInt64: Double]] = [:]
    for record in comparison.records(belady) {
      bounds[place(record), default: [:]][record.cell.seed] = record.counts.hitRatio
    }
    let distance = { (record: Record) -> Double? in
      guard let bound = bounds[place(record)]?[record.cell.seed] else { return nil }
      return record.counts.hitRatio.map { bound - $0 }
    }
    let table = ValueTable(
      comparison: comparison, better: .lower, showsOffline: false, value: distance,
      format: { NumberText.fixed($0 * 100, decimals: 2) })
    let standing =
      comparison.beladyCaveat
      ?? "no policy that stores every fetched object can have a negative distance"
    let meaning = "The difference to the hit ratio of Belady's algorithm: \(standing)."
    let drawing = chart(
      charts, "distance",
      .init(
        title: "distance to Belady, points", name: "distance to Belady's algorithm", unit: .points,
        better: .lower, showsOffline: false, value: distance))
    return [.heading(3, ["Distance to Belady, points"]), .paragraph([.text(meaning)])]
      + drawing + [.table(table.table)]
  }

  /// What tells the capacities of one seed apart.
  private static func place(_ record: Record) -> String {
    let memory = record.cell.memoryCapacity.map { String($0) } ?? ""
    return "\(record.cell.capacity)/\(memory)/\(record.cell.capacityLabel)"
  }

  private static func tiers(_ charts: ComparisonCharts) -> [Block] {
    let comparison = charts.comparison
    guard comparison.kind == .hybrid, comparison.has({ $0.counts.hitRatio }) else { return [] }
    let caption = ComparisonCaption(comparison: comparison).tiers()
    let drawing = charts.tiers(caption: caption).map { figure -> [Block] in
      [.heading(3, ["Hits by tier"]), .chart(figure)]
    }
    return (drawing ?? []) + [
      .heading(3, ["Hits in memory, % of requests"]),
      .table(percentages(comparison, .none) { $0.share(\.memoryHits) }),
      .heading(3, ["Hits on disk, % of requests"]),
      .table(percentages(comparison, .none) { $0.share(\.diskHits) }),
    ]
  }

  private static func modelled(_ charts: ComparisonCharts) -> [Block] {
    let comparison = charts.comparison
    guard comparison.has({ $0.modelled?.meanMicroseconds }) else { return [] }
    func table(_ value: @escaping (ModelledAccessTime) -> Double) -> Block {
      let table = ValueTable(
        comparison: comparison, better: .lower, value: { $0.modelled.map(value) },
        format: { NumberText.fixed($0, decimals: 1) })
      return .table(table.table)
    }
    let drawing = chart(
      charts, "access-time",
      .init(
        title: "mean access time: modelled, not measured", name: "modelled mean access time",
        unit: .nanoseconds, better: .lower,
        value: { $0.modelled.map { $0.meanMicroseconds * 1000 } }
      ))
    return [.heading(3, ["Access time, microseconds: modelled, not measured"])] + drawing + [
      .paragraph(["Mean:"]), table { $0.meanMicroseconds },
      .paragraph(["99th percentile:"]), table { $0.p99Microseconds },
    ]
  }

  private static func staleHits(_ comparison: Comparison) -> [Block] {
    guard comparison.allRecords.contains(where: { $0.counts.staleHits > 0 }) else { return [] }
    return [
      .heading(3, ["Stale hits, % of requests"]),
      .paragraph([
        "Requests that returned a copy older than the origin's; they are hits in all other tables."
      ]),
      .table(percentages(comparison, .lower) { $0.share(\.staleHits) }),
    ]
  }

  private static func writes(_ comparison: Comparison) -> [Block] {
    func whole(
      _ value: @escaping (Counts) -> UInt64, better: ValueTable.Better, bytes: Bool = false
    ) -> Block {
      let table = ValueTable(
        comparison: comparison, better: better,
        value: { record in record.tierCounts(value).map { Double($0) } },
        format: { mean in
          guard let number = UInt64(exactly: mean.rounded()) else { return nil }
          return bytes ? NumberText.bytes(number) : NumberText.grouped(number)
        })
      return .table(table.table)
    }
    var blocks: [Block] = []
    guard comparison.allRecords.contains(where: \.knowsTiers) else { return blocks }
    if comparison.kind != .memory {
      let unit = comparison.countsBytes ? "bytes" : "objects"
      blocks += [
        .heading(3, [.text("Written to disk, \(unit)")]),
        whole({ $0.disk.bytesWritten }, better: .lower, bytes: comparison.countsBytes),
      ]
    }
    return blocks + [.heading(3, ["Evictions"]), whole({ $0.evictions }, better: .none)]
  }
}
