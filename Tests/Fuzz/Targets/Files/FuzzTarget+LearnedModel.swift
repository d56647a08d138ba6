import LarderEngine
import LarderLearning

extension FuzzTarget {
  /// The text of a model in LightGBM's format; the first byte is the number of features. An
  /// accepted model must predict rows in batches as it does one by one.
  static let learnedModel = FuzzTarget("learned-model", lengthMax: 8192) { input in
    let features = 1 + Int(input.first ?? 0) % 64
    let text = String(decoding: input.dropFirst(), as: UTF8.self)
    let model = try accepted(or: BoostingError.self) {
      try ModelText.trees(text, features: features)
    }
    guard let model else { return }
    let values: [Float] = [0, 1, -1, .infinity, -.infinity, .greatestFiniteMagnitude]
    let rows = values.map { [Float](repeating: $0, count: features) }
    let scores = model.predictions(for: rows)
    try require(scores.count == rows.count, "\(scores.count) scores of \(rows.count) rows")
    // Rows are predicted four at a time, and the rest one by one.
    for (row, score) in zip(rows, scores) {
      let alone = model.predictions(for: [row])[0]
      try require(
        alone == score || alone.isNaN && score.isNaN, "\(row[0]): \(score), alone \(alone)")
    }
  }
}
