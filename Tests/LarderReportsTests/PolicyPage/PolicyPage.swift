import LarderEngine
import LarderExperiments
import LarderSupport

@testable import LarderReports

/// The page that describes every policy: what it says of itself, and how it did in some kept runs.
///
/// Pure text: the same descriptions and results give the same page. Results that lack a policy
/// leave its figures out, so that a new policy has a place before it has been measured.
struct PolicyPage {
  private let policies: [PolicyDescription]
  private let standings: [String: PolicyStanding]
  private let workloads: [String]
  private let machine: String?

  /// The page on `policies` with their standing in `results`, each a run of all of them.
  init(_ policies: [PolicyDescription], _ results: [RunResults]) {
    self.policies = policies
    standings = PolicyStanding.all(in: results)
    workloads = results.map { run in
      run.workloadDescription.isEmpty
        ? run.workload : "\(run.workload): \(run.workloadDescription)"
    }
    machine = results.first?.machine.summary
  }

  /// The page as Markdown.
  var markdown: String {
    var blocks: [Block] = [
      .heading(1, "Policies"),
      .paragraph(
        """
        Made by \(code: "make figures PART=policies") from the descriptions of the policies \
        (\(code: "larder list policies")) and from kept runs of every policy on the same requests:
        """),
    ]
    if !workloads.isEmpty {
      let measured = machine.map { "Measured on \($0)." } ?? ""
      blocks += [
        .list(workloads.map { Line(text: $0) }),
        .paragraph(
          """
          Hit ratios relative to LRU are means over all cells, in percentage points. Time is that \
          of a simulated request, as a multiple of LRU's in the same cell: the median over cells \
          of medians over repetitions without the first. Memory is that of a simulation per \
          distinct object of the trace (median). A parameter is explained where it first appears. \
          \(measured)
          """),
      ]
    }
    blocks.append(.table(overview))
    var explained: Set<String> = []
    for policy in policies { blocks += section(policy, &explained) }
    return MarkdownMarkup().text(of: blocks)
  }

  private var overview: Table {
    Table(
      policies,
      [
        .init("policy") { .code($0.name) }, .init("family") { .text($0.family.rawValue) },
        .init("relative to LRU") { Table.text(gainMean(standings[$0.name]).map(pointsText)) },
        .init("best at") { policy in
          Table.text(standings[policy.name].map { "\($0.bestIn.count) of \($0.cells)" })
        },
        .init("time") { Table.number(standings[$0.name]?.timeAgainstLRU, 1) },
        .init("bytes per object") { Table.number(standings[$0.name]?.bytesPerObject, 1) },
      ])
  }

  /// A parameter is explained where it first appears.
  private func section(
    _ policy: PolicyDescription, _ explained: inout Set<String>
  ) -> [Block] {
    var blocks: [Block] = [
      .heading(2, Line(text: policy.name)), .paragraph(Line(text: policy.summary)),
    ]
    var facts: [Line] = []
    if !policy.needs.names.isEmpty {
      facts.append("Needs: \(policy.needs.names.joined(separator: ", ")).")
    }
    if policy.isRandom { facts.append("Random.") }
    for parameter in policy.parameters {
      let value = "\(parameter.name)=\(parameter.defaultValue)"
      let isNew = explained.insert("\(value): \(parameter.summary)").inserted
      facts.append("\(code: value)\(isNew ? ": \(parameter.summary)." : ".")")
    }
    facts.append("\(policy.paper).")
    blocks.append(.list(facts))
    return blocks
  }

  /// Nil for a policy that was not run in as many cells as LRU: the means would not compare.
  private func gainMean(_ standing: PolicyStanding?) -> Double? {
    guard let standing, standing.cells == standings["lru"]?.cells else { return nil }
    return standing.gainMean
  }

  private func pointsText(_ value: Double) -> String {
    let text = NumberText.fixed(value, decimals: 2) ?? ""
    return value > 0 && text != "0.00" ? "+\(text)" : text
  }
}

/// Results of one policy, compared with the others, in several runs.
struct PolicyStanding {
  private(set) var cells = 0
  /// Cells in which no policy had more hits, of those that do not know the future.
  private(set) var bestIn: [String] = []
  /// Differences to LRU, in percentage points.
  private var gains: [Double] = []
  private var times: [Double] = []
  private var bytes: [Double] = []

  var gainMean: Double? { gains.isEmpty ? nil : gains.reduce(0, +) / Double(gains.count) }
  /// Time of a request as a multiple of LRU's: the median over the cells.
  var timeAgainstLRU: Double? { Self.median(times) }
  /// Memory for each distinct object: the median over the cells.
  var bytesPerObject: Double? { Self.median(bytes) }

  /// The standings of all policies in some runs, by name. Cells without an `lru` beside them are
  /// passed over. Linear in the number of records but for sorting.
  static func all(in results: [RunResults]) -> [String: PolicyStanding] {
    var standings: [String: PolicyStanding] = [:]
    for run in results {
      for comparison in Comparison.all(in: run.records) {
        let ranking = Ranking(comparison)
        for column in comparison.columns.indices {
          let place = "\(run.workload) at \(comparison.columns[column].title)"
          note(ranking, column, place, in: &standings)
        }
      }
    }
    return standings
  }

  private static func note(
    _ ranking: Ranking, _ column: Int, _ place: String,
    in standings: inout [String: PolicyStanding]
  ) {
    let comparison = ranking.comparison
    func hitRatio(_ policy: PolicyName) -> Double? {
      comparison.spread(policy, column, of: Metric.hitRatio.value)?.mean
    }
    let lru = comparison.policies.first { $0.text == "lru" }
    guard let lru, let base = hitRatio(lru) else { return }
    let lruTime = seconds(comparison.records(lru, column))
    let best = ranking.best(column)
    for policy in comparison.policies {
      guard let ratio = hitRatio(policy) else { continue }
      var standing = standings[policy.text] ?? PolicyStanding()
      standing.cells += 1
      standing.gains.append((ratio - base) * 100)
      if best.contains(policy) { standing.bestIn.append(place) }
      let records = comparison.records(policy, column)
      if let lruTime, let time = seconds(records) { standing.times.append(time / lruTime) }
      standing.bytes += records.compactMap { $0.timings.first?.memoryBytesPerObject }
      standings[policy.text] = standing
    }
  }

  /// Seconds that a cell took: the median over repetitions and seeds. The first of several
  /// repetitions is left out, because it runs while caches and processor are cold.
  private static func seconds(_ records: [Record]) -> Double? {
    let seconds = records.flatMap { record in
      record.timings.dropFirst(record.timings.count > 1 ? 1 : 0).map(\.seconds)
    }
    return median(seconds).flatMap { $0 > 0 ? $0 : nil }
  }

  private static func median(_ values: [Double]) -> Double? { Spread(values)?.median }
}
