import Foundation
import LarderSupport

/// Content of a store, file by file.
package struct StoreInventory: Sendable {
  /// Number and size of files of one kind.
  package struct Sum: Hashable, Sendable {
    package var files = 0
    /// Total size in bytes.
    package var bytes: UInt64 = 0

    package init() {}

    mutating func add(_ size: UInt64) {
      files += 1
      bytes &+= size
    }
  }

  /// Records of cells under the rules of this program.
  package private(set) var cells = Sum()
  /// Records of cells and timings under other rules, by the rules.
  package private(set) var foreign: [String: Sum] = [:]
  package private(set) var timings = Sum()
  /// Facts about traces.
  package private(set) var traces = Sum()
  package private(set) var prepared = Sum()
  /// Unfinished files, of a process that is still writing or that was killed.
  package private(set) var unfinished = Sum()
  /// Files named by SHA-256, as older versions wrote them; they are neither found nor read.
  package private(set) var older = Sum()
  /// Other files.
  package private(set) var unknown = Sum()
  /// Damaged files; known only after verification.
  package private(set) var damaged: [StoreDamage] = []
  /// Files of cells with conflicting records; known only after verification.
  package private(set) var conflicts: [[String]] = []

  /// Files that `prune` may remove.
  private(set) var removable: [Removable: [String]] = [:]

  /// Kinds of files that may be removed.
  package enum Removable: String, Hashable, Sendable, CaseIterable {
    case damaged
    /// Records under other rules, and all files of an older larder.
    case foreign
    /// Unfinished files.
    case unfinished
    /// Facts about traces, and prepared traces.
    case traces
    case prepared
  }

  /// Lists a store. O(files).
  ///
  /// - Parameter verifies: True to read and check each file.
  package init(of store: ResultStore, verifies: Bool) {
    for part in StoreFolder.Part.allCases {
      let folder = store.folder.folder(part)
      let shards = part == .cells || part == .timings ? StoreFolder.names(in: folder) : [""]
      for shard in shards {
        let place = shard.isEmpty ? folder : "\(folder)/\(shard)"
        var kept: [String: [(file: String, cell: StoredCell)]] = [:]
        for name in StoreFolder.names(in: place) {
          add("\(place)/\(name)", name, part, store, verifies, &kept)
        }
        for key in kept.keys.sorted() {
          guard let records = kept[key], records.contains(where: { $0.cell != records[0].cell })
          else { continue }
          conflicts.append(records.map(\.file))
        }
      }
    }
  }

  private mutating func add(
    _ file: String, _ name: String, _ part: StoreFolder.Part, _ store: ResultStore,
    _ verifies: Bool, _ kept: inout [String: [(file: String, cell: StoredCell)]]
  ) {
    let size = Self.bytes(of: file)
    if name.hasPrefix("."), name.hasSuffix(".partial") {
      unfinished.add(size)
      removable[.unfinished, default: []].append(file)
      return
    }
    if EntryName.isOlder(name) {
      older.add(size)
      removable[.foreign, default: []].append(file)
      if part == .traces || part == .prepared { removable[.traces, default: []].append(file) }
      if part == .prepared { removable[.prepared, default: []].append(file) }
      return
    }
    switch part {
    case .cells, .timings:
      guard let entry = EntryName(parsing: name) else { return unknown.add(size) }
      let isOwn = entry.rules == store.rules.description
      if !isOwn {
        foreign[entry.rules, default: Sum()].add(size)
        removable[.foreign, default: []].append(file)
      } else if part == .cells {
        cells.add(size)
      } else {
        timings.add(size)
      }
      if verifies { verify(file, entry, part, &kept) }
    case .traces:
      traces.add(size)
      removable[.traces, default: []].append(file)
      if verifies { note(file) { () throws(SealFault) in _ = try ResultStore.memory(in: file) } }
    case .prepared:
      prepared.add(size)
      removable[.traces, default: []].append(file)
      removable[.prepared, default: []].append(file)
      if verifies { note(file) { () throws(SealFault) in try ResultStore.checkPrepared(file) } }
    }
  }

  private mutating func verify(
    _ file: String, _ name: EntryName, _ part: StoreFolder.Part,
    _ kept: inout [String: [(file: String, cell: StoredCell)]]
  ) {
    var cell: StoredCell?
    note(file) { () throws(SealFault) in
      if part == .cells {
        cell = try ResultStore.checked(StoredCell.self, in: file, named: name)
      } else {
        _ = try ResultStore.checked(StoredTimings.self, in: file, named: name)
      }
    }
    if let cell { kept["\(name.key) \(name.rules)", default: []].append((file, cell)) }
  }

  private mutating func note(_ file: String, _ check: () throws(SealFault) -> Void) {
    do throws(SealFault) {
      try check()
    } catch {
      damaged.append(StoreDamage(file: file, fault: error.description))
      removable[.damaged, default: []].append(file)
    }
  }

  /// Removes files. Files removed concurrently by another process are no error.
  ///
  /// - Returns: The number of removed files, and those that could not be removed.
  package func prune(
    _ kinds: Set<Removable>, from store: ResultStore
  ) -> (removed: Int, left: [String]) {
    let files = Set(kinds.flatMap { removable[$0] ?? [] }).sorted()
    for file in files { store.folder.files.remove(file) }
    let left = files.filter { store.folder.files.kind(of: $0) != .nothing }
    return (files.count - left.count, left)
  }

  private static func bytes(of file: String) -> UInt64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
  }
}
