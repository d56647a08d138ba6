import Foundation
import LarderEngine
import LarderSupport

/// Files on a disk that is full after a number of writes, or on an NFS server that restarts during
/// a number of renames: they succeed, but when the client retries there is nothing to rename.
final class FailingFiles: FileLayer {
  private let files = SystemFiles()
  private let writesLeft: Locked<Int>
  private let renamesDenied: Locked<Int>

  init(writesLeft: Int = .max, renamesDenied: Int = 0) {
    self.writesLeft = Locked(writesLeft)
    self.renamesDenied = Locked(renamesDenied)
  }

  func kind(of path: String) -> FileKind { files.kind(of: path) }
  func resolved(_ path: String) -> String? { files.resolved(path) }
  func remove(_ path: String) { files.remove(path) }
  func makeDirectory(_ path: String) throws(FileFault) { try files.makeDirectory(path) }
  func create(_ path: String) throws(FileFault) -> Int32 { try files.create(path) }
  func openExisting(_ path: String) throws(FileFault) -> Int32 { try files.openExisting(path) }
  func flush(_ descriptor: Int32) throws(FileFault) { try files.flush(descriptor) }
  func close(_ descriptor: Int32) throws(FileFault) { try files.close(descriptor) }
  func flushDirectory(_ path: String) throws(FileFault) { try files.flushDirectory(path) }
  func rename(_ path: String, to target: String) throws(FileFault) {
    try files.rename(path, to: target)
    let isDenied = renamesDenied.withLock { left in
      left -= 1
      return left >= 0
    }
    if isDenied { throw FileFault(code: ENOENT) }
  }

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFault) -> Int {
    let isFull = writesLeft.withLock { left in
      left -= 1
      return left < 0
    }
    if isFull {
      // There is room for some of it.
      _ = try files.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(7)), to: descriptor)
      throw FileFault(code: ENOSPC)
    }
    return try files.write(bytes, to: descriptor)
  }
}
