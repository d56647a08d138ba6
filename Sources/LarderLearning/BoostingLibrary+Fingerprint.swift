import LarderEngine

/// What tells one version from another that trains other models.
extension BoostingLibrary {
  /// Sixteen digits that follow from a model of 2,000 rows: FNV-1a over the text of its trees.
  ///
  /// - Throws: as `modelText`.
  func fingerprint() throws(BoostingError) -> String {
    var rows = TrainingRows(features: 6, capacity: 2000)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      let row = (0..<6).map { Float(random.next(below: 1 << (2 * $0 + 2))) }
      rows.append(row, label: row[1] / (row[0] + 1) + row[5] / 1024)
    }
    let text = try modelText(rows, GradientBoosting.Parameters(trees: 16, seed: 1))
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for line in text.split(separator: "\n").prefix(while: { $0 != "end of trees" }) {
      // Sizes and the names of versions are no part of the trees.
      guard
        line.hasPrefix("split_feature") || line.hasPrefix("threshold")
          || line.hasPrefix("leaf_value")
      else { continue }
      for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
