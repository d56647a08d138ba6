import ArgumentParser
import Foundation
import LarderStore

/// Where results of earlier runs are.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Folder with results of earlier runs. Cells that are in it are not computed again, and new \
      ones are added. LARDER_STORE names it, too.
      """, valueName: "folder"),
    completion: .directory)
  var store: String?

  @Flag(name: .customLong("no-store"), help: "Compute every cell, whatever LARDER_STORE says.")
  var noStore = false

  func validate() throws {
    if noStore, store != nil {
      throw ValidationError("--store and --no-store exclude each other")
    }
  }

  /// The store that is named, which is made where it is not there; nil where none is.
  func named() throws(StoreError) -> ResultStore? {
    if noStore { return nil }
    let environment = ProcessInfo.processInfo.environment
    return try StorePath.named(option: store, environment: environment).map {
      path throws(StoreError) in
      try ResultStore(path, makes: true, rules: .current())
    }
  }
}

/// The store of a command that cannot do without.
struct RequiredStoreOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Folder with the results. By default LARDER_STORE, or a folder in the user's cache folder.
      """, valueName: "folder"),
    completion: .directory)
  var store: String?

  /// The folder of the store.
  func path() throws(StoreError) -> String { try Self.path(store) }

  /// The folder that is named, or the user's.
  static func path(_ option: String?) throws(StoreError) -> String {
    let environment = ProcessInfo.processInfo.environment
    if let named = StorePath.named(option: option, environment: environment) { return named }
    return try StorePath.standard(environment: environment)
  }

  /// The store.
  ///
  /// - Parameter makes: Whether one that is not there is made.
  func open(makes: Bool) throws(StoreError) -> ResultStore {
    try ResultStore(try path(), makes: makes, rules: .current())
  }
}
