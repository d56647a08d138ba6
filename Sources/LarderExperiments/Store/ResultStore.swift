import Foundation
import LarderEngine
import LarderSupport
import LarderTraces

/// A store of results, in a folder that any number of processes on any number of machines share.
///
/// Records are found by the content that they depend on (`CellKey`) and the rules by which they
/// were counted (`StoreRules`), never by the age of a file. Damaged files are reported and ignored,
/// so their cells count as missing.
package final class ResultStore: Sendable {
  let folder: StoreFolder
  package let rules: StoreRules
  private let listings = Locked<[String: [String: [EntryName]]]>([:])
  private let damages = Locked<[StoreDamage]>([])

  package var path: String { folder.path }

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: Its folder.
  ///   - makes: True to create a store in a missing or empty folder.
  ///   - rules: The rules by which this program counts.
  /// - Throws: `StoreError` if the folder is not a store, or the store cannot be created.
  package init(
    _ path: String, makes: Bool, rules: StoreRules, files: any FileLayer = SystemFiles()
  ) throws(StoreError) {
    folder = try StoreFolder(path, makes: makes, files: files)
    self.rules = rules
  }

  /// Entries of a cell in a store.
  struct Found: Sendable {
    var cell: StoredCell?
    var damaged: [StoreDamage] = []
    var conflicting: [String] = []
    var foreignRules: [String] = []
  }

  /// Looks up a cell. Folders are listed once per opened store.
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
        cells.append((file, try read(StoredCell.self, name)))
      } catch {
        found.damaged.append(StoreDamage(file: file, fault: error.description))
      }
    }
    // Compared by value: another system may format a number differently.
    if cells.contains(where: { $0.cell != cells[0].cell }) {
      found.conflicting = cells.map(\.file)
    } else {
      found.cell = cells.first?.cell
    }
    return found
  }

  package func takeDamages() -> [StoreDamage] {
    damages.withLock { damages in
      defer { damages = [] }
      return damages
    }
  }

  func ignore(_ file: String, _ fault: SealFault) {
    damages.withLock { $0.append(StoreDamage(file: file, fault: fault.description)) }
  }

  func timings(_ key: CellKey) -> [StoredTimings] {
    var machines: Set<MachineDescription> = []
    return names(StoredTimings.self, key).compactMap { name in
      guard name.rules == rules.description else { return nil }
      do throws(SealFault) {
        let timings = try read(StoredTimings.self, name)
        return machines.insert(timings.machine).inserted ? timings : nil
      } catch {
        ignore(file(StoredTimings.part, name), error)
        return nil
      }
    }
  }

  /// Stores a record and its timings.
  ///
  /// - Throws: `StoreError` when it cannot be written; no file remains then.
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
    let bytes = try Self.bytes(entry, path)
    let name = EntryName(key: key.digest, rules: rules, content: ContentDigest(of: bytes))
    // An existing intact file already has this content. Damaged ones are replaced.
    do throws(SealFault) {
      if try read(Entry.self, name) == entry { return }
    } catch {}
    try folder.write(bytes, to: file(Entry.part, name))
  }

  static func bytes<Content: SealedContent>(
    _ content: Content, _ path: String
  ) throws(StoreError) -> Data {
    SealedFile.bytes(kind: Content.kind, json: try json(content, path))
  }

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

  private func read<Entry: StoredEntry>(
    _ type: Entry.Type, _ name: EntryName
  ) throws(SealFault) -> Entry {
    try Self.entry(type, in: file(Entry.part, name), named: name)
  }

  /// Entry in a file of this name, which must belong to this cell.
  static func entry<Entry: StoredEntry>(
    _ type: Entry.Type, in file: String, named name: EntryName
  ) throws(SealFault) -> Entry {
    let entry = try SealedFile.content(type, in: file)
    guard ContentDigest(of: entry.cell).description == name.key, entry.rules == name.rules else {
      throw .content("it belongs to another cell than its name")
    }
    return entry
  }

  private func names<Entry: StoredEntry>(_ type: Entry.Type, _ key: CellKey) -> [EntryName] {
    let digest = key.digest.description
    let shard = folder.folder(Entry.part, shard: EntryName.shard(of: digest))
    return listings.withLock { listings in
      if let known = listings[shard] { return known[digest] ?? [] }
      var names: [EntryName] = []
      do throws(SealFault) {
        names = try StoreFolder.names(in: shard).compactMap { EntryName(parsing: $0) }
      } catch {
        ignore(shard, error)
      }
      let byKey = Dictionary(grouping: names, by: \.key)
      listings[shard] = byKey
      return byKey[digest] ?? []
    }
  }
}

/// An unusable file of a store.
package struct StoreDamage: Hashable, Sendable, CustomStringConvertible {
  package let file: String
  package let fault: String

  package var description: String { "\(file): \(fault)" }
}

/// Path of the store, by option, environment and convention.
package enum StorePath {
  package static var variable: String { "LARDER_STORE" }

  /// Store given by option or environment; nil for none.
  package static func named(option: String?, environment: [String: String]) -> String? {
    if let option { return option }
    return environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  package static func standard(environment: [String: String]) throws(StoreError) -> String {
    #if os(macOS)
      if let home = environment["HOME"], home.hasPrefix("/") {
        return "\(home)/Library/Caches/larder"
      }
    #else
      // Relative paths must be ignored: XDG Base Directory Specification.
      if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
        return "\(cache)/larder"
      }
      if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.cache/larder" }
    #endif
    throw .noCacheFolder
  }
}

/// A reason for which a store cannot be used.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  case absent(String)
  case notAStore(String)
  case version(String, found: String)
  case failed(path: String, action: String, reason: String)
  case noCacheFolder

  package var description: String {
    switch self {
    case .absent(let path):
      return "\(path): no store found; 'larder run --store' creates one"
    case .notAStore(let path):
      return "\(path): not a store; name an empty folder, or a store created by 'larder run "
        + "--store'"
    case .version(let path, let found):
      return "\(path): has store version \(found), but this larder reads version "
        + "\(StoreFolder.version)"
    case .failed(let path, let action, let reason):
      return "\(path): cannot \(action): \(reason)"
    case .noCacheFolder:
      return "neither XDG_CACHE_HOME nor HOME is set: name the store with --store or LARDER_STORE"
    }
  }

  var reason: String {
    if case .failed(_, _, let reason) = self { return reason }
    return description
  }

  init(_ error: AtomicFileError) {
    self = .failed(path: error.path, action: error.action, reason: error.reason)
  }
}

extension ResultStore {
  private static let contents: [any SealedContent.Type] = [
    StoredCell.self, StoredTimings.self, TraceMemory.self,
  ]

  package static var kinds: [String] { contents.map { $0.kind } }

  /// Reads the bytes of a file of one of `kinds`, and encodes them again.
  ///
  /// - Returns: The sealed content, which is identical for equal files. Nil for another kind.
  /// - Throws: `SealFault` for an invalid file.
  package static func resealed(_ data: Data, kind: String) throws(SealFault) -> Data? {
    guard let type = contents.first(where: { $0.kind == kind }) else { return nil }
    return try resealed(data, as: type)
  }

  private static func resealed<Content: SealedContent>(
    _ data: Data, as type: Content.Type
  ) throws(SealFault) -> Data {
    let content = try SealedFile.content(type, of: data)
    do throws(StoreError) {
      return try bytes(content, "")
    } catch {
      throw .content(error.reason)
    }
  }
}
