extension Advisor {
  func stability(_ finding: CapacityFinding) -> Stability {
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
    return Stability(
      halves: bests.map { results[$0] }, disagreementPoints: disagreement,
      changes: disagreement > AdviceSettings.unstablePoints, safest: results[safest],
      safestLossPoints: worst[safest],
      auto: finding.finalists.first { $0.candidate.description == "auto" }?.result)
  }
}
