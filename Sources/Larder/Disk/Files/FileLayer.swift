import LarderLibc

/// The file-system operations of a disk cache, each of which a test can make fail.
///
/// Paths are the cache's own: made from numbers, never from keys.
package protocol FileLayer: Sendable {
  /// Name of the file layer for SQLite, nil for its own.
  var databaseLayer: String? { get }

  /// Returns a layer that finds files below a folder by a descriptor of that folder, wherever the
  /// folder is moved; a folder that takes over its path is not touched.
  func rooted(in folder: String) throws(FileFailure) -> any FileLayer

  /// False once the path of the folder of `rooted` no longer leads to that folder.
  var isInPlace: Bool { get }

  /// Locks a folder for one cache, or returns nil if another has it.
  func take(folder: String) throws(FileFailure) -> FolderLock?

  func open(folder: String) throws(FileFailure) -> OpenFolder

  func makeFolder(_ path: String) throws(FileFailure)

  /// Lists a folder, without `.` and `..`, unordered. A missing folder is empty; anything else that
  /// is not a folder, such as a symbolic link, is an error.
  func list(_ path: String) throws(FileFailure) -> [FolderItem]

  /// Returns the kind of a file. Links are not followed.
  func kind(_ path: String) throws(FileFailure) -> FileKind

  /// Returns why other users may change a file or the contents of a folder, or nil if none but root
  /// may or it is missing. Links are followed for a folder.
  func exposure(_ path: String) throws(FileFailure) -> DiskExposure?

  /// Creates an empty file that only its owner may read and write, or revokes the permissions of
  /// others on an existing one.
  func makePrivateFile(_ path: String) throws(FileFailure)

  /// Replaces the contents of the file `path` by `bytes`, and waits until they are on the disk if
  /// `syncs`. Never writes through a link.
  ///
  /// - Parameter target: Create the file, replacing any left by an earlier process, or overwrite an
  ///   existing one, which must be a regular file.
  func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, _ target: FileTarget, syncs: Bool
  ) throws(FileFailure)

  /// Writes `bytes` at an offset of the regular file `path`, and leaves the rest unchanged; see the
  /// other `write`.
  func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, at offset: UInt64, _ target: FileTarget,
    syncs: Bool
  ) throws(FileFailure)

  /// Writes the contents of a regular file over themselves, and waits until they are on the disk.
  /// Does nothing if the file is missing. O(size).
  ///
  /// After a failed sync, the system may show content that is not on the disk and that it considers
  /// written, so that another sync is useless.
  func rewrite(_ path: String) throws(FileFailure)

  /// Fills `buffer` from an offset of a regular file below an open folder, and returns true if the
  /// file has that many bytes there.
  func read(
    _ name: ValueName, in folder: OpenFolder, at offset: UInt64,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool

  /// Fills `buffer` from the beginning of a regular file, and returns true if the file has exactly
  /// the buffer's size. Never blocks on a pipe, and follows no link.
  func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Bool

  /// Fills `buffer` from a file below an open folder, and returns true if the file has exactly the
  /// buffer's size.
  func read(
    _ name: ValueName, in folder: OpenFolder, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool

  func rename(_ path: String, to other: String) throws(FileFailure)

  /// Waits until the names in a folder are on the disk.
  func syncFolder(_ path: String) throws(FileFailure)

  func remove(_ path: String) throws(FileFailure)

  func removeFolder(_ path: String) throws(FileFailure)

  /// Returns the size of a file in bytes, 0 if it is missing. Links are not followed.
  func size(_ path: String) throws(FileFailure) -> UInt64

  /// Waits until a file is on the disk, and drops it from the system's page cache. Returns false if
  /// the system has no call for that. Does nothing if the file is missing.
  func dropCached(_ path: String) throws(FileFailure) -> Bool

  /// Drops a file from the system's page cache that this process has open, without opening and
  /// closing it: closing it again would release SQLite's locks on it.
  func dropCachedOpen(_ path: String) throws(FileFailure) -> Bool

  /// Returns the bytes that an ordinary user may still write to the disk that holds `path`.
  func freeBytes(at path: String) throws(FileFailure) -> UInt64
}

extension FileLayer {
  package var databaseLayer: String? { nil }

  package func rooted(in folder: String) throws(FileFailure) -> any FileLayer { self }

  package var isInPlace: Bool { true }

  /// Nil for a layer without users.
  package func exposure(_ path: String) throws(FileFailure) -> DiskExposure? { nil }

  /// Uses a lock of the system, on the file `lock` in the folder.
  package func take(folder: String) throws(FileFailure) -> FolderLock? {
    try FolderLock.take(folder: folder, SystemFiles())
  }

  package func open(folder: String) throws(FileFailure) -> OpenFolder { try OpenFolder(folder) }

  /// Removes a file or a folder with all its contents. Links are removed, and not followed.
  /// O(contents).
  package func removeTree(_ path: String) throws(FileFailure) {
    guard try kind(path) == .folder else { return try remove(path) }
    for item in try list(path) { try removeTree("\(path)/\(item.name)") }
    try removeFolder(path)
  }

  func removeFile(_ path: String) throws(FileFailure) {
    if try kind(path) == .file { try remove(path) }
  }

  /// Removes the regular files of a folder whose names are the cache's, and the folder if it is
  /// empty then. Removes as many as possible before it throws.
  func removeFiles(in path: String, where isOwn: (String) -> Bool) throws(FileFailure) {
    guard try kind(path) == .folder else { return }
    var failure: FileFailure?
    for item in try list(path) where item.kind == .file && isOwn(item.name) {
      do throws(FileFailure) {
        try remove("\(path)/\(item.name)")
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    try removeIfEmpty(path)
  }

  /// Removes a folder unless it has contents, or is no folder.
  func removeIfEmpty(_ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      if try kind(path) == .folder { try removeFolder(path) }
    } catch {
      guard [ENOTEMPTY, EEXIST].contains(error.number) else { throw error }
    }
  }
}

/// Kind of a file.
package enum FileKind: Sendable, Hashable {
  case missing
  case file
  case folder
  case other
}

/// A file or folder listed in a folder.
package struct FolderItem: Sendable, Hashable {
  package var name: String
  package var kind: FileKind

  package init(name: String, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}

/// Target of a write.
package enum FileTarget: Sendable, Hashable {
  /// A new file; any file of that name is removed first.
  case new
  case existing
}

/// Name of a value's file below the folder of all values: a shard and a number, such as `0a/4a`.
///
/// Created for every read, therefore without allocating.
package struct ValueName: Sendable {
  private var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)

  package init(_ number: UInt64, shards: UInt64) {
    let shard = number % shards
    withUnsafeMutableBytes(of: &bytes) { bytes in
      bytes[0] = Self.digit(shard >> 4)
      bytes[1] = Self.digit(shard)
      bytes[2] = UInt8(ascii: "/")
      let digits = max(1, (67 - number.leadingZeroBitCount) / 4)
      for place in 0..<digits {
        bytes[3 + place] = Self.digit(number >> UInt64(4 * (digits - 1 - place)))
      }
    }
  }

  /// Creates the name of a segment file, such as `s4a`.
  package init(segment number: UInt64) {
    withUnsafeMutableBytes(of: &bytes) { bytes in
      bytes[0] = UInt8(ascii: "s")
      let digits = max(1, (67 - number.leadingZeroBitCount) / 4)
      for place in 0..<digits {
        bytes[1 + place] = Self.digit(number >> UInt64(4 * (digits - 1 - place)))
      }
    }
  }

  private static func digit(_ number: UInt64) -> UInt8 {
    let digit = UInt8(number & 15)
    return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }

  func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    withUnsafePointer(to: bytes) {
      $0.withMemoryRebound(to: CChar.self, capacity: 24) { body($0) }
    }
  }

  package var text: String { withPath { String(cString: $0) } }
}

/// A failed call to the file system.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call: `open`, `write`, `rename` ...
  package let call: String
  package let path: String
  package let number: Int32

  /// Creates a failure; `number` is the system's `errno`.
  package init(_ call: String, _ path: String, _ number: Int32) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// True if the file does not exist.
  package var isMissing: Bool { number == ENOENT }

  /// True if the name is not that of a regular file: it is missing, a link, a folder, a pipe or a
  /// device.
  package var isNoFile: Bool {
    [ENOENT, ELOOP, EMLINK, EISDIR, ENOTDIR, ENXIO, ESPIPE, EINVAL].contains(number)
  }

  /// True if this process, or this file system, does not support the call at all.
  package var isForbidden: Bool { [EACCES, EPERM, EINVAL, ENOTSUP, EROFS].contains(number) }

  /// True if the cause is not the file, but the load of the process or the machine: no memory, or
  /// no file descriptor.
  package var isPassing: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(number) }

  package var description: String {
    "\(path): cannot \(call): \(String(cString: strerror(number)))"
  }
}
