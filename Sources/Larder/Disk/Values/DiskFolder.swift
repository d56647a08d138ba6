#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of a disk cache: where what stands, and the files of large values.
///
/// A value's file is named for a number, and the row that is committed after it is what makes it
/// count. Files that no row names any more are kept, a few, to be written over: that costs about
/// two thirds of making and removing one.
final class DiskFolder {
  private static let shards: UInt64 = 64
  private static let spareFilesMax = 32
  private static let spareBytesMax: UInt64 = 32 << 20

  let path: String
  let files: any FileLayer
  private let syncs: Bool
  /// Values that share files.
  let segments: DiskSegments
  // Putting a path together costs as much as some of what is done with it.
  private let shardPaths: [String]
  private var nextNumber: UInt64 = 1
  private var spare: [(number: UInt64, bytes: UInt64)] = []
  private var spareFileBytes: UInt64 = 0
  private var fileBytesWritten: UInt64 = 0
  private var names = DiskShardNames()
  private var doubtsDatabaseName = false
  // Files that are being read without the lock, each as often as it is: few, as threads are.
  private var pins: [UInt64] = []
  /// The folder of all files of values.
  let values: OpenFolder

  var databasePath: String { path + "/index.sqlite" }
  var logPath: String { databasePath + "-wal" }
  var journalPath: String { databasePath + "-journal" }
  var orderPath: String { path + "/order" }
  private var temporaryPath: String { path + "/files/new" }
  var asidePath: String { path + "/damaged" }

  /// Makes the folder where there is none.
  init(
    path: String, files: any FileLayer, syncs: Bool, segmentBytes: Int
  ) throws(FileFailure) {
    self.path = path
    self.syncs = syncs
    try files.makeFolder(path)
    // From here on another folder that takes the path is not touched.
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

  /// Where the file of a number stands below `values`.
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
        // It may have been for want of room, which others then need, too.
        removeSpare()
        throw error
      }
    }
    while let old = spare.popLast() {
      spareFileBytes -= old.bytes
      do throws(FileFailure) {
        if syncs, !names.areSynced(old.number % Self.shards) { try syncShard(of: old.number) }
        // No row names it, so that it is as good as a temporary file.
        try write(value, to: filePath(old.number), .existing)
        return old.number
      } catch {
        // Somebody has removed it, or put something else in its place.
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

  /// Waits until the name of a new file is on the disk, and that of its shard; removes the file
  /// when that fails.
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

  /// Waits until all names in the shard of a file that no row names are on the disk; gives the file
  /// up when that fails, and all that are kept for writing over in the shard: their names may be
  /// lost now though the system takes them for written.
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

  /// Makes the database's file where there is none, for its owner alone. One that is empty is made
  /// anew where its name may be lost: only that is a change which the system has yet to write.
  func makeDatabaseFile() throws(FileFailure) {
    if doubtsDatabaseName, try files.size(databasePath) == 0 { try files.remove(databasePath) }
    try files.makePrivateFile(databasePath)
  }

  /// Waits until the name of the database's file is on the disk, where the file system can.
  func syncDatabaseName() throws(FileFailure) {
    do throws(FileFailure) {
      try syncDatabaseNames()
      doubtsDatabaseName = false
    } catch {
      doubtsDatabaseName = true
      throw error
    }
  }

  /// Waits until the names of the database's files are on the disk, where the file system can.
  func syncDatabaseNames() throws(FileFailure) {
    do throws(FileFailure) {
      try files.syncFolder(path)
    } catch {
      guard error.isForbidden else { throw error }
    }
  }

  /// Waits until the names in the folder are on the disk, and those of the folders above it: they
  /// may have been made by a process that ended before it could do that.
  func syncNames() throws(FileFailure) {
    try files.syncFolder(path + "/files")
    try files.syncFolder(path)
    var rest = Substring(path)
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      do throws(FileFailure) {
        try files.syncFolder(rest.isEmpty ? "/" : String(rest))
      } catch {
        // A folder that others made, where this process may only pass through.
        guard error.isForbidden else { throw error }
      }
    }
  }

  /// Writes a file that no row names, and leaves nothing of it when that fails. Should even that
  /// fail, it goes when the cache is opened the next time.
  private func write(
    _ value: UnsafeRawBufferPointer, to path: String, _ target: FileTarget
  ) throws(FileFailure) {
    do throws(FileFailure) {
      try files.write(value, to: path, target, syncs: syncs)
      fileBytesWritten += UInt64(value.count)
    } catch {
      try? files.remove(path)
      // It may have been for want of room, which others then need, too.
      if !error.isNoFile { removeSpare() }
      throw error
    }
  }

  /// Whether files are kept for writing over.
  var hasSpare: Bool { !spare.isEmpty || segments.hasSpare }

  /// Bytes of files kept for writing over.
  var spareBytes: UInt64 { spareFileBytes + segments.spareBytes }

  /// Bytes of values written since the folder was opened, copies included.
  var bytesWritten: UInt64 { fileBytesWritten + segments.bytesWritten }

  /// Sees to it that a file is not written over until as many `unpin`.
  func pin(_ number: UInt64) {
    if let place = DiskSegmentPlace(number) { return segments.pin(place.segment) }
    pins.append(number)
  }

  /// Ends one reading of a file.
  func unpin(_ number: UInt64) {
    if let place = DiskSegmentPlace(number) { return segments.unpin(place.segment) }
    if let place = pins.firstIndex(of: number) { pins.remove(at: place) }
  }

  /// Gives up a file that no committed row names. A failure to remove it is left to the next
  /// opening, which removes all such files.
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

  /// Removes the files kept for writing over.
  func removeSpare() {
    segments.removeSpare()
    for file in spare { try? files.remove(filePath(file.number)) }
    spare = []
    spareFileBytes = 0
  }

  /// Removes every file whose number is not in `named`, and returns the numbers of the files that
  /// exist. What is no regular file, or cannot be removed, keeps nothing from opening. O(files).
  ///
  /// - Throws: when a folder cannot be listed, so that nothing is known of its files.
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

  /// The largest number of a file of a single value that is taken for one, far from where counting
  /// ends and from the numbers of places in segments.
  private static var fileNumberMax: UInt64 { 1 << 60 }

  /// The largest number of a file, or of a place in a segment, that a row may name.
  static var numberMax: UInt64 { 1 << 62 }

  /// Lets the system forget what it holds of a value's file in memory; see `FileLayer`.
  func dropCached(_ number: UInt64) throws(FileFailure) -> Bool {
    try files.dropCached(filePath(number))
  }
}

