#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of a disk cache: its layout, and the files of large values.
///
/// A value's file is named by a number; it counts only once a row with that number is committed. A
/// few files that no row names any more are kept to be overwritten, which costs about two thirds of
/// creating and removing one.
final class DiskFolder {
  private static let shards: UInt64 = 64
  private static let spareFilesMax = 32
  private static let spareBytesMax: UInt64 = 32 << 20

  let path: String
  let files: any FileLayer
  private let syncs: Bool
  /// Segment files.
  let segments: DiskSegments
  // Cached, because building a path is as expensive as some of the calls that use it.
  private let shardPaths: [String]
  private var nextNumber: UInt64 = 1
  private var spare: [(number: UInt64, bytes: UInt64)] = []
  private var spareFileBytes: UInt64 = 0
  private var fileBytesWritten: UInt64 = 0
  private var names = DiskShardNames()
  private var doubtsDatabaseName = false
  // Files that are being read without the lock, once per reader: few, because threads are few.
  private var pins: [UInt64] = []
  /// The folder of all value files.
  let values: OpenFolder

  var databasePath: String { path + "/index.sqlite" }
  var logPath: String { databasePath + "-wal" }
  var journalPath: String { databasePath + "-journal" }
  var orderPath: String { path + "/order" }
  private var temporaryPath: String { path + "/files/new" }
  var asidePath: String { path + "/damaged" }

  /// Creates the folder if there is none.
  init(
    path: String, files: any FileLayer, syncs: Bool, segmentBytes: Int
  ) throws(FileFailure) {
    self.path = path
    self.syncs = syncs
    try files.makeFolder(path)
    // From here on another folder that takes over the path is not touched.
    let files = try files.rooted(in: path)
    self.files = files
    segments = DiskSegments(
      folder: path + "/files", files: files, syncs: syncs, bytesMax: segmentBytes)
    shardPaths = (0..<Self.shards).map { Self.shard(path, $0) + "/" }
    if try ![.folder, .missing].contains(files.kind(path + "/files")) {
      try files.remove(path + "/files")
    }
    try files.makeFolder(path + "/files")
    values = try files.open(folder: path + "/files")
  }

  private static func shard(_ path: String, _ number: UInt64) -> String {
    let name = String(number % shards, radix: 16)
    return "\(path)/files/\(name.count < 2 ? "0" : "")\(name)"
  }

  /// Name below `values` of the file with a number.
  func name(_ number: UInt64) -> ValueName {
    if let place = DiskSegmentPlace(number) { return DiskSegments.name(place.segment) }
    return ValueName(number, shards: Self.shards)
  }

  private func filePath(_ number: UInt64) -> String {
    shardPaths[Int(number % Self.shards)] + String(number, radix: 16)
  }

  /// Writes a value and returns the number of its file, which no row names yet.
  func write(_ value: UnsafeRawBufferPointer) throws(FileFailure) -> UInt64 {
    if segments.takes(value.count) {
      do throws(FileFailure) {
        return try segments.write(value)
      } catch {
        // The disk may be full, and the spare files' space needed for others.
        removeSpare()
        throw error
      }
    }
    while let old = spare.popLast() {
      spareFileBytes -= old.bytes
      do throws(FileFailure) {
        if syncs, !names.areSynced(old.number % Self.shards) { try syncShard(of: old.number) }
        // No row names it, so it serves as a temporary file.
        try write(value, to: filePath(old.number), .existing)
        return old.number
      } catch {
        // The file was removed or replaced by something else.
        guard error.isNoFile else { throw error }
      }
    }
    let number = nextNumber
    nextNumber += 1
    let (final, shard) = (filePath(number), number % Self.shards)
    if names.isUnnamed(shard) { try files.removeTree(Self.shard(path, number)) }
    try write(value, to: temporaryPath, .new)
    do throws(FileFailure) {
      try files.rename(temporaryPath, to: final)
    } catch {
      guard error.isMissing else { throw error }
      if syncs { names.make(shard) }
      try files.makeFolder(Self.shard(path, number))
      try files.rename(temporaryPath, to: final)
    }
    if syncs { try syncNames(of: number) }
    return number
  }

  /// Waits until the names of a new file and of its shard are on the disk; removes the file on
  /// failure.
  private func syncNames(of number: UInt64) throws(FileFailure) {
    let shard = number % Self.shards
    if names.isUnnamed(shard) {
      do throws(FileFailure) {
        try files.syncFolder(path + "/files")
      } catch {
        try? files.remove(filePath(number))
        throw error
      }
      names.name(shard)
    }
    try syncShard(of: number)
  }

