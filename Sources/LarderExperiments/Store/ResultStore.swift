import Foundation
import LarderEngine
import LarderSupport
import LarderTraces

/// A store of results, in a folder that any number of processes on any number of machines share.
///
/// Records are found by the content that they depend on (`CellKey`) and the rules by which they
/// were counted (`StoreRules`), and nothing decides by the age of a file. A file that is damaged is
/// not used; it is told, and the cell counts as absent.
package final class ResultStore: Sendable {
  let folder: StoreFolder
  /// The rules of the records that are found and kept.
  package let rules: StoreRules
  private let listings = Locked<[String: [String: [EntryName]]]>([:])

  /// The path of the folder.
  package var path: String { folder.path }

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: Its folder.
  ///   - makes: Whether a folder that is absent or empty becomes a store.
  ///   - rules: The rules by which this program counts.
  /// - Throws: `StoreError` when there is no store, something else, or it cannot be made.
  package init(
    _ path: String, makes: Bool, rules: StoreRules, files: any FileLayer = SystemFiles()
  ) throws(StoreError) {
    folder = try StoreFolder(path, makes: makes, files: files)
    self.rules = rules
  }

  /// What a store has of a cell.
  struct Found: Sendable {
    /// The record, where there is one, and no other that differs.
    var cell: StoredCell?
    /// Files that are damaged, each with what is wrong.
    var damaged: [StoreDamage] = []
    /// Files whose records differ from each other.
    var conflicting: [String] = []
    /// Other rules by which the cell was counted.
    var foreignRules: [String] = []
  }

  /// Looks for a cell. Folders are listed once for each store that is opened.
  func find(_ key: CellKey) -> Found {
    var found = Found()
    var cells: [(file: String, cell: StoredCell)] = []
    for name in names(StoredCell.self, key) {
      guard name.rules == rules.description else {
        found.foreignRules.append(name.rules)
        continue
      }
      let file = file(StoredCell.part, name)
      do throws(SealFault) {
        cells.append((file, try read(StoredCell.self, name, key: key)))
      } catch {
        found.damaged.append(StoreDamage(file: file, fault: error.description))
      }
    }
    // Compared by value: another system may write a number differently.
    if cells.contains(where: { $0.cell != cells[0].cell }) {
      found.conflicting = cells.map(\.file)
    } else {
      found.cell = cells.first?.cell
    }
    return found
  }

  /// The timings of a cell, one for each machine, in the order of the files' names.
  func timings(_ key: CellKey) -> [StoredTimings] {
    var machines: Set<MachineDescription> = []
    return names(StoredTimings.self, key).compactMap { name in
      guard name.rules == rules.description,
        let timings = try? read(StoredTimings.self, name, key: key),
        machines.insert(timings.machine).inserted
      else { return nil }
      return timings
    }
  }

  /// Keeps a record, and how long it took.
  ///
  /// - Throws: `StoreError` when it cannot be written; nothing is left behind then.
  func keep(
    _ record: Record, as key: CellKey, machine: MachineDescription, threads: Int
  ) throws(StoreError) {
    try write(StoredCell(record, key: key, rules: rules), key)
    if record.timings.isEmpty { return }
    try write(
      StoredTimings(
        cell: key.text, rules: rules.description, machine: machine, threads: threads,
        timings: record.timings), key)
  }

  private func write<Entry: StoredEntry>(_ entry: Entry, _ key: CellKey) throws(StoreError) {
    let bytes = SealedFile.bytes(kind: Entry.kind, json: try Self.json(entry, path))
    let name = EntryName(key: key.digest, rules: rules, content: ContentDigest(of: bytes))
    let file = file(Entry.part, name)
    // One that is there and whole is what would be written. Damaged ones are replaced.
    if (try? read(Entry.self, name, key: key)) == entry { return }
    try folder.write(bytes, to: file)
  }

  /// JSON in one line, the same for equal values.
  static func json(_ value: some Encodable, _ path: String) throws(StoreError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(value)
    } catch {
      throw .failed(path: path, action: "write a record", reason: "\(error)")
    }
  }

  private func file(_ part: StoreFolder.Part, _ name: EntryName) -> String {
    "\(folder.folder(part, shard: name.shard))/\(name.text)"
  }

  /// The entry in a file of this name, which must be of this cell.
  private func read<Entry: StoredEntry>(
    _ type: Entry.Type, _ name: EntryName, key: CellKey
  ) throws(SealFault) -> Entry {
    let entry = try Self.entry(type, in: file(Entry.part, name))
    guard entry.cell == key.text, entry.rules == name.rules else {
      throw .content("it is of another cell than its name says")
    }
    return entry
  }

  /// The entry in a file.
  static func entry<Entry: StoredEntry>(
    _ type: Entry.Type, in file: String
  ) throws(SealFault) -> Entry {
    try checked(try SealedFile.value(type, kind: Entry.kind, in: file))
  }

  /// The same entry, if it does not contradict itself.
  static func checked<Entry: StoredEntry>(_ entry: Entry) throws(SealFault) -> Entry {
    if let fault = entry.fault { throw .content(fault) }
    return entry
  }

  /// The files of a cell, in the order of their names.
  private func names<Entry: StoredEntry>(_ type: Entry.Type, _ key: CellKey) -> [EntryName] {
    let digest = key.digest.description
    let shard = folder.folder(Entry.part, shard: EntryName.shard(of: digest))
    return listings.withLock { listings in
      if let known = listings[shard] { return known[digest] ?? [] }
      let names = StoreFolder.names(in: shard).compactMap { EntryName(parsing: $0) }
      let byKey = Dictionary(grouping: names, by: \.key)
      listings[shard] = byKey
      return byKey[digest] ?? []
    }
  }
}

