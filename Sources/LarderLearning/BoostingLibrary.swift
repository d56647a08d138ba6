import LarderEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The functions of LightGBM's C API that training needs, found by name in the loaded library.
struct BoostingLibrary: @unchecked Sendable {
  /// What LightGBM calls a `DatasetHandle` or `BoosterHandle`.
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

  /// A library that the loader has opened, with all functions that are needed; nil where one is
  /// missing.
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

  /// The library from the first place that has it. It stays loaded.
  ///
  /// - Throws: `unavailable`.
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

  /// The library's name where its builds put it.
  static var fileName: String {
    #if canImport(Darwin)
      "lib_lightgbm.dylib"
    #else
      "lib_lightgbm.so"
    #endif
  }

  /// Where pip and system packages put the library, those that exist.
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

  /// The paths that a pattern matches, in order.
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
