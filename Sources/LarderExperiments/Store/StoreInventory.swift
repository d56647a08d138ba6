import Foundation
import LarderSupport
import LarderTraces

package struct StoreInventory: Sendable {
  package enum Kind: Hashable, Sendable {
    case cells, timings
    case traces, prepared
    case foreign(rules: String)
    case unfinished
    case unknown
  }

  package struct Sum: Hashable, Sendable {
    package var files = 0
    package var bytes: UInt64 = 0
  }

  package enum Removable: String, Hashable, Sendable, CaseIterable {
    case damaged, foreign, unfinished
    case traces
    case prepared
  }

  private var sums: [Kind: Sum] = [:]
  private var removable: [Removable: [String]] = [:]
  package private(set) var damaged: [StoreDamage] = []
  package private(set) var conflicts: [[String]] = []

  package subscript(kind: Kind) -> Sum { sums[kind] ?? Sum() }

  package var foreignRules: [String] {
    sums.keys.compactMap { if case .foreign(let rules) = $0 { rules } else { nil } }.sorted()
  }

  package init(of store: ResultStore, verifies: Bool) {
    for part in ResultStore.Part.allCases {
      let folder = store.folder(part)
      let folders =
        part == .cells || part == .timings ? names(in: folder).map { "\(folder)/\($0)" } : [folder]
      for folder in folders {
        var kept: [String: [(file: String, cell: StoredCell)]] = [:]
        for name in names(in: folder) {
          let file = "\(folder)/\(name)"
          guard let size = Self.bytes(of: file) else { continue }
          add(file, name, size, part, store.rules)
          if verifies, let (key, cell) = verified(file, name, part) {
            kept[key, default: []].append((file, cell))
          }
        }
        conflicts += kept.values.filter { records in
          records.contains { $0.cell != records[0].cell }
        }.map { $0.map(\.file) }.sorted { $0[0] < $1[0] }
      }
    }
  }

  private mutating func names(in folder: String) -> [String] {
    do throws(StoreError) {
      return try ResultStore.names(in: folder)
    } catch {
      damaged.append(StoreDamage(file: folder, fault: error.reason))
      return []
    }
  }

  private mutating func add(
    _ file: String, _ name: String, _ size: UInt64, _ part: ResultStore.Part, _ rules: StoreRules
  ) {
    let (kind, kinds) = Self.kind(name, part, rules)
    sums[kind, default: Sum()].files += 1
    sums[kind, default: Sum()].bytes &+= size
    for kind in kinds { removable[kind, default: []].append(file) }
  }

  private static func kind(
    _ name: String, _ part: ResultStore.Part, _ rules: StoreRules
  ) -> (Kind, [Removable]) {
    if isUnfinished(name) { return (.unfinished, [.unfinished]) }
    switch part {
    case .cells, .timings:
      guard let entry = EntryName(parsing: name) else { return (.unknown, []) }
      guard entry.rules == rules.description else {
        return (.foreign(rules: entry.rules), [.foreign])
      }
      return (part == .cells ? .cells : .timings, [])
    case .traces: return (.traces, [.traces])
    case .prepared: return (.prepared, [.traces, .prepared])
    }
  }

  private static func isUnfinished(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(".partial")
  }

  /// Reads a file, which is recorded if it is damaged. Returns a cell with its name.
  private mutating func verified(
    _ file: String, _ name: String, _ part: ResultStore.Part
  ) -> (key: String, cell: StoredCell)? {
    if Self.isUnfinished(name) { return nil }
    do {
      switch (part, EntryName(parsing: name)) {
      case (.cells, let entry?):
        let cell = try ResultStore.entry(StoredCell.self, in: file, named: entry)
        return ("\(entry.key) \(entry.rules)", cell)
      case (.timings, let entry?):
        _ = try ResultStore.entry(StoredTimings.self, in: file, named: entry)
      case (.cells, nil), (.timings, nil): break
      case (.traces, _): _ = try SealedFile.content(TraceMemory.self, in: file)
      case (.prepared, _): _ = try PreparedTrace.load(path: file)
      }
    } catch let error as TraceError where error.isMemoryShortage {
      // A trace that does not fit into memory is not damaged.
    } catch {
      damaged.append(StoreDamage(file: file, fault: TextSafety.singleLine("\(error)")))
      removable[.damaged, default: []].append(file)
    }
    return nil
  }

  package func prune(
    _ kinds: Set<Removable>, from store: ResultStore
  ) -> (removed: Int, left: [String]) {
    let files = Set(kinds.flatMap { removable[$0] ?? [] }).sorted()
    for file in files { store.files.remove(file) }
    let left = files.filter { store.files.kind(of: $0) != .nothing }
    return (files.count - left.count, left)
  }

  private static func bytes(of file: String) -> UInt64? {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      return (attributes[.size] as? NSNumber)?.uint64Value
    } catch {
      return nil
    }
  }
}
