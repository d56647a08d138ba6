/// The few things that a disk cache asks of a file system, so that a test can make each fail.
///
/// Paths are the cache's own: made from numbers, never from keys.
package protocol FileLayer: Sendable {
  /// The name of the file layer that SQLite is to use, nil for its own.
  var databaseLayer: String? { get }

  /// Makes a folder and those above it; one that is there is left alone.
  func makeFolder(_ path: String) throws(FileFailure)

  /// Names of what a folder holds, without `.` and `..`, in no order. A missing folder is empty.
  func list(_ path: String) throws(FileFailure) -> [String]

  /// Makes the file `path` hold exactly `bytes`, over whatever it held before, and waits until
  /// they are on the disk when `syncs` says so.
  func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, syncs: Bool
  ) throws(FileFailure)

  /// Fills `buffer` from the file's beginning, and says whether the file has exactly as many
  /// bytes as the buffer.
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

  /// The size of a file in bytes, 0 for one that is missing.
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
}