  /// Waits until all names in the shard of a file that no row names are on the disk. On failure
  /// removes the file and all spare files of the shard: their names may be lost although the system
  /// considers them written.
  private func syncShard(of number: UInt64) throws(FileFailure) {
    let shard = number % Self.shards
    do throws(FileFailure) {
      try files.syncFolder(Self.shard(path, number))
    } catch {
      names.doubt(shard)
      try? files.remove(filePath(number))
      for file in spare where file.number % Self.shards == shard {
        try? files.remove(filePath(file.number))
        spareFileBytes -= file.bytes
      }
      spare.removeAll { $0.number % Self.shards == shard }
      throw error
    }
    names.sync(shard)
  }

  /// Creates the database's file if there is none, accessible to its owner only. An empty one is
  /// created again if its name may be lost: only then does the system have a change to write.
  func makeDatabaseFile() throws(FileFailure) {
    if doubtsDatabaseName, try files.size(databasePath) == 0 { try files.remove(databasePath) }
    try files.makePrivateFile(databasePath)
  }

  /// Waits until the name of the database's file is on the disk, if the file system supports that.
  func syncDatabaseName() throws(FileFailure) {
    do throws(FileFailure) {
      try syncDatabaseNames()
      doubtsDatabaseName = false
    } catch {
      doubtsDatabaseName = true
      throw error
    }
  }

  /// Waits until the names of the database's files are on the disk, if the file system supports
  /// that.
  func syncDatabaseNames() throws(FileFailure) {
    do throws(FileFailure) {
      try files.syncFolder(path)
    } catch {
      guard error.isForbidden else { throw error }
    }
  }

  /// Waits until the names in the folder and those of its parent folders are on the disk: a process
  /// that ended before it could sync them may have created them.
  func syncNames() throws(FileFailure) {
    try files.syncFolder(path + "/files")
    try files.syncFolder(path)
    var rest = Substring(path)
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      do throws(FileFailure) {
        try files.syncFolder(rest.isEmpty ? "/" : String(rest))
      } catch {
        // Another user's folder, which this process may only traverse.
        guard error.isForbidden else { throw error }
      }
    }
  }

  /// Writes a file that no row names, and removes it on failure. If even that fails, the next
  /// opening removes it.
  private func write(
    _ value: UnsafeRawBufferPointer, to path: String, _ target: FileTarget
  ) throws(FileFailure) {
    do throws(FileFailure) {
      try files.write(value, to: path, target, syncs: syncs)
      fileBytesWritten += UInt64(value.count)
    } catch {
      try? files.remove(path)
      // The disk may be full, and the spare files' space needed for others.
      if !error.isNoFile { removeSpare() }
      throw error
    }
  }

  /// True if files are kept to be overwritten.
  var hasSpare: Bool { !spare.isEmpty || segments.hasSpare }

  /// Bytes of files kept to be overwritten.
  var spareBytes: UInt64 { spareFileBytes + segments.spareBytes }

  /// Bytes of values written since the folder was opened, copies included.
  var bytesWritten: UInt64 { fileBytesWritten + segments.bytesWritten }

  /// Protects a file from being overwritten until the matching `unpin`.
  func pin(_ number: UInt64) {
    if let place = DiskSegmentPlace(number) { return segments.pin(place.segment) }
    pins.append(number)
  }

  /// Ends one read of a file.
  func unpin(_ number: UInt64) {
    if let place = DiskSegmentPlace(number) { return segments.unpin(place.segment) }
    if let place = pins.firstIndex(of: number) { pins.remove(at: place) }
  }

  /// Reclaims a file that no committed row names. If it cannot be removed, the next opening removes
  /// it.
  func retire(_ number: UInt64, bytes: UInt64, keeps: Bool) {
    if let place = DiskSegmentPlace(number) {
      return segments.retire(place, bytes: bytes, keeps: keeps)
    }
    guard keeps, spare.count < Self.spareFilesMax, spareFileBytes + bytes <= Self.spareBytesMax,
      !pins.contains(number), !names.isDoubtful(number % Self.shards)
    else {
      try? files.remove(filePath(number))
      return
    }
    spare.append((number, bytes))
    spareFileBytes += bytes
  }

  /// Removes the files kept to be overwritten.
  func removeSpare() {
    segments.removeSpare()
    for file in spare { try? files.remove(filePath(file.number)) }
    spare = []
    spareFileBytes = 0
  }

  /// Removes every file whose number is not in `named`, and returns the numbers of the files that
  /// exist. Files that are not regular or cannot be removed do not prevent opening. O(files).
  ///
  /// - Throws: If a folder cannot be listed, so that its files are unknown.
  func sweep(keeping named: Set<UInt64>) throws(FileFailure) -> Set<UInt64> {
    var found: Set<UInt64> = []
    var largest = named.max() ?? 0
    spare = []
    spareFileBytes = 0
    try? files.removeTree(temporaryPath)
    for shard in 0..<Self.shards {
      let folder = Self.shard(path, shard)
      let kind = try files.kind(folder)
      if kind == .other || kind == .file { try files.remove(folder) }
      for item in try files.list(folder) {
        let number = UInt64(item.name, radix: 16).flatMap { $0 <= Self.fileNumberMax ? $0 : nil }
        if item.kind == .file, let number, named.contains(number),
          filePath(number) == "\(folder)/\(item.name)"
        {
          found.insert(number)
        } else {
          let isGone = (try? files.removeTree("\(folder)/\(item.name)")) != nil
          // Its name is not used again.
          if !isGone, let number { largest = max(largest, number) }
        }
      }
    }
    nextNumber = max(nextNumber, largest + 1)
    return found
  }

  /// The largest plausible number of a single value's file, far from overflow and from the numbers
  /// of segment offsets.
  private static var fileNumberMax: UInt64 { 1 << 60 }

  /// The largest number of a file, or of a segment offset, that a row may name.
  static var numberMax: UInt64 { 1 << 62 }

  /// Drops a value's file from the system's page cache; see `FileLayer`.
  func dropCached(_ number: UInt64) throws(FileFailure) -> Bool {
    try files.dropCached(filePath(number))
  }
}

