import LarderEngine
import LarderSimulation
import LarderSystem
import LarderWorkloads

/// A configuration at one capacity, over all seeds.
struct Design {
  /// The records, one a seed.
  let records: [Record]
  /// A preset's limits in words.
  let limits: String?
  /// One of the cells, for what all have in common.
  var cell: Cell { records[0].cell }

  /// A metric of designs.
  struct Column: Sendable {
    /// What stands above it.
    let title: String
    /// Its best value in words.
    let superlative: String
    /// Which end is marked.
    let better: Better
    /// A value with its unit.
    var text: @Sendable (Double) -> String = { ChartUnit.percent.value($0 / 100) }
    /// A value in a table, whose title has the unit.
    var cell: @Sendable (Double) -> String? = { NumberText.fixed($0, decimals: 2) }
    /// The metric; nil where it does not exist.
    let value: @Sendable (Design) -> Double?
  }

  /// The quantities that tell designs apart: hits of prefixes first where all count them.
  static func columns(ofPrefixes: Bool) -> [Column] {
    (ofPrefixes ? prefixColumns : [hitRatio]) + otherColumns
  }

  private static let hitRatio = Column(
    title: "hit ratio, %", superlative: "the highest hit ratio", better: .higher
  ) { design in
    design.mean { $0.counts.hitRatio.map { $0 * 100 } }
  }

  private static let prefixColumns = [
    Column(
      title: "prefix hit ratio, %", superlative: "the highest prefix hit ratio", better: .higher
    ) { design in
      design.mean { $0.prefixHitRatio.map { $0 * 100 } }
    },
    Column(
      title: "tokens not computed, %", superlative: "the most tokens not computed", better: .higher
    ) { design in
      design.mean { $0.prefix?.tokenShare.map { $0 * 100 } }
    },
    Column(title: "block hit ratio, %", superlative: "", better: .none) { design in
      design.mean { $0.counts.hitRatio.map { $0 * 100 } }
    },
  ]

  private static let otherColumns = [
    Column(title: "in memory, %", superlative: "", better: .none) { design in
      design.cell.kind == .hybrid ? design.share { $0.memoryHits } : nil
    },
    Column(title: "on disk, %", superlative: "", better: .none) { design in
      design.cell.kind == .hybrid ? design.share { $0.diskHits } : nil
    },
    Column(
      title: "byte hit ratio, %", superlative: "the highest byte hit ratio", better: .higher
    ) { design in
      design.cell.unit == .bytes ? design.mean { $0.counts.byteHitRatio.map { $0 * 100 } } : nil
    },
    Column(
      title: "stale, %", superlative: "the smallest share of stale hits", better: .lower
    ) { design in
      design.share { $0.staleHits }
    },
    Column(
      title: "mean access, modelled",
      superlative: "the shortest modelled (not measured) mean access", better: .lower,
      text: { ChartUnit.nanoseconds.value($0) }, cell: { ChartUnit.nanoseconds.value($0) },
      value: { $0.mean(Metric.accessTime.value) }),
  ]

  /// The capacity; for two tiers, that of each.
  var capacity: String {
    if let limits { return limits }
    let bytes = cell.unit == .bytes
    let own = NumberText.capacity(cell.capacity, bytes: bytes)
    return cell.memoryCapacity.map { "\(NumberText.capacity($0, bytes: bytes)) before \(own)" }
      ?? own
  }

  /// The mean of a metric over the seeds; nil where one does not have it.
  func mean(_ value: (Record) -> Double?) -> Double? {
    let values = records.compactMap(value)
    return values.count == records.count ? Spread(values)?.mean : nil
  }

  /// A part of the requests, in per cent.
  func share(_ value: (Counts) -> UInt64) -> Double? {
    mean { record in
      record.counts.requests == 0
        ? nil : Double(value(record.counts)) / Double(record.counts.requests) * 100
    }
  }
}
