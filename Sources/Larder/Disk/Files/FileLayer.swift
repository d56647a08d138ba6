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
