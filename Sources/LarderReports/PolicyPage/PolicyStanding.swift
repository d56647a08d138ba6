import LarderSimulation

/// How one policy did beside the others in several runs.
struct PolicyStanding {
  /// A difference to LRU and where it was found.
  struct Difference {
    /// Percentage points of hit ratio.
    var points: Double
    /// The run and the capacity.
    var place: String
  }

  /// Cells in which it was run beside LRU.
  private(set) var cells = 0
  /// Cells in which no policy had more hits, of those that do not know the future.
  private(set) var bestIn: [String] = []
  private var gains: [Difference] = []
  private var times: [Double] = []
  private var bytes: [Double] = []

  /// Mean difference to LRU's hit ratio, percentage points.
  var gainMean: Double? {
    gains.isEmpty ? nil : gains.map(\.points).reduce(0, +) / Double(gains.count)
  }
  /// Where it was furthest above LRU.
  var largestGain: Difference? { gains.max { $0.points < $1.points } }
  /// Where it was furthest below LRU.
  var largestLoss: Difference? { gains.min { $0.points < $1.points } }
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
      comparison.spread(policy, column) { $0.counts.hitRatio }?.mean
    }
    let lru = comparison.policies.first { $0.text == "lru" }
    guard let lru, let base = hitRatio(lru) else { return }
    let lruTime = seconds(comparison.records(lru, column))
    let best = ranking.columns[column].best
    for policy in comparison.policies {
      guard let ratio = hitRatio(policy) else { continue }
      var standing = standings[policy.text] ?? PolicyStanding()
      standing.cells += 1
      standing.gains.append(Difference(points: (ratio - base) * 100, place: place))
      if best.contains(policy) { standing.bestIn.append(place) }
      let records = comparison.records(policy, column)
      if let lruTime, let time = seconds(records) { standing.times.append(time / lruTime) }
      standing.bytes += records.compactMap { $0.timings.first?.memoryBytesPerObject }
      standings[policy.text] = standing
    }
  }

  /// Seconds that a cell took: the median over repetitions and seeds.
  private static func seconds(_ records: [Record]) -> Double? {
    median(records.flatMap { $0.timings.map(\.seconds) }).flatMap { $0 > 0 ? $0 : nil }
  }

  private static func median(_ values: [Double]) -> Double? { Spread(values)?.median }
}
