import Larder
import LarderLibc

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// SQLite's state of an open file, followed by ours.
struct OpenHandle {
  var base = sqlite3_file()
  var file: Unmanaged<OpenDatabaseFile>?

  mutating func open(_ opened: OpenDatabaseFile) {
    base.pMethods = UnsafePointer(OpenDatabaseFile.methods)
    file = Unmanaged.passRetained(opened)
  }
}

/// A file of a simulated disk that SQLite has open.
final class OpenDatabaseFile {
  private let disk: SimulatedDisk
  private let file: SimulatedFile
  private let path: String
  /// True for a new journal, whose name is synced with its first sync. SQLite does not check if
  /// that succeeds.
  private var syncsFolder: Bool

  init(_ disk: SimulatedDisk, _ file: SimulatedFile, _ path: String, syncsFolder: Bool) {
    self.disk = disk
    self.file = file
    self.path = path
    self.syncsFolder = syncsFolder
  }

  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenDatabaseFile? {
    file.flatMap {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: OpenHandle.self).pointee.file?
        .takeUnretainedValue()
    }
  }

  /// Version 1: no shared memory, which a database opened by a single connection does not need, and
  /// no mapping, so that every read is a call.
  nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    methods.xClose = { file in
      guard let file else { return SQLITE_OK }
      let handle = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenHandle.self)
      handle.pointee.file?.release()
      handle.pointee.file = nil
      return SQLITE_OK
    }
    methods.xRead = { file, bytes, count, offset in
      OpenDatabaseFile.of(file)?.read(bytes, Int(count), Int(offset)) ?? SQLITE_MISUSE
    }
    methods.xWrite = { file, bytes, count, offset in
      OpenDatabaseFile.of(file)?.write(bytes, Int(count), Int(offset)) ?? SQLITE_MISUSE
    }
    methods.xTruncate = { file, size in
      OpenDatabaseFile.of(file)?.truncate(Int(size)) ?? SQLITE_MISUSE
    }
    methods.xSync = { file, _ in OpenDatabaseFile.of(file)?.sync() ?? SQLITE_MISUSE }
    methods.xFileSize = { file, size in
      OpenDatabaseFile.of(file)?.size(size) ?? SQLITE_MISUSE
    }
    methods.xLock = { _, _ in SQLITE_OK }
    methods.xUnlock = { _, _ in SQLITE_OK }
    methods.xCheckReservedLock = { _, answer in
      answer?.pointee = 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4_096 }
    // As on Unix: a power cut changes only bytes that are being written.
    methods.xDeviceCharacteristics = { _ in 0x1000 }
    let place = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    place.initialize(to: methods)
    return place
  }()

  private func read(_ bytes: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int) -> Int32 {
    guard let bytes, (try? disk.begin(.read, path)) != nil else { return SQLiteCode.read }
    let available = min(count, max(0, file.bytes.count - offset))
    if available > 0 {
      file.bytes.withUnsafeBytes { content in
        if let base = content.baseAddress {
          bytes.copyMemory(from: base + offset, byteCount: available)
        }
      }
    }
    if available == count { return SQLITE_OK }
    memset(bytes + available, 0, count - available)
    return SQLiteCode.shortRead
  }

  private func write(_ bytes: UnsafeRawPointer?, _ count: Int, _ offset: Int) -> Int32 {
    let part = UnsafeRawBufferPointer(start: bytes, count: count)
    do throws(FileFailure) {
      try disk.begin(.write, path)
    } catch {
      disk.writePart(part, at: offset, of: file)
      return error.number == ENOSPC ? SQLITE_FULL : SQLiteCode.write
    }
    file.write(part, at: offset)
    return (try? disk.end(path)) == nil ? SQLiteCode.write : SQLITE_OK
  }

  private func truncate(_ size: Int) -> Int32 {
    guard (try? disk.begin(.truncate, path)) != nil else { return SQLiteCode.truncate }
    file.resize(size)
    return (try? disk.end(path)) == nil ? SQLiteCode.truncate : SQLITE_OK
  }

  private func sync() -> Int32 {
    guard (try? disk.sync(file, path)) != nil else { return SQLiteCode.sync }
    if syncsFolder {
      try? disk.syncFolder(SimulatedDisk.split(path).folder)
      syncsFolder = false
    }
    return SQLITE_OK
  }

  private func size(_ answer: UnsafeMutablePointer<sqlite3_int64>?) -> Int32 {
    guard (try? disk.begin(.ask, path)) != nil else { return SQLiteCode.size }
    answer?.pointee = sqlite3_int64(file.bytes.count)
    return SQLITE_OK
  }
}
