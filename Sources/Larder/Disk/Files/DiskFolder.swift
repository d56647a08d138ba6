#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

final class DiskFolder {
  let path: String
  let files: any FileLayer
  let values: ValueStores
  private var doubtsDatabaseName = false
  /// Pages of the log that may not be on the disk, and must be found when it is opened again.
  var pagesAtRisk = 0

  var databasePath: String { Self.databasePath(in: path) }
  var logPath: String { databasePath + "-wal" }
  var journalPath: String { databasePath + "-journal" }
  var snapshotPath: String { path + "/snapshot" }
  var asidePath: String { path + "/damaged" }

  static func databasePath(in folder: String) -> String { folder + "/index.sqlite" }

  init(
    path: String, files: any FileLayer, syncs: Bool, segmentBytes: Int
  ) throws(FileFailure) {
    self.path = path
    try files.makeFolder(path)
    // From here on another folder that takes over the path is not touched.
    let files = try files.rooted(in: path)
    self.files = files
    values = try ValueStores(
      folder: path + "/files", files: files, syncs: syncs, segmentBytes: segmentBytes)
  }

  /// Creates the database's file if there is none, accessible to its owner only. An empty one is
  /// created again if its name may be lost: only then does the system have a change to write.
  func makeDatabaseFile() throws(FileFailure) {
    if doubtsDatabaseName, try files.size(databasePath) == 0 { try files.remove(databasePath) }
    try files.makePrivateFile(databasePath)
  }

  func syncDatabaseName() throws(FileFailure) {
    do throws(FileFailure) {
      try syncDatabaseNames()
      doubtsDatabaseName = false
    } catch {
      doubtsDatabaseName = true
      throw error
    }
  }

  func syncDatabaseNames() throws(FileFailure) {
    do throws(FileFailure) {
      try files.syncFolder(path)
    } catch {
      guard error.isForbidden else { throw error }
    }
  }

  func syncNames() throws(FileFailure) {
    try files.syncFolder(path + "/files")
    try files.syncFolder(path)
    var rest = Substring(path)
    while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
      rest = rest[..<slash]
      do throws(FileFailure) {
        try files.syncFolder(rest.isEmpty ? "/" : String(rest))
      } catch {
        // Another user's folder, which this process may only traverse.
        guard error.isForbidden else { throw error }
      }
    }
  }

  static var numberMax: UInt64 { 1 << 62 }
}

extension DiskFolder {
  static func absolutePath(_ text: String) throws(DiskCacheError) -> String {
    var path = text
    if text.lowercased().hasPrefix("file:") {
      guard let url = URL(string: text), url.isFileURL,
        ["", "localhost"].contains(url.host(percentEncoded: false) ?? "")
      else { throw notAPath(text) }
      path = url.path(percentEncoded: false)
      guard path.hasPrefix("/") else { throw notAPath(text) }
    }
    guard !path.isEmpty, !path.utf8.contains(0),
      path.hasPrefix("/") || path.firstRange(of: "://") == nil
    else {
      throw notAPath(text)
    }
    let slash = UInt8(ascii: "/")
    while path.utf8.count > 1, path.utf8.last == slash { path.unicodeScalars.removeLast() }
    if path.utf8.first == slash { return path }
    let folder = FileManager.default.currentDirectoryPath
    guard folder.hasPrefix("/") else {
      throw .files(
        message: "\(text): the working directory cannot be found; pass an absolute path")
    }
    return (folder == "/" ? "" : folder) + "/" + path
  }

  static func notAPath(_ text: String) -> DiskCacheError {
    .files(
      message: "'\(text)' is not the path of a folder; expected a path such as /var/cache/app or "
        + "cache, or a file URL such as file:///var/cache/app")
  }
}

extension DiskFolder {
  private var databaseNames: [String] {
    ["", "-wal", "-shm", "-journal"].map { databasePath + $0 }
  }

  /// Moves the database and its associated files into the folder `damaged`, in place of an earlier
  /// copy, or removes them. Files of values are left to `sweep`.
  ///
  /// - Throws: If the database can be neither renamed nor removed.
  func setDatabaseAside() throws(FileFailure) {
    pagesAtRisk = 0
    let hasPlace = (try? makeAside()) != nil
    var isKept = false
    // The database first: if the process ends in between, SQLite removes a log without a database.
    for path in databaseNames where try files.kind(path) != .missing {
      let name = path.dropFirst(self.path.count)
      if hasPlace, (try? files.rename(path, to: asidePath + name)) != nil {
        isKept = true
      } else {
        try files.removeTree(path)
      }
    }
    try? files.removeTree(snapshotPath)
    if !isKept { try? removeAside() }
  }

