import LarderContracts
import LarderEngine
import Testing

/// Models and their validation.
@Suite struct BoostedTreesTests {
  typealias Split = BoostedTrees.Split
  typealias Tree = BoostedTrees.Tree

  @Test(arguments: [
    Tree(splits: [], leaves: []),
    Tree(splits: [Split(feature: 0, threshold: 1, low: ~0, high: ~1)], leaves: [1]),
    // A loop to itself, an index out of range, and a missing leaf.
    Tree(splits: [Split(feature: 0, threshold: 1, low: 0, high: ~1)], leaves: [1, 2]),
    Tree(splits: [Split(feature: 0, threshold: 1, low: 1, high: ~1)], leaves: [1, 2]),
    Tree(splits: [Split(feature: 0, threshold: 1, low: ~0, high: ~2)], leaves: [1, 2]),
    Tree(splits: [Split(feature: 3, threshold: 1, low: ~0, high: ~1)], leaves: [1, 2]),
    Tree(splits: [Split(feature: -1, threshold: 1, low: ~0, high: ~1)], leaves: [1, 2]),
    Tree(splits: [Split(feature: 0, threshold: .nan, low: ~0, high: ~1)], leaves: [1, 2]),
  ])
  func malformedTreesAreRejected(tree: Tree) {
    #expect(throws: BoostingError.self) { try BoostedTrees([tree], features: 3) }
  }

  /// Any number of rows, because four are evaluated together, and thresholds between `Float`s.
  @Test func predictionsFollowTheTrees() throws {
    var random = TestRandom(seed: 4)
    for rows in 1...20 {
      let trees = (0..<5).map { _ in Self.tree(leaves: 1 + random.below(12), &random) }
      let model = try BoostedTrees(trees, features: 3)
      let table = (0..<rows).map { _ in
        (0..<3).map { _ in Float(random.below(5)) + Float(random.below(3)) * 0x1p-20 }
      }
      #expect(model.predictions(for: table) == table.map { NaiveBooster.predict(trees, $0) })
    }
  }

  private static func tree(leaves: Int, _ random: inout TestRandom) -> Tree {
    var splits: [Split] = []
    for number in 0..<leaves - 1 {
      splits.append(
        Split(
          feature: random.below(3), threshold: Double(random.below(5)) + 0x1p-40, low: 0, high: 0))
      // Each split replaces a leaf of an earlier one.
      guard number > 0 else { continue }
      while true {
        let parent = random.below(number)
        let isLow = splits[parent].low == 0
        guard isLow || splits[parent].high == 0 else { continue }
        if isLow { splits[parent].low = number } else { splits[parent].high = number }
        break
      }
    }
    var leaf = 0
    for number in splits.indices {
      if splits[number].low == 0 { (splits[number].low, leaf) = (~leaf, leaf + 1) }
      if splits[number].high == 0 { (splits[number].high, leaf) = (~leaf, leaf + 1) }
    }
    return Tree(splits: splits, leaves: (0..<leaves).map { _ in Double(random.below(100)) / 7 })
  }

  @Test func missingLibraryIsReportedInOneLine() {
    let error = PolicyError.missingLibrary(policy: "lrb", need: "LightGBM, which was not found")
    #expect("\(error)" == "policy 'lrb' needs LightGBM, which was not found")
  }
}
