import LarderEngine

/// LightGBM (Ke et al., LightGBM: A highly efficient gradient boosting decision tree, NIPS 2017),
/// the library that trains the models of learned policies.
///
/// The library is loaded on first use and not linked, so a program runs without it. It is searched
/// at the path in the environment variable `LARDER_LIGHTGBM`, in the loader's search path, and at
/// the locations where `pip install lightgbm` installs it.
///
/// Models are trained in one thread and with LightGBM's deterministic settings: one version of the
/// library produces the same model for the same seed, regardless of the number of concurrent
/// trainings. Another version may produce another model.
public enum LightGBM {
  /// The environment variable that names the library's file.
  public static var variable: String { "LARDER_LIGHTGBM" }

  /// Makes learned policies use LightGBM, which is loaded when the first of them is created.
  public static func provide() {
    GradientBoosting.provide { () throws(BoostingError) in try load() }
  }

  /// Loads the library. Its name includes digits of a small model that is trained here, because the
  /// API does not report the version, and the models are what matters. Takes about 20 ms.
  ///
  /// - Throws: `unavailable` with what to install, `failed`, or `badModel` for a version whose
  ///   models cannot be read.
  package static func load() throws(BoostingError) -> GradientBoosting {
    let library = try BoostingLibrary.find()
    return GradientBoosting(name: "LightGBM \(try library.fingerprint())") {
      (rows, parameters) throws(BoostingError) in
      try library.train(rows, parameters)
    }
  }
}

/// A model in LightGBM's text format: a block for each tree, with lines of a name and numbers.
///
/// Numbers have 17 digits, so the parsed model makes the same predictions as LightGBM's own.
package enum ModelText {
  /// Parses the trees of a model over rows of `features` values.
  ///
  /// - Throws: `badModel` if a tree has splits that are not numeric.
  package static func trees(_ text: String, features: Int) throws(BoostingError) -> BoostedTrees {
    var trees: [BoostedTrees.Tree] = []
    var block: [Substring: Substring] = [:]
    var isTree = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("Tree=") || line == "end of trees" {
        if isTree { trees.append(try tree(block)) }
        isTree = line != "end of trees"
        block = [:]
        if !isTree { break }
      } else if isTree, let equals = line.firstIndex(of: "=") {
        block[line[..<equals]] = line[line.index(after: equals)...]
      }
    }
    guard !isTree else { throw .badModel("its text ends early") }
    return try BoostedTrees(trees, features: features)
  }

  private static func tree(
    _ block: [Substring: Substring]
  ) throws(BoostingError) -> BoostedTrees.Tree {
    let leaves = try numbers(block, "leaf_value")
    guard leaves.count > 1 else { return BoostedTrees.Tree(splits: [], leaves: leaves) }
    guard block["num_cat"] == "0", block["is_linear"] ?? "0" == "0" else {
      throw .badModel("categories or linear leaves")
    }
    let features = try integers(block, "split_feature")
    let thresholds = try numbers(block, "threshold")
    let decisions = try integers(block, "decision_type")
    let low = try integers(block, "left_child")
    let high = try integers(block, "right_child")
    let counts = [features.count, thresholds.count, decisions.count, low.count, high.count]
    guard counts.allSatisfy({ $0 == leaves.count - 1 }) else {
      throw .badModel("\(leaves.count) leaves with \(counts) parts of splits")
    }
    // Bit 0 marks a category, bits 2 and 3 the handling of missing values; 2 alone is unused then.
    guard decisions.allSatisfy({ $0 & 1 == 0 && $0 >> 2 & 3 == 0 }) else {
      throw .badModel("splits by category or by missing values")
    }
    return BoostedTrees.Tree(
      splits: features.indices.map {
        BoostedTrees.Split(
          feature: features[$0], threshold: thresholds[$0], low: low[$0], high: high[$0])
      }, leaves: leaves)
  }

  private static func numbers(
    _ block: [Substring: Substring], _ name: Substring
  ) throws(BoostingError) -> [Double] {
    try list(block, name) { Double($0) }
  }

  private static func integers(
    _ block: [Substring: Substring], _ name: Substring
  ) throws(BoostingError) -> [Int] {
    try list(block, name) { Int($0) }
  }

  private static func list<Number>(
    _ block: [Substring: Substring], _ name: Substring, _ parse: (Substring) -> Number?
  ) throws(BoostingError) -> [Number] {
    let words = (block[name] ?? "").split(separator: " ")
    let parsed = words.compactMap(parse)
    guard !words.isEmpty, parsed.count == words.count else {
      throw .badModel("a tree has no \(name)")
    }
    return parsed
  }
}
