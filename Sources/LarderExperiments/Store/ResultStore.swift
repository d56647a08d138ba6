import Foundation
import LarderEngine
import LarderSupport
import LarderTraces

/// A store of results, in a folder that any number of processes on any number of machines share.
///
///     larder-store                       kind of the folder, and its version
///     cells/ab/KEY.RULES.CONTENT         counts of a cell
///     timings/ab/KEY.RULES.CONTENT       timings of a cell, and their machine
///     traces/KEY                         facts about a trace
///     prepared/DIGEST.larder             prepared traces
///
/// Files are never modified: they are written under a hidden name, synced and renamed, and names
/// depend on the content, so that no locks are needed. Records are found by the content that they
/// depend on (`CellKey`) and the rules by which they were counted (`StoreRules`), never by the age
/// of a file. Damaged files are reported and ignored, so their cells count as missing.
package final class ResultStore: Sendable {
  package let path: String
  package let rules: StoreRules
  let files: any FileLayer
  private let listings = Locked<[String: [String: [EntryName]]]>([:])
  private let damages = Locked<[StoreDamage]>([])

  static let version = "1"
  private static let marker = "larder-store"

  enum Part: String, CaseIterable {
    case cells, timings, traces, prepared
  }

  /// Opens a store after checking that the folder is one.
  ///
  /// - Parameter makes: True to create a store in a missing or empty folder.
  package init(
    _ path: String, makes: Bool, rules: StoreRules, files: any FileLayer = SystemFiles()
  ) throws(StoreError) {
    (self.path, self.rules, self.files) = (path, rules, files)
    let marker = "\(path)/\(Self.marker)"
    if let data = try Self.contents(marker) {
      let words = String(decoding: data.prefix(100), as: UTF8.self)
        .split(whereSeparator: \.isWhitespace)
      guard words.count == 3, words[0] == "larder", words[1] == "store" else {
        throw .notAStore(path)
      }
      guard words[2] == Self.version else { throw .version(path, found: String(words[2])) }
      return
    }
    switch files.kind(of: path) {
    case .nothing: break
    case .directory:
      // A process that creates the store concurrently has hidden files there, or the marker.
      let names = try Self.names(in: path).filter { !$0.hasPrefix(".") && $0 != Self.marker }
      if !names.isEmpty, !FileManager.default.fileExists(atPath: marker) { throw .notAStore(path) }
    case .file, .other: throw .notAStore(path)
    }
    if !makes { throw .absent(path) }
    try makeDirectories(path)
    try write(Data("larder store \(Self.version)\n".utf8), to: marker)
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
      let file = file(.cells, name)
      do throws(SealFault) {
        cells.append((file, try Self.entry(StoredCell.self, in: file, named: name)))
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

  func ignore(_ file: String, _ fault: String) {
    damages.withLock { $0.append(StoreDamage(file: file, fault: fault)) }
  }

  func timings(_ key: CellKey) -> [StoredTimings] {
    var machines: Set<MachineDescription> = []
    return names(StoredTimings.self, key).compactMap { name in
      guard name.rules == rules.description else { return nil }
      let file = file(.timings, name)
      do throws(SealFault) {
        let timings = try Self.entry(StoredTimings.self, in: file, named: name)
        return machines.insert(timings.machine).inserted ? timings : nil
      } catch {
        ignore(file, error.description)
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
    let file = file(Entry.part, name)
    // An existing intact file already has this content. Damaged ones are replaced.
    do throws(SealFault) {
      if try Self.entry(Entry.self, in: file, named: name) == entry { return }
    } catch {}
    try write(bytes, to: file)
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

  private func file(_ part: Part, _ name: EntryName) -> String {
    "\(folder(part, shard: name.shard))/\(name.text)"
  }

  /// Entry in a file of this name, which must belong to this cell.
  static func entry<Entry: StoredEntry>(
    _ type: Entry.Type, in file: String, named name: EntryName
  ) throws(SealFault) -> Entry {
    let entry = try SealedFile.content(type, in: file)
    guard ContentDigest(of: entry.cell).description == name.key, entry.rules == name.rules else {
      throw SealFault("it belongs to another cell than its name")
    }
    return entry
  }

  private func names<Entry: StoredEntry>(_ type: Entry.Type, _ key: CellKey) -> [EntryName] {
    let digest = key.digest.description
    let shard = folder(Entry.part, shard: EntryName.shard(of: digest))
    return listings.withLock { listings in
      if let known = listings[shard] { return known[digest] ?? [] }
      var names: [EntryName] = []
      do throws(StoreError) {
        names = try Self.names(in: shard).compactMap { EntryName(parsing: $0) }
      } catch {
        ignore(shard, error.reason)
      }
      let byKey = Dictionary(grouping: names, by: \.key)
      listings[shard] = byKey
      return byKey[digest] ?? []
    }
  }
}

/// Reading and writing of files.
extension ResultStore {
  func folder(_ part: Part, shard: String? = nil) -> String {
    "\(path)/\(part.rawValue)" + (shard.map { "/\($0)" } ?? "")
  }

  func write(_ data: Data, to file: String) throws(StoreError) {
    var attempts = 0
    while true {
      do throws(AtomicFileError) {
        let output = try AtomicFile(file, files: files)
        try output.write(Array(data))
        return try output.commit()
      } catch {
        attempts += 1
        // Usually a folder is missing. If it exists, a restarted NFS server received the rename
        // twice and has lost track of the first time: written again, the file gets the same name.
        guard error.code == ENOENT, attempts < 3, let slash = file.lastIndex(of: "/") else {
          throw .failed(path: error.path, action: error.action, reason: error.reason)
        }
        try makeDirectories(String(file[..<slash]))
      }
    }
  }

  func makeDirectories(_ path: String) throws(StoreError) {
    if files.kind(of: path) == .directory { return }
    if let slash = path.dropLast().lastIndex(of: "/"), slash != path.startIndex {
      try makeDirectories(String(path[..<slash]))
    }
    do throws(FileFault) {
      try files.makeDirectory(path)
    } catch {
      guard error.code == EEXIST, files.kind(of: path) == .directory else {
        throw .failed(path: path, action: "make the folder", reason: error.reason)
      }
    }
  }

  /// Maximum size of a JSON file: a record has some hundreds of bytes.
  private static let bytesMaximum = 16 << 20

  /// Bytes of a file; nil if it is missing.
  static func contents(_ file: String) throws(StoreError) -> Data? {
    let reason: String
    switch SystemFiles().kind(of: file) {
    case .nothing: return nil
    // Reading a pipe would block.
    case .directory, .other: reason = "it is not a file"
    case .file:
      do throws(FileFault) {
        let bytes = try SystemFiles().read(file, most: bytesMaximum + 1)
        if bytes.count <= bytesMaximum { return Data(bytes) }
        reason = "it is too large to be a record"
      } catch {
        if SystemFiles().kind(of: file) == .nothing { return nil }
        reason = error.reason
      }
    }
    throw .failed(path: file, action: "read", reason: reason)
  }

  /// Sorted names in a folder; empty if it is missing.
  static func names(in folder: String) throws(StoreError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      if SystemFiles().kind(of: folder) == .nothing { return [] }
      let system = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      throw .failed(
        path: folder, action: "list the folder",
        reason: system.map { String(cString: strerror(Int32(truncatingIfNeeded: $0.code))) }
          ?? error.localizedDescription)
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
    option ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
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
      "\(path): no store found; 'larder run --store' creates one"
    case .notAStore(let path):
      "\(path): not a store; name an empty folder, or a store created by 'larder run --store'"
    case .version(let path, let found):
      "\(path): has store version \(found), but this larder reads version \(ResultStore.version)"
    case .failed(let path, let action, let reason): "\(path): cannot \(action): \(reason)"
    case .noCacheFolder:
      "neither XDG_CACHE_HOME nor HOME is set: name the store with --store or LARDER_STORE"
    }
  }

  var reason: String {
    if case .failed(_, _, let reason) = self { return reason }
    return description
  }
}
