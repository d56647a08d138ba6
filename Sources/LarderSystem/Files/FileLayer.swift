#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What `AtomicFile` needs of the file system. Each can fail, and each has a test
/// in which it does: tests put a layer that fails in the place of `SystemFiles`.
package protocol FileLayer: Sendable {
  /// What stands at `path`, links followed.
  func kind(of path: String) -> FileKind

  /// The path with every link resolved, or nil when nothing stands there.
  func resolved(_ path: String) -> String?

  /// Makes a directory. One that is there already is an error like any other.
  func makeDirectory(_ path: String) throws(FileFault)

  /// Makes a file that is not there yet and opens it for reading and writing.
  func create(_ path: String) throws(FileFault) -> Int32

  /// Opens what is there for writing: a device or a pipe.
  func openExisting(_ path: String) throws(FileFault) -> Int32

  /// Writes some of `bytes`, and returns how many.
  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFault) -> Int

  /// Has everything written reach the disk.
  func flush(_ descriptor: Int32) throws(FileFault)

  /// Closes. Whether it fails or not, the descriptor is gone.
  func close(_ descriptor: Int32) throws(FileFault)

  /// Puts the file at `path` in the place of what is at `target`, in one step.
  func rename(_ path: String, to target: String) throws(FileFault)

  /// Removes a file, if it can.
  func remove(_ path: String)

  /// Has the names in a directory reach the disk.
  func flushDirectory(_ path: String) throws(FileFault)
}

extension FileLayer {
  /// Writes all of `bytes`, and says after each part how long it was.
  ///
  /// - Throws: also where the system accepts nothing without an error, instead of trying for ever.
  package func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, wrote: (Int) -> Void = { _ in }
  ) throws(FileFault) {
    var rest = bytes
    while rest.count > 0 {
      let count = try write(rest, to: descriptor)
      if count <= 0 { throw FileFault(code: EIO) }
      wrote(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Makes a new file under a hidden name beside `path`. A file that an earlier process left, or a
  /// link that somebody placed, is not touched.
  package func createHidden(
    near path: String
  ) throws(FileFault) -> (path: String, descriptor: Int32) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { path[...$0] } ?? ""
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    var attempt = 0
    while true {
      let temporary = "\(folder).\(name).\(getpid())-\(attempt).partial"
      do throws(FileFault) {
        return (temporary, try create(temporary))
      } catch {
        attempt += 1
        guard error.code == EEXIST, attempt < 1000 else { throw error }
      }
    }
  }
}

/// What stands at a path.
package enum FileKind: Sendable {
  /// Nothing.
  case nothing
  /// A regular file.
  case file
  /// A directory.
  case directory
  /// A device, pipe or socket.
  case other
}

/// An error of the system.
package struct FileFault: Error, Hashable, Sendable {
  /// The system's number for it, such as `ENOSPC`.
  package let code: Int32

  /// An error with the system's number for it.
  package init(code: Int32) { self.code = code }
}
