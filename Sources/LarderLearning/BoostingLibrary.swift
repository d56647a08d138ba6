import LarderEngine
import LarderLibc

/// The functions of LightGBM's C API needed for training, looked up by name in the loaded library.
struct BoostingLibrary: @unchecked Sendable {
  /// LightGBM's `DatasetHandle` or `BoosterHandle`.
  typealias Handle = UnsafeMutableRawPointer

  typealias CreateDataset =
    @convention(c) (
      UnsafeRawPointer, CInt, Int32, Int32, CInt, UnsafePointer<CChar>, Handle?,
      UnsafeMutablePointer<Handle?>
    ) -> CInt
  typealias SetField =
    @convention(c) (Handle, UnsafePointer<CChar>, UnsafeRawPointer, CInt, CInt) -> CInt
  typealias CreateBooster =
    @convention(c) (Handle, UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>) -> CInt
  typealias UpdateBooster = @convention(c) (Handle, UnsafeMutablePointer<CInt>) -> CInt
  typealias SaveModel =
    @convention(c) (
      Handle, CInt, CInt, CInt, Int64, UnsafeMutablePointer<Int64>, UnsafeMutablePointer<CChar>?
    ) -> CInt
  typealias Free = @convention(c) (Handle) -> CInt
  typealias LastError = @convention(c) () -> UnsafePointer<CChar>?

  let createDataset: CreateDataset
  let setField: SetField
  let createBooster: CreateBooster
  let updateBooster: UpdateBooster
  let saveModel: SaveModel
  let freeDataset: Free
  let freeBooster: Free
  let lastError: LastError

  /// Wraps a library opened by the loader; nil if a needed function is missing.
  init?(_ loaded: Handle) {
    guard
      let createDataset = dlsym(loaded, "LGBM_DatasetCreateFromMat"),
      let setField = dlsym(loaded, "LGBM_DatasetSetField"),
      let createBooster = dlsym(loaded, "LGBM_BoosterCreate"),
      let updateBooster = dlsym(loaded, "LGBM_BoosterUpdateOneIter"),
      let saveModel = dlsym(loaded, "LGBM_BoosterSaveModelToString"),
      let freeDataset = dlsym(loaded, "LGBM_DatasetFree"),
      let freeBooster = dlsym(loaded, "LGBM_BoosterFree"),
      let lastError = dlsym(loaded, "LGBM_GetLastError")
    else { return nil }
    self.createDataset = unsafeBitCast(createDataset, to: CreateDataset.self)
    self.setField = unsafeBitCast(setField, to: SetField.self)
    self.createBooster = unsafeBitCast(createBooster, to: CreateBooster.self)
    self.updateBooster = unsafeBitCast(updateBooster, to: UpdateBooster.self)
    self.saveModel = unsafeBitCast(saveModel, to: SaveModel.self)
    self.freeDataset = unsafeBitCast(freeDataset, to: Free.self)
    self.freeBooster = unsafeBitCast(freeBooster, to: Free.self)
    self.lastError = unsafeBitCast(lastError, to: LastError.self)
  }

  static func find() throws(BoostingError) -> BoostingLibrary {
    if let file = environment(LightGBM.variable) {
      guard let library = open(file) else {
        throw .unavailable(
          "LightGBM: \(LightGBM.variable) names '\(file)', which cannot be loaded as the library "
            + "(expected the path of \(fileName))")
      }
      return library
    }
    for file in [fileName] + installedFiles() {
      if let library = open(file) { return library }
    }
    throw .unavailable(
      "LightGBM, which was not found: run 'pip install lightgbm', or set \(LightGBM.variable) to "
        + "the path of \(fileName)")
  }

  private static func open(_ file: String) -> BoostingLibrary? {
    guard let loaded = dlopen(file, RTLD_NOW | RTLD_LOCAL) else { return nil }
    return BoostingLibrary(loaded)
  }

  static var fileName: String {
    #if canImport(Darwin)
      "lib_lightgbm.dylib"
    #else
      "lib_lightgbm.so"
    #endif
  }

  private static func installedFiles() -> [String] {
    var roots: [String] = []
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
      if let folder = environment(variable) { roots.append(folder) }
    }
    if let home = environment("HOME") {
      roots.append(home + "/.local")
      #if canImport(Darwin)
        roots += matches(of: home + "/Library/Python/3*")
      #endif
    }
    roots += ["/usr/local", "/opt/homebrew", "/usr"]
    return roots.flatMap { root in
      ["python3*/site-packages", "python3*/dist-packages", "python/site-packages"].flatMap {
        matches(of: "\(root)/lib/\($0)/lightgbm/lib/\(fileName)")
      }
    }
  }

  private static func matches(of pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0, let paths = found.gl_pathv else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { place in
      paths[place].map { String(cString: $0) }
    }
  }

  private static func environment(_ variable: String) -> String? {
    guard let value = getenv(variable) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}

extension BoostingLibrary {
  // LightGBM's numbers for data types.
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
    guard let dataset else { throw .failed("LightGBM returned no data set") }
    defer { _ = freeDataset(dataset) }
    try check(
      rows.labels.withUnsafeBytes { labels -> CInt in
        guard let base = labels.baseAddress else { return -1 }
        return setField(dataset, "label", base, CInt(rows.count), Self.float32)
      })
    var booster: Handle?
    try check(createBooster(dataset, settings, &booster))
    guard let booster else { throw .failed("LightGBM returned no model") }
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
    // The first call returns the required size.
    for _ in 0..<2 {
      try check(saveModel(booster, 0, -1, 0, Int64(buffer.count), &length, &buffer))
      if length <= Int64(buffer.count) { break }
      buffer = [CChar](repeating: 0, count: Int(length))
    }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The parameters in LightGBM's format: one thread, and nothing that depends on timing.
  static func settings(_ parameters: GradientBoosting.Parameters) -> String {
    "boosting=gbdt objective=regression num_threads=1 deterministic=true force_row_wise=true "
      + "verbosity=-1 num_iterations=\(parameters.trees) num_leaves=\(parameters.leaves) "
      + "learning_rate=0.1 feature_fraction=0.8 bagging_fraction=0.8 bagging_freq=5 "
      + "seed=\(parameters.seed)"
  }

  private func check(_ result: CInt) throws(BoostingError) {
    guard result != 0 else { return }
    throw .failed(lastError().map { String(cString: $0) } ?? "LightGBM reported no reason")
  }
}

/// A fingerprint that distinguishes versions that train different models.
extension BoostingLibrary {
  /// Returns sixteen digits computed from a model of 2,000 rows.
  ///
  /// - Throws: the errors of `modelText`, and `badModel` for a model that policies could not use.
  func fingerprint() throws(BoostingError) -> String {
    var rows = TrainingRows(features: 6, capacity: 2000)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      let row = (0..<6).map { Float(random.next(below: 1 << (2 * $0 + 2))) }
      rows.append(row, label: row[1] / (row[0] + 1) + row[5] / 1024)
    }
    let text = try modelText(rows, GradientBoosting.Parameters(trees: 16, seed: 1))
    return try Self.fingerprint(of: text, features: rows.features)
  }

  /// The digits of a model: FNV-1a over the text of its trees.
  ///
  /// - Throws: `badModel` if its trees cannot be read.
  static func fingerprint(of text: String, features: Int) throws(BoostingError) -> String {
    _ = try ModelText.trees(text, features: features)
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for line in text.split(separator: "\n").prefix(while: { $0 != "end of trees" }) {
      // Sizes and version names are not part of the trees.
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
