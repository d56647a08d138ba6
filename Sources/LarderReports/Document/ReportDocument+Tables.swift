import LarderEngine
import LarderExperiments

extension ReportDocument {
  /// Everything about one configuration.
  static func tables(_ comparison: Comparison, name: String) -> [Block] {
    var blocks: [Block] = [
      .heading(2, [.text("Configuration \(name)")]),
      .paragraph([.text(introduction(comparison))]),
    ]
    blocks += hitRatios(comparison)
    blocks += distanceToBelady(comparison)
    blocks += tiers(comparison)
    blocks += modelled(comparison)
    blocks += staleHits(comparison)
    blocks += writes(comparison)
    return blocks
  }

  private static func introduction(_ comparison: Comparison) -> String {
    let capacities = comparison.columns.map { column in
      "\(column.title) = \(column.description(bytes: comparison.countsBytes))"
    }
    let whose = comparison.kind == .hybrid ? "Capacity of the disk tier" : "Capacity"
    var text = "\(whose): \(capacities.joined(separator: "; "))."
    let seeds = Set(comparison.allRecords.map(\.cell.seed)).count
    if seeds > 1 {
      text += " Values are means over \(seeds) seeds, with the smallest and the largest behind."
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

  private static func hitRatios(_ comparison: Comparison) -> [Block] {
    var blocks: [Block] = [.heading(3, ["Hit ratio, %"])]
    guard comparison.has({ $0.counts.hitRatio }) else {
      return blocks + [.paragraph(["No requests were counted, so there is no hit ratio."])]
    }
    blocks.append(.table(percentages(comparison, .higher) { $0.counts.hitRatio }))
    if comparison.countsBytes, comparison.has({ $0.counts.byteHitRatio }) {
      blocks += [
        .heading(3, ["Byte hit ratio, %"]),
        .table(percentages(comparison, .higher) { $0.counts.byteHitRatio }),
      ]
    }
    return blocks
  }

  private static func percentages(
    _ comparison: Comparison, _ better: ValueTable.Better, of value: @escaping (Record) -> Double?
  ) -> Table {
    ValueTable(comparison: comparison, better: better, value: value) { ratio in
      NumberText.fixed(ratio * 100, decimals: 2)
    }.table
  }

  private static func distanceToBelady(_ comparison: Comparison) -> [Block] {
    guard let belady = comparison.offline.first(where: \.isBelady),
      comparison.has({ $0.counts.hitRatio }), !comparison.competitors.isEmpty
    else { return [] }
    var bounds: [String: [UInt64: Double]] = [:]
    for record in comparison.records(belady) {
      bounds[place(record), default: [:]][record.cell.seed] = record.counts.hitRatio
    }
    let table = ValueTable(
      comparison: comparison, better: .lower, showsOffline: false,
      value: { record in
        guard let bound = bounds[place(record)]?[record.cell.seed] else { return nil }
        return record.counts.hitRatio.map { bound - $0 }
      },
      format: { NumberText.fixed($0 * 100, decimals: 2) })
    let standing =
      comparison.beladyCaveat
      ?? "no policy that stores every object it fetches can have a negative distance"
    let meaning = "How far the hit ratio is below that of Belady's rule: \(standing)."
    return [
      .heading(3, ["Distance to Belady, points"]), .paragraph([.text(meaning)]),
      .table(table.table),
    ]
  }

  /// What tells the capacities of one seed apart.
  private static func place(_ record: Record) -> String {
    let memory = record.cell.memoryCapacity.map { String($0) } ?? ""
    return "\(record.cell.capacity)/\(memory)/\(record.cell.capacityLabel)"
  }

  private static func tiers(_ comparison: Comparison) -> [Block] {
    guard comparison.kind == .hybrid, comparison.has({ $0.counts.hitRatio }) else { return [] }
    return [
      .heading(3, ["Hits in memory, % of requests"]),
      .table(percentages(comparison, .none) { share($0.counts.memoryHits, $0) }),
      .heading(3, ["Hits on disk, % of requests"]),
      .table(percentages(comparison, .none) { share($0.counts.diskHits, $0) }),
    ]
  }

  private static func share(_ part: UInt64, _ record: Record) -> Double? {
    let requests = record.counts.requests
    return requests == 0 ? nil : Double(part) / Double(requests)
  }

  private static func modelled(_ comparison: Comparison) -> [Block] {
    guard comparison.has({ $0.modelled?.meanMicroseconds }) else { return [] }
    func table(_ value: @escaping (ModelledAccessTime) -> Double) -> Block {
      let table = ValueTable(
        comparison: comparison, better: .lower, value: { $0.modelled.map(value) },
        format: { NumberText.fixed($0, decimals: 1) })
      return .table(table.table)
    }
    return [
      .heading(3, ["Access time, microseconds: modelled, not measured"]),
      .paragraph(["Mean:"]), table { $0.meanMicroseconds },
      .paragraph(["99th percentile:"]), table { $0.p99Microseconds },
    ]
  }

  private static func staleHits(_ comparison: Comparison) -> [Block] {
    guard comparison.allRecords.contains(where: { $0.counts.staleHits > 0 }) else { return [] }
    return [
      .heading(3, ["Stale hits, % of requests"]),
      .paragraph([
        "Requests answered with a copy older than the origin's. They are hits in every other table."
      ]),
      .table(percentages(comparison, .lower) { share($0.counts.staleHits, $0) }),
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
