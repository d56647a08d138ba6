import LarderLibc

/// The file-system operations of a disk cache, each of which a test can make fail.
///
/// Paths are the cache's own: made from numbers, never from keys.
package protocol FileLayer: Sendable {
  var databaseLayer: String? { get }

  /// Returns a layer that finds files below a folder by a descriptor of that folder, wherever the
  /// folder is moved; a folder that takes over its path is not touched.
  func rooted(in folder: String) throws(FileFailure) -> any FileLayer

  var isInPlace: Bool { get }

  func take(folder: String) throws(FileFailure) -> FolderLock?

  func open(folder: String) throws(FileFailure) -> OpenFolder

  func makeFolder(_ path: String) throws(FileFailure)

  func list(_ path: String) throws(FileFailure) -> [FolderItem]

  func kind(_ path: String) throws(FileFailure) -> FileKind

  /// The reason why other users may change a file or folder; nil if there is none, or no file.
  func exposure(_ path: String) throws(FileFailure) -> DiskCacheError?

  func makePrivateFile(_ path: String) throws(FileFailure)

  /// Writes `bytes` at an offset of a file, or replaces its contents by them without one, and waits
  /// until they are on the disk if `syncs`. Never writes through a link.
  ///
  /// - Parameter target: Create the file, replacing any left by an earlier process, or overwrite an
  ///   existing one, which must be a regular file.
  func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, at offset: UInt64?, _ target: FileTarget,
    syncs: Bool
  ) throws(FileFailure)

  /// Writes the contents of a regular file over themselves, and waits until they are on the disk.
  /// Does nothing if the file is missing. O(size).
  ///
  /// After a failed sync, the system may show content that is not on the disk and that it considers
  /// written, so that another sync is useless.
  func rewrite(_ path: String) throws(FileFailure)

  /// Fills `buffer` from the beginning of a regular file, and returns true if the file has exactly
  /// the buffer's size. Never blocks on a pipe, and follows no link.
  func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Bool

  /// Fills `buffer` from a regular file below an open folder: at an offset, or else the whole file.
  /// Returns true if the file has these bytes, and without an offset no more.
  func read(
    _ name: ValueName, in folder: OpenFolder, at offset: UInt64?,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool

  func rename(_ path: String, to other: String) throws(FileFailure)

  func syncFolder(_ path: String) throws(FileFailure)

  func remove(_ path: String) throws(FileFailure)

  func removeFolder(_ path: String) throws(FileFailure)

  func size(_ path: String) throws(FileFailure) -> UInt64

  func freeBytes(at path: String) throws(FileFailure) -> UInt64
}

extension FileLayer {
  package var databaseLayer: String? { nil }

  package func rooted(in folder: String) throws(FileFailure) -> any FileLayer { self }

  package var isInPlace: Bool { true }

  package func exposure(_ path: String) throws(FileFailure) -> DiskCacheError? { nil }

  package func take(folder: String) throws(FileFailure) -> FolderLock? {
    try FolderLock.take(folder: folder, SystemFiles())
  }

  package func open(folder: String) throws(FileFailure) -> OpenFolder { try OpenFolder(folder) }

  package func removeTree(_ path: String) throws(FileFailure) {
    guard try kind(path) == .folder else { return try remove(path) }
    for item in try list(path) { try removeTree("\(path)/\(item.name)") }
    try removeFolder(path)
  }

  func removeFile(_ path: String) throws(FileFailure) {
    if try kind(path) == .file { try remove(path) }
  }

  func removeFiles(in path: String, where isOwn: (String) -> Bool) throws(FileFailure) {
    guard try kind(path) == .folder else { return }
    try list(path).filter { $0.kind == .file && isOwn($0.name) }.attempt {
      (item) throws(FileFailure) in try remove("\(path)/\(item.name)")
    }
    try removeIfEmpty(path)
  }

  func removeIfEmpty(_ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      if try kind(path) == .folder { try removeFolder(path) }
    } catch {
      guard [ENOTEMPTY, EEXIST].contains(error.number) else { throw error }
    }
  }
}

extension Sequence {
  /// Calls `body` with each element, and throws its first failure at the end.
  func attempt(_ body: (Element) throws(FileFailure) -> Void) throws(FileFailure) {
    var failure: FileFailure?
    for element in self {
      do throws(FileFailure) { try body(element) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}

package enum FileKind: Sendable, Hashable {
  case missing
  case file
  case folder
  case other
}

package struct FolderItem: Sendable, Hashable {
  package var name: String
  package var kind: FileKind

  package init(name: String, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}

package enum FileTarget: Sendable, Hashable {
  case new
  case existing
}

package struct ValueName: Sendable {
  private var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)

  package init(_ number: UInt64, shards: UInt64) {
    let shard = number % shards
    withUnsafeMutableBytes(of: &bytes) { bytes in
      bytes[0] = Self.digit(shard >> 4)
      bytes[1] = Self.digit(shard)
      bytes[2] = UInt8(ascii: "/")
      Self.store(number, in: bytes, at: 3)
    }
  }

  package init(segment number: UInt64) {
    withUnsafeMutableBytes(of: &bytes) { bytes in
      bytes[0] = UInt8(ascii: "s")
      Self.store(number, in: bytes, at: 1)
    }
  }

  private static func store(
    _ number: UInt64, in bytes: UnsafeMutableRawBufferPointer, at first: Int
  ) {
    let digits = max(1, (67 - number.leadingZeroBitCount) / 4)
    for place in 0..<digits {
      bytes[first + place] = digit(number >> UInt64(4 * (digits - 1 - place)))
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

package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let call: String
  package let path: String
  package let number: Int32

  package init(_ call: String, _ path: String, _ number: Int32) {
    self.call = call
    self.path = path
    self.number = number
  }

  package var isMissing: Bool { number == ENOENT }

  package var isNoFile: Bool {
    [ENOENT, ELOOP, EMLINK, EISDIR, ENOTDIR, ENXIO, ESPIPE, EINVAL].contains(number)
  }

  package var isForbidden: Bool { [EACCES, EPERM, EINVAL, ENOTSUP, EROFS].contains(number) }

  package var isPassing: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(number) }

  package var description: String {
    "\(path): cannot \(call): \(String(cString: strerror(number)))"
  }
}
