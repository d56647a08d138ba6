/// Where a store is, by option, environment and custom.
package enum StorePath {
  /// The variable that names a store.
  package static var variable: String { "LARDER_STORE" }

  /// The store that is named; nil where none is.
  package static func named(option: String?, environment: [String: String]) -> String? {
    if let option { return option }
    return environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The store in the user's cache folder.
  ///
  /// - Throws: `StoreError.noCacheFolder`.
  package static func standard(environment: [String: String]) throws(StoreError) -> String {
    #if os(macOS)
      if let home = environment["HOME"], home.hasPrefix("/") {
        return "\(home)/Library/Caches/larder"
      }
    #else
      // What is not an absolute path is to be ignored: XDG Base Directory Specification.
      if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
        return "\(cache)/larder"
      }
      if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.cache/larder" }
    #endif
    throw .noCacheFolder
  }
}
