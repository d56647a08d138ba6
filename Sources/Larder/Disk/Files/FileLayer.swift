import LarderLibc

/// The few things that a disk cache asks of a file system, so that a test can make each fail.
///
/// Paths are the cache's own: made from numbers, never from keys.
package protocol FileLayer: Sendable {
  /// The name of the file layer that SQLite is to use, nil for its own.
  var databaseLayer: String? { get }

  /// The same layer, which finds what is below a folder by a descriptor of that folder, wherever
  /// the folder is moved; nothing in a folder that takes its path is touched.
  func rooted(in folder: String) throws(FileFailure) -> any FileLayer

  /// False once the path of the folder of `rooted` no longer leads to that folder.
  var isInPlace: Bool { get }

  /// Takes a folder for one cache, or returns nil when another has it.
  func take(folder: String) throws(FileFailure) -> FolderLock?

  /// Opens a folder to read files in it; a link to one is an error.
  func open(folder: String) throws(FileFailure) -> OpenFolder

  /// Makes a folder and those above it; one that is there is left alone.
  func makeFolder(_ path: String) throws(FileFailure)

  /// What a folder holds, without `.` and `..`, in no order. A missing folder is empty; what is no
  /// folder, a link to one among it, is an error.
  func list(_ path: String) throws(FileFailure) -> [FolderItem]

  /// What a name stands for. Links are not followed.
  func kind(_ path: String) throws(FileFailure) -> FileKind

  /// Makes an empty file that only its owner may read and write, or takes the permissions of others
  /// away from one that exists.
  func makePrivateFile(_ path: String) throws(FileFailure)

  /// Makes the file `path` hold exactly `bytes`, and waits until they are on the disk when `syncs`
  /// says so. Nothing is ever written through a link.
  ///
  /// - Parameter target: whether the file is made, in place of what an earlier process left under
  ///   that name, or an existing one is written over, which must be a regular file.
  func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, _ target: FileTarget, syncs: Bool
  ) throws(FileFailure)

  /// Writes `bytes` at a place of the regular file `path`, and leaves the rest of it as it is; see
  /// the other `write`.
  func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, at offset: UInt64, _ target: FileTarget,
    syncs: Bool
  ) throws(FileFailure)

  /// Writes what a regular file holds over itself, and waits until it is on the disk. A missing
  /// file is none. O(size).
  ///
  /// Once waiting for a file has failed, the system may show content that is not on the disk and
  /// that it takes for written, so that to wait again is of no use.
  func rewrite(_ path: String) throws(FileFailure)

  /// Fills `buffer` from a place of a regular file below a folder that is open, and says whether
  /// the file has that many bytes there.
  func read(
    _ name: ValueName, in folder: OpenFolder, at offset: UInt64,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool

  /// Fills `buffer` from the beginning of a regular file, and says whether the file has exactly as
  /// many bytes as the buffer. Never waits for a pipe's other end, and follows no link.
  func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Bool

  /// The same for a file below a folder that is open.
  func read(
    _ name: ValueName, in folder: OpenFolder, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool

  /// Renames a file within the cache's folder, over another of that name.
  func rename(_ path: String, to other: String) throws(FileFailure)

  /// Waits until the names in a folder are on the disk.
  func syncFolder(_ path: String) throws(FileFailure)

  /// Removes a file; one that is missing is none.
  func remove(_ path: String) throws(FileFailure)

  /// Removes an empty folder; one that is missing is none.
  func removeFolder(_ path: String) throws(FileFailure)

  /// The size of a file in bytes, 0 for one that is missing. Links are not followed.
  func size(_ path: String) throws(FileFailure) -> UInt64

  /// Waits until a file is on the disk, and lets the system forget what it holds of it in memory.
  /// False where the system has no call for that. A missing file is none.
  func dropCached(_ path: String) throws(FileFailure) -> Bool

  /// The same for a file that this process has open, without opening and closing it: closing it
  /// once more would take the locks away that SQLite has on it.
  func dropCachedOpen(_ path: String) throws(FileFailure) -> Bool

  /// Bytes that an ordinary user may still write to the disk that holds `path`.
  func freeBytes(at path: String) throws(FileFailure) -> UInt64
}

extension FileLayer {
  /// SQLite's own.
  package var databaseLayer: String? { nil }

  /// Files by their paths.
  package func rooted(in folder: String) throws(FileFailure) -> any FileLayer { self }

  /// Defaults to true.
  package var isInPlace: Bool { true }

  /// With a lock of the system, on the file `lock` in the folder.
  package func take(folder: String) throws(FileFailure) -> FolderLock? {
    try FolderLock.take(folder: folder, SystemFiles())
  }

  /// In the file system of the machine.
  package func open(folder: String) throws(FileFailure) -> OpenFolder { try OpenFolder(folder) }

  /// Removes whatever has a name, a folder with all that it holds. Links are removed, and not
  /// followed. O(everything below).
  package func removeTree(_ path: String) throws(FileFailure) {
    guard try kind(path) == .folder else { return try remove(path) }
    for item in try list(path) { try removeTree("\(path)/\(item.name)") }
    try removeFolder(path)
  }
}

/// What a name in a folder stands for.
package enum FileKind: Sendable, Hashable {
  /// Nothing.
  case missing
  /// A regular file.
  case file
  /// A folder.
  case folder
  /// A link, a pipe, a socket or a device.
  case other
}

/// One thing that a folder holds.
package struct FolderItem: Sendable, Hashable {
  /// Its name within the folder.
  package var name: String
  /// What it is.
  package var kind: FileKind

  /// An item; see the properties.
  package init(name: String, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}

/// Whether a file that is written is made or exists.
package enum FileTarget: Sendable, Hashable {
  /// It is made; what had its name is removed first.
  case new
  /// It exists, and is written over in place.
  case existing
}

/// The name of a value's file below the folder of all: a shard and a number, such as `0a/4a`.
///
/// It is made for every reading, and so without allocating.
package struct ValueName: Sendable {
  private var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)

  /// The name for a number.
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

  /// The name of a segment file, such as `s4a`.
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

  /// Calls `body` with the name as the system takes it, with a zero behind it.
  func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    withUnsafePointer(to: bytes) {
      $0.withMemoryRebound(to: CChar.self, capacity: 24) { body($0) }
    }
  }

  /// The name as a text.
  package var text: String { withPath { String(cString: $0) } }
}

/// What the file system answered instead of doing what it was asked.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried: `open`, `write`, `rename` ...
  package let call: String
  /// The file or folder.
  package let path: String
  /// The system's error number.
  package let number: Int32

  /// A failure; `number` is the system's `errno`.
  package init(_ call: String, _ path: String, _ number: Int32) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// Whether there is no such file.
  package var isMissing: Bool { number == ENOENT }

  /// Whether the name stands for no regular file: for nothing, a link, a folder, a pipe or a
  /// device.
  package var isNoFile: Bool {
    [ENOENT, ELOOP, EMLINK, EISDIR, ENOTDIR, ENXIO, EINVAL].contains(number)
  }

  /// Whether this process, or this file system, does not do such a thing at all.
  package var isForbidden: Bool { [EACCES, EPERM, EINVAL, ENOTSUP, EROFS].contains(number) }

  /// Whether it says nothing of the file, but of what else the process or the machine is doing: no
  /// memory, or no file descriptor.
  package var isPassing: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(number) }

  /// One line for a person.
  package var description: String {
    "\(path): cannot \(call): \(String(cString: strerror(number)))"
  }
}