/// Which names are on the disk of those that the folders of values need, where they have to be. One
/// bit for each of 64 folders.
///
/// The system may say once that it could not write a folder, and then take it for written. Only a
/// name that is given anew is a change that it has yet to write.
struct DiskShardNames {
  private var synced: UInt64 = 0
  private var unnamed: UInt64 = 0
  private var doubtful: UInt64 = 0

  /// Nothing is known of what earlier processes have left.
  init() {}

  private static func bit(_ shard: UInt64) -> UInt64 { 1 << (shard & 63) }

  /// Whether all names in a folder are on the disk, those that earlier processes gave included.
  func areSynced(_ shard: UInt64) -> Bool { synced & Self.bit(shard) != 0 }

  /// Whether the name of a folder itself may not be: it holds nothing that counts, and has to be
  /// made anew.
  func isUnnamed(_ shard: UInt64) -> Bool { unnamed & Self.bit(shard) != 0 }

  /// Whether names in a folder may be lost though syncing it again succeeds: a file there must not
  /// be written over under the name that it has.
  func isDoubtful(_ shard: UInt64) -> Bool { doubtful & Self.bit(shard) != 0 }

  /// A folder was made.
  mutating func make(_ shard: UInt64) { unnamed |= Self.bit(shard) }

  /// The name of a folder is on the disk.
  mutating func name(_ shard: UInt64) { unnamed &= ~Self.bit(shard) }

  /// A folder was synced.
  mutating func sync(_ shard: UInt64) { synced |= Self.bit(shard) }

  /// A folder could not be synced.
  mutating func doubt(_ shard: UInt64) { doubtful |= Self.bit(shard) }
}

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
