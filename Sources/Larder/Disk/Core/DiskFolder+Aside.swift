#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskFolder {
  /// The path of a folder that does not depend on the working directory. The text of a file URL is
  /// one, too.
  ///
  /// - Throws: `files` for a URL that names no absolute path.
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
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    if path.hasPrefix("/") { return path }
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

/// What cannot be read any more: kept aside, so that an app's owner may look at it.
extension DiskFolder {
  /// Copies kept.
  private static var asideMax: Int { 2 }

  /// The database and everything that belongs to it.
  private var databaseNames: [String] {
    ["", "-wal", "-shm", "-journal"].map { databasePath + $0 }
  }

  /// Renames the database and all that belongs to it into a folder of its own, and returns that, or
  /// nil when all of it could only be removed. Files of values are left to `sweep`. Only the newest
  /// copies are kept.
  ///
  /// - Throws: when the database can be neither renamed nor removed.
  func setDatabaseAside() throws(FileFailure) -> String? {
    let place = try? makeAside()
    var isKept = false
    // The database first: should the process end in between, SQLite removes a log without one.
    for path in databaseNames where try files.kind(path) != .missing {
      let name = path.dropFirst(self.path.count)
      if let place, (try? files.rename(path, to: place + name)) != nil {
        isKept = true
      } else {
        try files.removeTree(path)
      }
    }
    try? files.removeTree(orderPath)
    if let place, !isKept { try? files.removeTree(place) }
    forgetOldest()
    return isKept ? place : nil
  }

  /// Removes the database and all that belongs to it. Files of values are left to `sweep`.
  func removeDatabase() throws(FileFailure) {
    for path in databaseNames { try files.removeTree(path) }
    try files.removeTree(orderPath)
  }

  /// Removes the journal that a process with durability `none` left when it was killed: once the
  /// database has a log, whatever had to be taken back was.
  func removeJournal() {
    if (try? files.kind(journalPath)) == .file { try? files.remove(journalPath) }
  }

  /// Gives the room of the journal back, which a database without a log keeps from one commit to
  /// the next. Only while it holds nothing that may have to be taken back.
  func emptyJournal() {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    try? files.write(nothing, to: journalPath, .existing, syncs: false)
  }

  /// A name of the database's that stands for something else than a file, nil when none does.
  func findNoFile() throws(FileFailure) -> String? {
    for path in databaseNames where try ![.file, .missing].contains(files.kind(path)) {
      return path
    }
    return nil
  }

  /// Removes everything that was set aside. What cannot be removed stays.
  func removeAside() {
    if (try? files.kind(asidePath)) != .missing { try? files.removeTree(asidePath) }
  }

  /// Bytes of what was set aside.
  var asideBytes: UInt64 {
    var bytes: UInt64 = 0
    for number in asideNumbers() {
      let folder = "\(asidePath)/\(number)"
      for item in (try? files.list(folder)) ?? [] where item.kind == .file {
        bytes += (try? files.size("\(folder)/\(item.name)")) ?? 0
      }
    }
    return bytes
  }

  private func makeAside() throws(FileFailure) -> String {
    if try ![.folder, .missing].contains(files.kind(asidePath)) { try files.remove(asidePath) }
    let place = "\(asidePath)/\((asideNumbers().last ?? 0) + 1)"
    try files.makeFolder(place)
    return place
  }

  private func forgetOldest() {
    for number in asideNumbers().dropLast(Self.asideMax) {
      try? files.removeTree("\(asidePath)/\(number)")
    }
  }

  /// Numbers of the copies, the oldest first.
  private func asideNumbers() -> [UInt32] {
    ((try? files.list(asidePath)) ?? []).compactMap { UInt32($0.name) }.filter { $0 < .max }
      .sorted()
  }
}