  func removeDatabase() throws(FileFailure) {
    pagesAtRisk = 0
    for path in databaseNames { try files.removeTree(path) }
    try files.removeTree(snapshotPath)
  }

  /// Removes the journal that a process with durability `none` left when it was killed: once the
  /// database has a log, every necessary rollback has been done.
  func removeJournal() {
    if (try? files.kind(journalPath)) == .file { try? files.remove(journalPath) }
  }

  func removeSharedMemory() { try? files.removeFile(databasePath + "-shm") }

  /// Frees the space of the journal, which a database without a log keeps from one commit to the
  /// next. Allowed only while nothing may have to be rolled back with it.
  func emptyJournal() {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    try? files.write(nothing, to: journalPath, at: nil, .existing, syncs: false)
  }

  func findNoFile() throws(FileFailure) -> String? {
    for path in databaseNames where try ![.file, .missing].contains(files.kind(path)) {
      return path
    }
    return nil
  }

  func findExposure() throws(FileFailure) -> DiskCacheError? {
    for path in [path, values.folder.path] + databaseNames {
      if let exposure = try files.exposure(path) { return exposure }
    }
    return nil
  }

  func removeAside() throws(FileFailure) {
    if try files.kind(asidePath) != .missing { try files.removeTree(asidePath) }
  }

  /// True if a database was set aside and none has been created since.
  var hasOnlyAside: Bool {
    (try? files.kind(asidePath + databasePath.dropFirst(path.count))) == .file
      && (try? files.size(databasePath)) == 0
  }

  var asideBytes: UInt64 {
    ((try? files.list(asidePath)) ?? []).reduce(0) { sum, item in
      sum + (item.kind == .file ? (try? files.size("\(asidePath)/\(item.name)")) ?? 0 : 0)
    }
  }

  private func makeAside() throws(FileFailure) {
    try removeAside()
    try files.makeFolder(asidePath)
  }
}

#if canImport(Darwin)
  extension DiskFolder {
    func setAttributes(_ configuration: DiskConfiguration) throws(DiskCacheError) {
      do {
        if configuration.isExcludedFromBackup {
          var url = URL(fileURLWithPath: path, isDirectory: true)
          var values = URLResourceValues()
          values.isExcludedFromBackup = true
          try url.setResourceValues(values)
        }
        guard let protection = configuration.fileProtection else { return }
        let folders = [path, values.folder.path]
        let shards = try files.list(values.folder.path).filter { $0.kind == .folder }
          .map { "\(values.folder.path)/\($0.name)" }
        for item in folders + shards + databaseNames where try files.kind(item) != .missing {
          try FileManager.default.setAttributes(
            [.protectionKey: protection.type], ofItemAtPath: item)
        }
      } catch {
        throw .files(message: "\(path): its attributes cannot be set: \(error)")
      }
    }
  }

  extension DiskFileProtection {
    fileprivate var type: FileProtectionType {
      switch self {
      case .none: .none
      case .complete: .complete
      case .completeUnlessOpen: .completeUnlessOpen
      case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
      }
    }
  }
#endif

extension DiskFolder {
  func removeFiles() throws(FileFailure) {
    var failure: FileFailure?
    func attempt(_ body: () throws(FileFailure) -> Void) {
      do throws(FileFailure) { try body() } catch { failure = failure ?? error }
    }
    // The database first: values without rows are removed by the next opening, in any case.
    for path in databaseNames + [snapshotPath, snapshotPath + ".new"] {
      attempt { () throws(FileFailure) in try files.removeFile(path) }
    }
    let names = Set(databaseNames.map { $0.dropFirst(path.count + 1) })
    attempt { () throws(FileFailure) in
      try files.removeFiles(in: asidePath) { names.contains($0[...]) }
    }
    attempt { () throws(FileFailure) in try values.removeFiles() }
    if let failure { throw failure }
    try files.removeFile(path + "/lock")
  }
}
