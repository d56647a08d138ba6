import LarderSimulation
import LarderSystem
import LarderWorkloads

/// What executed runs say about speed: which real cache answers the most requests, and whether
/// threads helped.
struct ThroughputAdvice {
  private let rows: [ExecutedRow]

  /// A cache is slower with more threads when its throughput falls by more than this part.
  private static let slowdown = 0.03
  private static let namesMax = 5

  /// The advice on executed runs.
  init(_ rows: [ExecutedRow]) { self.rows = rows }

  /// A cache at a capacity, with its throughput in words.
  struct Rate {
    let row: ExecutedRow
    let perSecond: Double
    var rate: String {
      ChartText.scaled(perSecond, by: 1000, units: ["", " thousand", " million", " billion"])
    }
  }

  /// The rows with the fewest threads, the fastest first.
  private func rates(_ kind: ConfigurationKind? = nil) -> [Rate] {
    let shown = rows.filter { kind == nil || $0.cell.kind == kind }
    let threads = shown.map(\.threads).min()
    return shown.filter { $0.threads == threads }.compactMap { row in
      row.requestsPerSecond.map { Rate(row: row, perSecond: $0.median) }
    }.sorted(byKey: { -$0.perSecond })
  }

  /// The fastest with the fewest threads.
  var fastest: Rate? { rates().first }

  /// Throughput by kind of cache: memory and disk are not comparable.
  var line: [Inline] {
    let kinds = ConfigurationKind.allCases.map { rates($0) }.filter { !$0.isEmpty }
    guard let first = kinds.first?.first else { return [] }
    let parts = kinds.map { rates -> [Inline] in
      let told = rates.prefix(kinds.count > 1 ? 2 : Self.namesMax).map { rate -> [Inline] in
        [.strong(name(rate.row)), .text(" \(rate.rate)")]
      }
      return Inline.joined(told, ", ")
    }
    let threads = first.row.threads == 1 ? "one thread" : "\(first.row.threads) threads"
    let all = rates()
    let verb = all.count > 1 ? "fastest first, " : ""
    return [.strong("Measured"), .text(", \(verb)requests/s with \(threads): ")]
      + Inline.joined(parts, "; ") + slowest(all, kinds) + ["."]
  }

  /// The slowest of one kind, where not all are told.
  private func slowest(_ all: [Rate], _ kinds: [[Rate]]) -> [Inline] {
    guard kinds.count == 1, all.count > Self.namesMax, let last = all.last else { return [] }
    return ["; the slowest is ", .strong(name(last.row)), .text(" \(last.rate)")]
  }

  private func name(_ row: ExecutedRow) -> String {
    let same = rows.filter { $0.name == row.name }
    var name = row.name
    if Set(same.map(\.cell.capacityLabel)).count > 1 { name += " at \(row.cell.capacityLabel)" }
    if Set(rows.map(\.cell.trace)).count > 1 { name += " (\(row.cell.trace))" }
    return name
  }

  /// That more threads were slower than one.
  var warnings: [[Inline]] {
    let slower = rows.filter { row in
      guard row.threads > 1, let own = row.requestsPerSecond?.median,
        let one = rows.first(where: { $0.threads == 1 && isSame($0, row) })?.requestsPerSecond
      else { return false }
      return own < one.median * (1 - Self.slowdown)
    }
    guard let first = slower.first else { return [] }
    var seen: Set<String> = []
    let names = slower.map { name($0) }.filter { seen.insert($0).inserted }
    let shown: [Inline] =
      names.count > 3
      ? [.text("\(names.count) caches")] : Inline.names(names.map { .strong($0) })
    return [
      [.text("\(first.threads) threads were slower than one in ")] + shown
        + [": the machine may have been busy, or threads wait for each other."]
    ]
  }

  private func isSame(_ left: ExecutedRow, _ right: ExecutedRow) -> Bool {
    left.cell.trace == right.cell.trace && left.cell.configuration == right.cell.configuration
      && left.cell.policy == right.cell.policy
      && left.cell.capacityLabel == right.cell.capacityLabel
  }
}
