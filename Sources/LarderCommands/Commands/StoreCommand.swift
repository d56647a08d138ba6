import ArgumentParser
import Foundation
import LarderExperiments
import LarderReports
import LarderSupport

/// `larder store`: contents of a store of results.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Describe, check and clean a store of results.",
    discussion: """
      Examples:
        larder store info --store /shared/store
        larder store info --verify --store /shared/store
        larder store prune damaged foreign --store /shared/store

      docs/clusters.md describes the store.
      """,
    subcommands: [StoreInfoCommand.self, StorePruneCommand.self])
}

/// `larder store info`.
struct StoreInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Print the contents of a store.")

  @OptionGroup var store: RequiredStoreOption

  @Flag(help: "Read every file; exit with 1 if one is damaged or two records of a cell differ.")
  var verify = false

  func run() throws {
    let store = try self.store.open(makes: false)
    let inventory = StoreInventory(of: store, verifies: verify)
    var table = TextTable(alignsRight: [false, true, true])
    func add(_ title: String, _ sum: StoreInventory.Sum) {
      table.add([title, "\(sum.files)", NumberText.bytes(sum.bytes)])
    }
    add("cells", inventory.cells)
    add("timings", inventory.timings)
    add("traces known", inventory.traces)
    add("traces prepared", inventory.prepared)
    for rules in inventory.foreign.keys.sorted() {
      add("with other counting rules, \(rules)", inventory.foreign[rules] ?? .init())
    }
    if inventory.older.files > 0 { add("of an older version of larder, ignored", inventory.older) }
    add("unfinished", inventory.unfinished)
    add("unknown", inventory.unknown)
    Output.line(store.path)
    Output.line("counting rules of this version: \(store.rules)")
    for line in table.lines { Output.line(line) }
    if verify { try conclude(inventory, of: store) }
  }

  private func conclude(_ inventory: StoreInventory, of store: ResultStore) throws {
    for damage in inventory.damaged { Output.line("damaged: \(damage)") }
    for files in inventory.conflicts { Output.line("differ: \(files.joined(separator: ", "))") }
    let files = inventory.cells.files + inventory.foreign.values.reduce(0) { $0 + $1.files }
    let (damaged, conflicts) = (inventory.damaged.count, inventory.conflicts.count)
    guard damaged + conflicts == 0 else {
      throw CheckOutcome(
        description: "\(store.path): \(damaged) damaged files, and \(conflicts) cells whose "
          + "records differ; 'larder store prune damaged' removes damaged files",
        code: 1)
    }
    let older = inventory.older.files
    let rest = older > 0 ? "; \(older) files of an older version of larder are ignored" : ""
    Output.line("\(store.path): \(files) records, all intact\(rest)")
  }
}

/// `larder store prune`.
struct StorePruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove files from a store.",
    discussion: """
      Removes only the kinds of files named; intact records with the current counting rules are \
      never removed.

        damaged     damaged files; reads every file
        foreign     records with other counting rules, or of an older version of larder
        unfinished  unfinished files of killed processes; only while nothing writes
        traces      statistics of traces: the next run reads them again
        prepared    prepared traces, but not their statistics

      Example:
        larder store prune damaged foreign --store /shared/store
      """)

  @OptionGroup var store: RequiredStoreOption

  @Argument(help: "\(StoreInventory.Removable.allCases.map(\.rawValue).joined(separator: ", ")).")
  var kinds: [StoreInventory.Removable]

  func run() throws {
    let store = try self.store.open(makes: false)
    let inventory = StoreInventory(of: store, verifies: kinds.contains(.damaged))
    let (removed, left) = inventory.prune(Set(kinds), from: store)
    Output.line("\(store.path): \(removed) files removed")
    guard left.isEmpty else {
      throw UsageError("\(left[0]): cannot remove it or \(left.count - 1) others")
    }
  }
}

extension StoreInventory.Removable: ExpressibleByArgument {}

/// Options that name a store of results.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Folder with results of earlier runs. Cells found there are not computed again, and new ones \
      are added. Also set by LARDER_STORE.
      """, valueName: "folder"),
    completion: .directory)
  var store: String?

  @Flag(name: .customLong("no-store"), help: "Compute every cell, and ignore LARDER_STORE.")
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
  /// - Parameter makes: true to create a missing one.
  func open(makes: Bool) throws(StoreError) -> ResultStore {
    try ResultStore(try path(), makes: makes, rules: .current())
  }
}
