import LarderEngine
import LarderTraces

extension Advisor {
  /// Maximum number of finalists that a bootstrap compares, including LRU.
  private static let comparedMax = 6
  /// Maximum number of parts of the objects, from which samples are drawn: a power of two.
  private static let partsMax: UInt32 = 16
  /// Number of samples drawn with replacement.
  private static let resamples = 1000

  /// Stability of a finding.
  func stability(_ finding: CapacityFinding) throws -> Stability {
    let results = finding.finalists.map(\.result)
    let bests = (0..<2).map { half in
      results.indices.max { results[$0].halves[half] < results[$1].halves[half] } ?? 0
    }
    func losses(_ place: Int) -> [Double] {
      (0..<2).map { (results[bests[$0]].halves[$0] - results[place].halves[$0]) * 100 }
    }
    let disagreement = max(losses(bests[0])[1], losses(bests[1])[0])
    let worst = results.indices.map { losses($0).max() ?? 0 }
    let safest = worst.indices.min { worst[$0] < worst[$1] } ?? 0
    var stability = Stability(
      halves: bests.map { results[$0] }, disagreementPoints: disagreement,
      changes: disagreement > AdviceSettings.unstablePoints, safest: results[safest],
      safestLossPoints: worst[safest],
      auto: finding.finalists.first { $0.candidate.description == "auto" }?.result)
    // Parts of the objects would divide prompts.
    if settings.prefix == nil { try bootstrap(finding, &stability) }
    return stability
  }

  /// A bootstrap over disjoint parts of the objects (Efron, Bootstrap methods: another look at the
  /// jackknife, Annals of Statistics 1979): measures the dependence of the choice on single
  /// objects. Parts in which the cache would hold too few objects are merged.
  private func bootstrap(_ finding: CapacityFinding, _ stability: inout Stability) throws {
    var compared = finding.finalists.filter { $0.candidate != finding.chosen }
      .filter { $0.candidate.description != "lru" }.prefix(Self.comparedMax).map(\.candidate)
    let lru = Candidate(policy: try PolicySpec(parsing: "lru"))
    compared = [finding.chosen] + compared + [lru]
    let sample = try mini(
      runs: compared.count, of: compared, smallest: finding.advice.capacity)
    let meanSize = Double(footprint) / Double(max(1, trace.storableObjects))
    let held = Double(finding.advice.capacity) * sample.rate / max(1, meanSize)
    var parts = Self.partsMax
    while parts > 4, held / Double(parts) < Search.scaledObjectsMin / 2 { parts /= 2 }
    guard held / Double(parts) >= Search.scaledObjectsMin / 2 else { return }
    let whole = SpatialSample(rate: 1)
    var jobs: [Replayer.Job] = []
    began(
      "Bootstrap over \(parts) parts of the objects", sample.trace.requests.count * compared.count)
    for part in 0..<parts {
      let own = try MiniTrace(
        of: sample.trace, sample: whole.part(part, of: parts), ends: sample.ends)
      for candidate in compared {
        let tier = try candidate.tier(
          capacity: finding.advice.capacity, rate: sample.rate / Double(parts))
        jobs.append(Replayer.Job(arrangement: .memory(tier), trace: own))
      }
    }
    let counts = try replayer.run(jobs)
    let hits = (0..<Int(parts)).map { part in
      compared.indices.map { place in
        counts[part * compared.count + place][segments.scored].reduce(0) { $0 + Double($1.hits) }
      }
    }
    let gets = (0..<Int(parts)).map { part in
      counts[part * compared.count][segments.scored].reduce(0) { $0 + Double($1.requests) }
    }
    let exact = compared.map { candidate in
      finding.finalists.first { $0.candidate == candidate }?.result.hitRatio ?? 0
    }
    resample(hits, gets, exact, &stability)
  }

  /// Draws parts with replacement. Hit ratios of parts differ from those of the whole trace, so
  /// only their variation is used, around the exact differences.
  private func resample(
    _ hits: [[Double]], _ gets: [Double], _ exact: [Double], _ stability: inout Stability
  ) {
    let all = gets.reduce(0, +)
    guard all > 0, let lru = exact.indices.last else { return }
    let means = exact.indices.map { place in hits.reduce(0) { $0 + $1[place] } / all }
    var random = SeededGenerator(seed: settings.seed ^ 0x626f_6f74)
    var advantages: [Double] = []
    var confirmed = 0
    for _ in 0..<Self.resamples {
      var sums = [Double](repeating: 0, count: exact.count)
      var drawn = 0.0
      for _ in hits.indices {
        let part = Int(random.next() % UInt64(hits.count))
        for place in exact.indices { sums[place] += hits[part][place] }
        drawn += gets[part]
      }
      guard drawn > 0 else { continue }
      // Hit ratio above LRU, by candidate.
      let points = exact.indices.map { place in
        let varied = (sums[place] - sums[lru]) / drawn - (means[place] - means[lru])
        return exact[place] - exact[lru] + varied
      }
      advantages.append(points[0] * 100)
      if !Choice.isBetter(points.max() ?? 0, than: points[0]) { confirmed += 1 }
    }
    guard !advantages.isEmpty else { return }
    advantages.sort()
    let last = Double(advantages.count - 1)
    stability.advantage = Stability.Interval(
      estimate: (exact[0] - exact[lru]) * 100, low: advantages[Int(0.025 * last)],
      high: advantages[Int((0.975 * last).rounded(.up))])
    stability.confirmedShare = Double(confirmed) / Double(advantages.count)
  }
}