/// A file of a store that cannot be used.
package struct StoreDamage: Hashable, Sendable, CustomStringConvertible {
  /// Its path.
  package let file: String
  /// What is wrong with it.
  package let fault: String

  /// One line for a person.
  package var description: String { "\(file): \(fault)" }
}

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

/// Why a store cannot be used.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no store at the path.
  case absent(String)
  /// There is something else at the path.
  case notAStore(String)
  /// Another larder made it.
  case version(String, found: String)
  /// Something cannot be read or written.
  case failed(path: String, action: String, reason: String)
  /// The user's cache folder is not known.
  case noCacheFolder

  /// One line for a person.
  package var description: String {
    switch self {
    case .absent(let path):
      return "\(path): no store there; 'larder run --store' makes one"
    case .notAStore(let path):
      return "\(path): not a store; name an empty folder, or one that 'larder run --store' made"
    case .version(let path, let found):
      return "\(path): a store of version \(found), but this larder knows \(StoreFolder.version)"
    case .failed(let path, let action, let reason):
      return "\(path): cannot \(action): \(reason)"
    case .noCacheFolder:
      return "neither XDG_CACHE_HOME nor HOME is set: name the store with --store or LARDER_STORE"
    }
  }

  /// Why, without the path.
  var reason: String {
    if case .failed(_, _, let reason) = self { return reason }
    return description
  }

  /// A file that could not be written.
  init(_ error: AtomicFileError) {
    self = .failed(path: error.path, action: error.action, reason: error.reason)
  }
}

extension ResultStore {
  /// The kinds of sealed files in a store.
  package static var kinds: [String] { [StoredCell.kind, StoredTimings.kind, "trace"] }

  /// Reads the bytes of a file of one of `kinds`, and writes them again.
  ///
  /// - Returns: What it says, sealed: that of an equal file is the same. Nil for another kind.
  /// - Throws: `SealFault` with what is wrong.
  package static func resealed(_ data: Data, kind: String) throws(SealFault) -> Data? {
    switch kind {
    case StoredCell.kind:
      try resealed(checked(SealedFile.value(StoredCell.self, kind: kind, of: data)), kind)
    case StoredTimings.kind:
      try resealed(checked(SealedFile.value(StoredTimings.self, kind: kind, of: data)), kind)
    case "trace":
      try resealed(checked(SealedFile.value(TraceMemory.self, kind: kind, of: data)), kind)
    default: nil
    }
  }

  private static func resealed(
    _ value: some Encodable, _ kind: String
  ) throws(SealFault) -> Data {
    do {
      return SealedFile.bytes(kind: kind, json: try json(value, ""))
    } catch {
      throw .content("\(error)")
    }
  }

  /// The entry of a file, which must be what the name of the file says.
  static func checked<Entry: StoredEntry>(
    _ type: Entry.Type, in file: String, named name: EntryName
  ) throws(SealFault) -> Entry {
    let entry = try entry(type, in: file)
    guard ContentDigest(of: entry.cell).description == name.key, entry.rules == name.rules else {
      throw .content("it is of another cell than its name says")
    }
    return entry
  }

  /// Reads a prepared trace.
  static func checkPrepared(_ file: String) throws(SealFault) {
    do {
      _ = try PreparedTrace.load(path: file)
    } catch {
      throw .content("\(error)")
    }
  }
}
