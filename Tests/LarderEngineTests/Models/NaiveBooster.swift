import LarderEngine

/// A stand-in for a gradient boosting library: three small trees, computed from the rows by simple
/// arithmetic.
///
/// Tree t of seed s splits by feature (5 t + s) modulo the number of features, at its mean, and the
/// low side by the next feature, at its mean. A leaf outputs a third of the mean label of its rows.
enum NaiveBooster {
  static let boosting = GradientBoosting(name: "stand-in") {
    (rows, parameters) throws(BoostingError) in
    let features = rows.features
    let table = (0..<rows.count).map { row in
      Array(rows.values[row * features..<(row + 1) * features])
    }
    return try BoostedTrees(
      trees(table, rows.labels, seed: Int(parameters.seed)), features: features)
  }

  static func trees(_ rows: [[Float]], _ labels: [Float], seed: Int) -> [BoostedTrees.Tree] {
    let features = rows[0].count
    return (0..<3).map { number in
      let first = (number * 5 + seed) % features
      let second = (first + 1) % features
      func mean(_ feature: Int) -> Double {
        rows.reduce(0) { $0 + Double($1[feature]) } / Double(rows.count)
      }
      let thresholds = [mean(first), mean(second)]
      var (sums, counts) = ([0.0, 0, 0], [0.0, 0, 0])
      for (row, label) in zip(rows, labels) {
        let isLow = Double(row[first]) <= thresholds[0]
        let leaf = isLow ? (Double(row[second]) <= thresholds[1] ? 0 : 1) : 2
        sums[leaf] += Double(label)
        counts[leaf] += 1
      }
      let leaves = (0..<3).map { counts[$0] == 0 ? 0 : sums[$0] / counts[$0] / 3 }
      return BoostedTrees.Tree(
        splits: [
          BoostedTrees.Split(feature: first, threshold: thresholds[0], low: 1, high: ~2),
          BoostedTrees.Split(feature: second, threshold: thresholds[1], low: ~0, high: ~1),
        ], leaves: leaves)
    }
  }

  static func predict(_ trees: [BoostedTrees.Tree], _ row: [Float]) -> Double {
    trees.reduce(0) { sum, tree in
      var place = tree.splits.isEmpty ? ~0 : 0
      while place >= 0 {
        let split = tree.splits[place]
        place = Double(row[split.feature]) <= split.threshold ? split.low : split.high
      }
      return sum + tree.leaves[~place]
    }
  }
}
