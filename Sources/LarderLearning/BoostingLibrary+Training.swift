import LarderEngine

/// Training.
extension BoostingLibrary {
  // LightGBM's numbers for the types of data.
  private static var float32: CInt { 0 }

  /// Trains a model on rows.
  ///
  /// - Throws: `failed` with LightGBM's message, or `badModel`.
  func train(
    _ rows: borrowing TrainingRows, _ parameters: GradientBoosting.Parameters
  ) throws(BoostingError) -> BoostedTrees {
    guard rows.count > 0 else { throw .failed("no rows") }
    return try ModelText.trees(
      try modelText(rows, parameters), features: rows.features)
  }

  /// The text of a trained model, as LightGBM writes it.
  func modelText(
    _ rows: borrowing TrainingRows, _ parameters: GradientBoosting.Parameters
  ) throws(BoostingError) -> String {
    let settings = Self.settings(parameters)
    var dataset: Handle?
    let features = rows.features
    try check(
      rows.values.withUnsafeBytes { values -> CInt in
        guard let base = values.baseAddress else { return -1 }
        return createDataset(
          base, Self.float32, Int32(rows.count), Int32(features), 1, settings, nil, &dataset)
      })
    guard let dataset else { throw .failed("LightGBM made no data set") }
    defer { _ = freeDataset(dataset) }
    try check(
      rows.labels.withUnsafeBytes { labels -> CInt in
        guard let base = labels.baseAddress else { return -1 }
        return setField(dataset, "label", base, CInt(rows.count), Self.float32)
      })
    var booster: Handle?
    try check(createBooster(dataset, settings, &booster))
    guard let booster else { throw .failed("LightGBM made no model") }
    defer { _ = freeBooster(booster) }
    for _ in 0..<parameters.trees {
      var isFinished: CInt = 0
      try check(updateBooster(booster, &isFinished))
      if isFinished != 0 { break }
    }
    return try text(of: booster)
  }

  private func text(of booster: Handle) throws(BoostingError) -> String {
    var length: Int64 = 0
    var buffer = [CChar](repeating: 0, count: 1 << 17)
    // The first call says how much room is needed.
    for _ in 0..<2 {
      try check(saveModel(booster, 0, -1, 0, Int64(buffer.count), &length, &buffer))
      if length <= Int64(buffer.count) { break }
      buffer = [CChar](repeating: 0, count: Int(length))
    }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The parameters as LightGBM reads them: one thread, and nothing that depends on timing.
  static func settings(_ parameters: GradientBoosting.Parameters) -> String {
    "boosting=gbdt objective=regression num_threads=1 deterministic=true force_row_wise=true "
      + "verbosity=-1 num_iterations=\(parameters.trees) num_leaves=\(parameters.leaves) "
      + "learning_rate=\(parameters.learningRate) feature_fraction=\(parameters.featureShare) "
      + "bagging_fraction=\(parameters.rowShare) bagging_freq=\(parameters.rowPeriod) "
      + "seed=\(parameters.seed)"
  }

  private func check(_ result: CInt) throws(BoostingError) {
    guard result != 0 else { return }
    throw .failed(lastError().map { String(cString: $0) } ?? "LightGBM gave no reason")
  }
}
