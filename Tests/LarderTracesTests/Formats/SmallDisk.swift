import Foundation
import LarderSupport

/// Files on a disk with limited room, which accepts a limited number of bytes at once and may fail
/// to sync.
final class SmallDisk: FileLayer, @unchecked Sendable {
  private let files = SystemFiles()
  private var room: Int
  private let atOnce: Int
  private let flushFails: Bool
  /// Error of a full disk; nil to accept no bytes without an error.
  private let failure: Int32?

  init(
    room: Int = .max, atOnce: Int = .max, flushFails: Bool = false, failure: Int32? = ENOSPC
  ) {
    self.failure = failure
    self.room = room
    self.atOnce = atOnce
    self.flushFails = flushFails
  }

  func kind(of path: String) -> FileKind { files.kind(of: path) }
  func resolved(_ path: String) -> String? { files.resolved(path) }
  func remove(_ path: String) { files.remove(path) }
  func makeDirectory(_ path: String) throws(FileFault) { try files.makeDirectory(path) }
  func create(_ path: String) throws(FileFault) -> Int32 { try files.create(path) }
  func openExisting(_ path: String) throws(FileFault) -> Int32 { try files.openExisting(path) }
  func close(_ descriptor: Int32) throws(FileFault) { try files.close(descriptor) }
  func flushDirectory(_ path: String) throws(FileFault) { try files.flushDirectory(path) }

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFault) -> Int {
    let count = min(bytes.count, room, atOnce)
    if count == 0 {
      if let failure { throw FileFault(code: failure) }
      return 0
    }
    room -= count
    return try files.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: descriptor)
  }

  func flush(_ descriptor: Int32) throws(FileFault) {
    if flushFails { throw FileFault(code: EIO) }
    try files.flush(descriptor)
  }

  func rename(_ path: String, to target: String) throws(FileFault) {
    try files.rename(path, to: target)
  }
}
