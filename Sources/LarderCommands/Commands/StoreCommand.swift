import ArgumentParser
import Foundation
import LarderExperiments
import LarderReports
import LarderSupport

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Describe, check and clean a store of results.",
    discussion: """
      Prints the contents. --prune removes only the kinds of files that are named; intact records \
      with the current counting rules are never removed:

        damaged     damaged files; reads every file
        foreign     records with other counting rules
        unfinished  unfinished files of killed processes; only while nothing writes
        traces      statistics of traces: the next run reads them again
        prepared    prepared traces, but not their statistics

      Examples:
        larder store --store /shared/store
        larder store --store /shared/store --verify
        larder store --store /shared/store --prune damaged,foreign

      docs/clusters.md describes the store.
      """)

  @OptionGroup var store: RequiredStoreOption

  @Flag(help: "Read every file; exit with 1 if one is damaged or two records of a cell differ.")
  var verify = false

  @Option(help: "Remove files of these kinds, separated by commas.", transform: Self.kinds)
  var prune: [[StoreInventory.Removable]] = []

  private static func kinds(_ text: String) throws -> [StoreInventory.Removable] {
    try text.split(separator: ",").map { name in
      guard let kind = StoreInventory.Removable(rawValue: String(name)) else {
        let known = StoreInventory.Removable.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("expected \(known), found '\(name)'")
      }
      return kind
    }
  }

  func run() throws {
    let store = try self.store.open(makes: false)
    let kinds = Set(prune.joined())
    let inventory = StoreInventory(of: store, verifies: verify || kinds.contains(.damaged))
    guard kinds.isEmpty else { return try remove(kinds, inventory, from: store) }
    var table = TextTable(alignsRight: [false, true, true])
    func add(_ title: String, _ sum: StoreInventory.Sum) {
      table.add([title, "\(sum.files)", NumberText.bytes(sum.bytes)])
    }
    add("cells", inventory[.cells])
    add("timings", inventory[.timings])
    add("traces known", inventory[.traces])
    add("traces prepared", inventory[.prepared])
    for rules in inventory.foreignRules {
      add("with other counting rules, \(rules)", inventory[.foreign(rules: rules)])
    }
    add("unfinished", inventory[.unfinished])
    add("unknown", inventory[.unknown])
    Output.line(store.path)
    Output.line("counting rules of this version: \(store.rules)")
    for line in table.lines { Output.line(line) }
    if verify { try conclude(inventory, of: store) }
  }

  private func conclude(_ inventory: StoreInventory, of store: ResultStore) throws {
    for damage in inventory.damaged { Output.line("damaged: \(damage)") }
    for files in inventory.conflicts { Output.line("differ: \(files.joined(separator: ", "))") }
    let files = inventory.foreignRules.reduce(inventory[.cells].files) {
      $0 + inventory[.foreign(rules: $1)].files
    }
    let (damaged, conflicts) = (inventory.damaged.count, inventory.conflicts.count)
    guard damaged + conflicts == 0 else {
      throw CheckOutcome(
        description: "\(store.path): \(damaged) damaged files, and \(conflicts) cells whose "
          + "records differ; 'larder store --prune damaged' removes damaged files",
        code: 1)
    }
    Output.line("\(store.path): \(files) records, all intact")
  }

  private func remove(
    _ kinds: Set<StoreInventory.Removable>, _ inventory: StoreInventory, from store: ResultStore
  ) throws {
    let (removed, left) = inventory.prune(kinds, from: store)
    Output.line("\(store.path): \(removed) files removed")
    guard left.isEmpty else {
      throw UsageError("\(left[0]): cannot remove it or \(left.count - 1) others")
    }
  }
}

struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Folder with results of earlier runs. Cells found there are not computed again, and new ones \
      are added. By default LARDER_STORE, if it is set; none if it is empty.
      """, valueName: "folder"),
    completion: .directory)
  var store: String?

  /// The store that is named, which is made where it is not there; nil where none is.
  func named() throws(StoreError) -> ResultStore? {
    let environment = ProcessInfo.processInfo.environment
    return try StorePath.named(option: store, environment: environment).map {
      path throws(StoreError) in
      try ResultStore(path, makes: true, rules: .current())
    }
  }
}

struct RequiredStoreOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Folder with the results. By default LARDER_STORE, or a folder in the user's cache folder.
      """, valueName: "folder"),
    completion: .directory)
  var store: String?

  func path() throws(StoreError) -> String { try Self.path(store) }

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