/// Sync state of the names in the folders of values, for durability that requires it. One bit for
/// each of 64 folders.
///
/// The system may report once that it could not write a folder, and consider it written from then
/// on. Only a name that is created again is a change that it still has to write.
struct DiskShardNames {
  private var synced: UInt64 = 0
  private var unnamed: UInt64 = 0
  private var doubtful: UInt64 = 0

  /// Creates a state in which no folder is known to be synced.
  init() {}

  private static func bit(_ shard: UInt64) -> UInt64 { 1 << (shard & 63) }

  /// True if all names in a folder are on the disk, including those created by earlier processes.
  func areSynced(_ shard: UInt64) -> Bool { synced & Self.bit(shard) != 0 }

  /// True if the name of a folder itself may not be on the disk: it contains no committed files,
  /// and must be created again.
  func isUnnamed(_ shard: UInt64) -> Bool { unnamed & Self.bit(shard) != 0 }

  /// True if names in a folder may be lost even if another sync succeeds: a file there must not be
  /// overwritten under its present name.
  func isDoubtful(_ shard: UInt64) -> Bool { doubtful & Self.bit(shard) != 0 }

  /// Records that a folder was created.
  mutating func make(_ shard: UInt64) { unnamed |= Self.bit(shard) }

  /// Records that the name of a folder is on the disk.
  mutating func name(_ shard: UInt64) { unnamed &= ~Self.bit(shard) }

  /// Records that a folder was synced.
  mutating func sync(_ shard: UInt64) { synced |= Self.bit(shard) }

  /// Records that a folder could not be synced.
  mutating func doubt(_ shard: UInt64) { doubtful |= Self.bit(shard) }
}

extension DiskFolder {
  /// Converts a path, or the string of a file URL, to an absolute path.
  ///
  /// - Throws: `files` for a URL without an absolute path.
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

/// Unreadable databases, which are set aside for inspection.
extension DiskFolder {
  /// Maximum number of copies kept.
  private static var asideMax: Int { 2 }

  /// Names of the database and its associated files.
  private var databaseNames: [String] {
    ["", "-wal", "-shm", "-journal"].map { databasePath + $0 }
  }

  /// Moves the database and its associated files into a new folder, and returns that, or nil if
  /// they could only be removed. Files of values are left to `sweep`. Only the newest copies are
  /// kept.
  ///
  /// - Throws: If the database can be neither renamed nor removed.
  func setDatabaseAside() throws(FileFailure) -> String? {
    let place = try? makeAside()
    var isKept = false
    // The database first: if the process ends in between, SQLite removes a log without a database.
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

  /// Removes the database and its associated files. Files of values are left to `sweep`.
  func removeDatabase() throws(FileFailure) {
    for path in databaseNames { try files.removeTree(path) }
    try files.removeTree(orderPath)
  }

  /// Removes the journal that a process with durability `none` left when it was killed: once the
  /// database has a log, every necessary rollback has been done.
  func removeJournal() {
    if (try? files.kind(journalPath)) == .file { try? files.remove(journalPath) }
  }

  /// Frees the space of the journal, which a database without a log keeps from one commit to the
  /// next. Allowed only while nothing may have to be rolled back with it.
  func emptyJournal() {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    try? files.write(nothing, to: journalPath, .existing, syncs: false)
  }

  /// Returns a name of the database's that is not a regular file, nil if there is none.
  func findNoFile() throws(FileFailure) -> String? {
    for path in databaseNames where try ![.file, .missing].contains(files.kind(path)) {
      return path
    }
    return nil
  }

  /// Removes everything that was set aside. Files that cannot be removed stay.
  func removeAside() {
    if (try? files.kind(asidePath)) != .missing { try? files.removeTree(asidePath) }
  }

  /// Bytes of the databases set aside.
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

  /// Numbers of the copies, oldest first.
  private func asideNumbers() -> [UInt32] {
    ((try? files.list(asidePath)) ?? []).compactMap { UInt32($0.name) }.filter { $0 < .max }
      .sorted()
  }
}
