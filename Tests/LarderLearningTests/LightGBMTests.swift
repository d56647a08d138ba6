import Foundation
import LarderContracts
import LarderEngine
import Testing

@testable import LarderLearning

@Suite(.enabled(if: Library.isInstalled, "LightGBM is not installed: pip install lightgbm"))
struct LightGBMTests {
  /// The authors' parameters for rows whose label depends on two features.
  private static func model(_ seed: UInt64, rows count: Int = 3000) throws -> BoostedTrees {
    try Library.installed().train(rows(count).training, .init(trees: 16, seed: seed))
  }

  private static func rows(_ count: Int) -> Rows {
    var random = SeededGenerator(seed: 8)
    return Rows(
      values: (0..<count).map { _ in (0..<5).map { _ in Float(random.next(below: 1000)) } })
  }

  @Test func aModelLearns() throws {
    let rows = Self.rows(3000)
    let predictions = try Self.model(1).predictions(for: rows.values)
    let mean = rows.labels.reduce(0, +) / Float(rows.labels.count)
    func error(_ predicted: (Int) -> Float) -> Float {
      rows.labels.indices.reduce(0) { $0 + abs(predicted($1) - rows.labels[$1]) }
    }
    #expect(error { Float(predictions[$0]) } < error { _ in mean } / 3)
  }

  @Test func seedDeterminesModel() throws {
    let rows = Self.rows(500).values
    let first = try Self.model(1).predictions(for: rows)
    #expect(try Self.model(1).predictions(for: rows) == first)
    #expect(try Self.model(2).predictions(for: rows) != first)
  }

  @Test(.timeLimit(.minutes(5))) func concurrentTrainingsAreIndependent() async throws {
    let rows = Self.rows(500).values
    let expected = try Self.model(1).predictions(for: rows)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for seed in 0..<8 {
        group.addTask {
          let predictions = try Self.model(UInt64(seed % 2 + 1)).predictions(for: rows)
          return (predictions == expected) == (seed % 2 == 0)
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func constantRowsTrainConstantModel() throws {
    let rows = Rows(values: Array(repeating: [1, 1, 1, 1, 1], count: 100))
    let model = try Library.installed().train(rows.training, .init(trees: 16, seed: 1))
    let predictions = Set(model.predictions(for: rows.values))
    #expect(predictions.count == 1)
    #expect(throws: BoostingError.failed("no rows")) {
      try Library.installed().train(Rows(values: []).training, .init(trees: 16, seed: 1))
    }
  }

  @Test func nameIdentifiesLibrary() throws {
    let name = try Library.installed().name
    #expect(name.wholeMatch(of: /LightGBM [0-9a-f]{16}/) != nil)
    #expect(try LightGBM.load().name == name)
  }
}

@Test func libraryOfUnreadableModelsIsRefused() throws {
  let good = """
    Tree=0
    num_leaves=2
    num_cat=0
    split_feature=1
    threshold=5
    decision_type=2
    left_child=-1
    right_child=-2
    leaf_value=1 2

    end of trees
    """
  #expect(try BoostingLibrary.fingerprint(of: good, features: 2).count == 16)
  for (old, new) in [("num_cat=0", "num_cat=1"), ("decision_type=2", "decision_type=10")] {
    #expect(throws: BoostingError.self) {
      try BoostingLibrary.fingerprint(of: good.replacing(old, with: new), features: 2)
    }
  }
}

/// The library used by these tests.
enum Library {
  private static let loaded = Result { () throws(BoostingError) in try LightGBM.load() }

  static var isInstalled: Bool { (try? loaded.get()) != nil }

  static func installed() throws -> GradientBoosting { try loaded.get() }
}

/// Rows of five features, with labels that depend on two of them.
struct Rows {
  var values: [[Float]]

  var labels: [Float] { values.map { $0[1] / 100 + ($0[3] > 500 ? 10 : 0) } }

  var training: TrainingRows {
    var rows = TrainingRows(features: 5, capacity: values.count)
    for (row, label) in zip(values, labels) { rows.append(row, label: label) }
    return rows
  }
}
