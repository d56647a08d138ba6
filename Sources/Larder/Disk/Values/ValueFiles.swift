import LarderEngine

/// Values in files of their own.
///
/// A value's file is named by its number. A few files that no row names any more are kept to be
/// overwritten, which costs about two thirds of creating and removing one.
final class ValueFiles: ValueStore {
  static let shards: UInt64 = 64
  private static let spareFilesMax = 32
  private static let spareBytesMax: UInt64 = 32 << 20

  private let folder: String
  private let files: any FileLayer
  private let syncs: Bool
  // Cached, because building a path is as expensive as some of the calls that use it.
  private let shardPaths: [String]
  private var nextNumber: UInt64 = 1
  private var spare: [(number: UInt64, bytes: UInt64)] = []
  // Sync state of the names in the folders of values, for durability that requires it. The system
  // may report once that it could not write a folder, and consider it written from then on. Only a
  // name that is created again is a change that it still has to write.
  private var synced: Set<UInt64> = []
  /// Folders whose own names may not be on the disk: they contain no committed files, and must be
  /// created again.
  private var unnamed: Set<UInt64> = []
  /// Folders in which names may be lost even if another sync succeeds: a file there must not be
  /// overwritten under its present name.
  private var doubtful: Set<UInt64> = []
  // Files that are being read without the lock, once per reader: few, because threads are few.
  private var pins: [UInt64] = []
  var sealBytes: UInt64 = 0
  private(set) var spareBytes: UInt64 = 0
  private(set) var usedBytes: UInt64 = 0
  private(set) var bytesWritten: UInt64 = 0

  init(folder: String, files: any FileLayer, syncs: Bool) {
    self.folder = folder
    self.files = files
    self.syncs = syncs
    shardPaths = (0..<Self.shards).map { shard in
      let name = String(shard, radix: 16)
      return "\(folder)/\(name.count < 2 ? "0" : "")\(name)"
    }
  }

  private func shard(_ number: UInt64) -> String { shardPaths[Int(number % Self.shards)] }

  private func filePath(_ number: UInt64) -> String {
    shard(number) + "/" + String(number, radix: 16)
  }

  private var temporaryPath: String { folder + "/new" }

  func write(_ value: UnsafeRawBufferPointer) throws(FileFailure) -> UInt64 {
    let number = try writeFile(value)
    usedBytes += UInt64(value.count)
    return number
  }

  private func writeFile(_ value: UnsafeRawBufferPointer) throws(FileFailure) -> UInt64 {
    while let old = spare.popLast() {
      spareBytes -= old.bytes
      do throws(FileFailure) {
        if syncs, !synced.contains(old.number % Self.shards) { try syncShard(of: old.number) }
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
    if unnamed.contains(shard) { try files.removeTree(self.shard(number)) }
    try write(value, to: temporaryPath, .new)
    do throws(FileFailure) {
      try files.rename(temporaryPath, to: final)
    } catch {
      guard error.isMissing else { throw error }
      if syncs { unnamed.insert(shard) }
      try files.makeFolder(self.shard(number))
      try files.rename(temporaryPath, to: final)
    }
    if syncs { try syncNames(of: number) }
    return number
  }

  private func syncNames(of number: UInt64) throws(FileFailure) {
    let shard = number % Self.shards
    if unnamed.contains(shard) {
      do throws(FileFailure) {
        try files.syncFolder(folder)
      } catch {
        try? files.remove(filePath(number))
        throw error
      }
      unnamed.remove(shard)
    }
    try syncShard(of: number)
  }

  /// Waits until all names in the shard of a file that no row names are on the disk. On failure
  /// removes the file and all spare files of the shard: their names may be lost although the system
  /// considers them written.
  private func syncShard(of number: UInt64) throws(FileFailure) {
    let shard = number % Self.shards
    do throws(FileFailure) {
      try files.syncFolder(self.shard(number))
    } catch {
      doubtful.insert(shard)
      try? files.remove(filePath(number))
      for file in spare where file.number % Self.shards == shard {
        try? files.remove(filePath(file.number))
        spareBytes -= file.bytes
      }
      spare.removeAll { $0.number % Self.shards == shard }
      throw error
    }
    synced.insert(shard)
  }

  private func write(
    _ value: UnsafeRawBufferPointer, to path: String, _ target: FileTarget
  ) throws(FileFailure) {
    do throws(FileFailure) {
      try files.write(value, to: path, at: nil, target, syncs: syncs)
      bytesWritten += UInt64(value.count)
    } catch {
      try? files.remove(path)
      throw error
    }
  }

  func note(_ id: ObjectID, at number: UInt64) {}

  func pin(_ number: UInt64) { pins.append(number) }

  func unpin(_ number: UInt64) {
    if let place = pins.firstIndex(of: number) { pins.remove(at: place) }
  }

  func retire(_ number: UInt64, bytes: UInt64, keeps: Bool) {
    usedBytes -= min(usedBytes, bytes + sealBytes)
    guard keeps, spare.count < Self.spareFilesMax, spareBytes + bytes <= Self.spareBytesMax,
      !pins.contains(number), !doubtful.contains(number % Self.shards)
    else {
      try? files.remove(filePath(number))
      return
    }
    spare.append((number, bytes))
    spareBytes += bytes
  }

  var hasSpare: Bool { !spare.isEmpty }

  func removeSpare() {
    for file in spare { try? files.remove(filePath(file.number)) }
    spare = []
    spareBytes = 0
  }

  func sweep(keeping values: [StoredValue]) throws(FileFailure) -> Set<UInt64> {
    let named = Dictionary(values.lazy.map { ($0.number, $0.bytes) }) { first, _ in first }
    var found: Set<UInt64> = []
    var largest = named.keys.max() ?? 0
    spare = []
    (spareBytes, usedBytes) = (0, 0)
    try? files.removeTree(temporaryPath)
    for shard in 0..<Self.shards {
      let folder = self.shard(shard)
      let kind = try files.kind(folder)
      if kind == .other || kind == .file { try files.remove(folder) }
      for item in try files.list(folder) {
        let number = UInt64(item.name, radix: 16).flatMap { $0 <= Self.numberMax ? $0 : nil }
        if item.kind == .file, let number, let bytes = named[number],
          filePath(number) == "\(folder)/\(item.name)"
        {
          found.insert(number)
          usedBytes += UInt64(bytes) + sealBytes
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

  private static var numberMax: UInt64 { 1 << 60 }

  func removeFiles() throws(FileFailure) {
    try (0..<Self.shards).attempt { (shard) throws(FileFailure) in
      let folder = self.shard(shard)
      try files.removeFiles(in: folder) { name in
        UInt64(name, radix: 16).map { filePath($0) == "\(folder)/\(name)" } ?? false
      }
    }
    try files.removeFile(temporaryPath)
  }
}
