import ArgumentParser
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

  @OptionGroup var store: StoreOption

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
    let sums =
      [
        ("cells", inventory[.cells]), ("timings", inventory[.timings]),
        ("traces known", inventory[.traces]), ("traces prepared", inventory[.prepared]),
      ]
      + inventory.foreignRules.map {
        ("with other counting rules, \($0)", inventory[.foreign(rules: $0)])
      } + [("unfinished", inventory[.unfinished]), ("unknown", inventory[.unknown])]
    var table = TextTable(alignsRight: [false, true, true])
    for (title, sum) in sums { table.add([title, "\(sum.files)", NumberText.bytes(sum.bytes)]) }
    for line in [store.path, "counting rules of this version: \(store.rules)"] + table.lines {
      Output.line(line)
    }
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
