import Larder
import LarderLibc

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// A simulated disk as a file layer ("VFS") of SQLite, which makes the same calls as SQLite's own
/// for Unix. For one connection at a time; it locks nothing and shares no memory, because the
/// caches open their database exclusively.
final class SimulatedDatabaseLayer {
  let name: String
  unowned let disk: SimulatedDisk
  private let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
  private let cName: UnsafeMutablePointer<CChar>?

  init(_ disk: SimulatedDisk) {
    self.disk = disk
    name = "larder-disk-\(UInt(bitPattern: ObjectIdentifier(disk)))"
    cName = strdup(name)
    guard let system = sqlite3_vfs_find(nil) else { fatalError("SQLite has no file layer") }
    vfs.initialize(to: system.pointee)
    vfs.pointee.zName = UnsafePointer(cName)
    vfs.pointee.pNext = nil
    vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    vfs.pointee.szOsFile = Int32(MemoryLayout<OpenHandle>.size)
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      guard let layer = SimulatedDatabaseLayer.of(vfs), let file else { return SQLITE_CANTOPEN }
      return layer.open(name, UnsafeMutableRawPointer(file), flags, outFlags)
    }
    vfs.pointee.xDelete = { vfs, name, syncs in
      guard let layer = SimulatedDatabaseLayer.of(vfs), let name else { return SQLITE_MISUSE }
      return layer.delete(String(cString: name), syncs: syncs != 0)
    }
    vfs.pointee.xAccess = { vfs, name, _, answer in
      guard let layer = SimulatedDatabaseLayer.of(vfs), let name else { return SQLITE_MISUSE }
      answer?.pointee = layer.exists(String(cString: name)) ? 1 : 0
      return SQLITE_OK
    }
    vfs.pointee.xFullPathname = { _, name, count, out in
      guard let name, let out, strlen(name) < Int(count) else { return SQLITE_CANTOPEN }
      strcpy(out, name)
      return SQLITE_OK
    }
    sqlite3_vfs_register(vfs, 0)
  }

  deinit {
    sqlite3_vfs_unregister(vfs)
    vfs.deallocate()
    free(cName)
  }

  private static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedDatabaseLayer? {
    vfs?.pointee.pAppData.map {
      Unmanaged<SimulatedDatabaseLayer>.fromOpaque($0).takeUnretainedValue()
    }
  }

  private func open(
    _ name: UnsafePointer<CChar>?, _ memory: UnsafeMutableRawPointer, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let handle = memory.bindMemory(to: OpenHandle.self, capacity: 1)
    handle.initialize(to: OpenHandle())
    // A file without a name is SQLite's own and is never found again.
    guard let name else {
      handle.pointee.open(OpenDatabaseFile(disk, SimulatedFile(), "", syncsFolder: false))
      return SQLITE_OK
    }
    let path = String(cString: name)
    let isMissing = disk.file(path) == nil
    let creates = flags & SQLITE_OPEN_CREATE != 0 && isMissing
    var isReadOnly = flags & SQLITE_OPEN_READWRITE == 0
    do throws(FileFailure) {
      try disk.begin(isReadOnly ? .openToRead : creates ? .create : .openToWrite, path)
      if creates {
        try disk.set(path, .file(SimulatedFile()))
        try disk.end(path)
      }
    } catch {
      // If a file cannot be opened for writing, it may be opened for reading.
      guard disk.isOn, !isReadOnly, (try? disk.begin(.openToRead, path)) != nil else {
        return SQLITE_CANTOPEN
      }
      isReadOnly = true
    }
    guard let file = disk.file(path) else { return SQLITE_CANTOPEN }
    let isJournal = flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0
    handle.pointee.open(
      OpenDatabaseFile(
        disk, file, path, syncsFolder: isJournal && flags & SQLITE_OPEN_CREATE != 0))
    let access = SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY | SQLITE_OPEN_CREATE
    outFlags?.pointee =
      isReadOnly ? flags & ~access | SQLITE_OPEN_READONLY : flags
    return SQLITE_OK
  }

  private func delete(_ path: String, syncs: Bool) -> Int32 {
    do throws(FileFailure) {
      try disk.begin(.remove, path)
      guard disk.file(path) != nil else { return SQLiteCode.deleteMissing }
      try disk.set(path, nil)
      try disk.end(path)
    } catch {
      return SQLiteCode.delete
    }
    guard syncs else { return SQLITE_OK }
    do throws(FileFailure) {
      try disk.syncFolder(SimulatedDisk.split(path).folder)
      return SQLITE_OK
    } catch {
      return SQLiteCode.syncFolder
    }
  }

  /// True if a file exists. SQLite treats an empty file, and a failure, as missing.
  private func exists(_ path: String) -> Bool {
    guard (try? disk.begin(.ask, path)) != nil else { return false }
    return disk.file(path)?.bytes.isEmpty == false
  }
}

/// Extended result codes, macros that Swift cannot import.
enum SQLiteCode {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let sync = SQLITE_IOERR | 4 << 8
  static let syncFolder = SQLITE_IOERR | 5 << 8
  static let truncate = SQLITE_IOERR | 6 << 8
  static let size = SQLITE_IOERR | 7 << 8
  static let delete = SQLITE_IOERR | 10 << 8
  static let deleteMissing = SQLITE_IOERR | 23 << 8
}
