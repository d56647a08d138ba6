import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderLibc

/// A file for each key, written to a temporary name and renamed; an LRU in memory selects the
/// entries to keep. One lock guards everything.
final class PlainFiles: ListedDiskCache, @unchecked Sendable {
  let lock = NSLock()
  let entries: LinkedLRU<Int>
  private let clock: TraceClock
  private let folder: String
  private let syncs: Bool

  /// An empty cache. Files are spread over 64 folders; each write is synced if the durability is
  /// `full`.
  init(_ tier: TierSetup, _ setup: CacheSetup) throws(PlainFileError) {
    entries = LinkedLRU(tier)
    clock = setup.clock
    folder = setup.folder
    syncs = setup.execution.durability == .full
    for part in 0..<64 {
      let path = "\(folder)/\(part)"
      guard mkdir(path, 0o777) == 0 else { throw PlainFileError("mkdir", path) }
    }
  }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    try lock.withLock {
      let found = try entries.get(key, now: clock.time) { try remove(fileOf: $0) }
      guard let bytes = found else { return nil }
      return CacheAnswer(try WholeFile.read(path(key), bytes: bytes), from: .disk)
    }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try lock.withLock {
      let isStored = try entries.set(key, value.count, options, now: clock.time) {
        try remove(fileOf: $0)
      }
      if isStored { try WholeFile.write(value, to: path(key), by: "\(folder)/new", syncs: syncs) }
    }
  }

  func remove(_ key: UInt64) throws {
    try lock.withLock {
      if entries.remove(key) { try remove(fileOf: key) }
    }
  }

  private func path(_ key: UInt64) -> String { "\(folder)/\(key % 64)/\(key)" }

  private func remove(fileOf key: UInt64) throws(PlainFileError) {
    let path = path(key)
    guard unlink(path) == 0 else { throw PlainFileError("unlink", path) }
  }
}

extension CacheContender {
  /// A minimal disk cache.
  static let plainFiles = CacheContender(
    name: "files",
    summary: "One file per key, written under a temporary name and renamed; LRU in memory",
    kinds: [.disk]
  ) { setup in
    guard case .disk(let tier) = setup.simulation.arrangement else {
      throw ExecutionError.kind(cache: "files", kind: .memory)
    }
    return try PlainFiles(tier, setup)
  }
}

/// Files that are written and read as a whole.
enum WholeFile {
  /// Writes a value under a temporary name and renames it; `syncs` waits for the disk.
  static func write(
    _ value: Data, to path: String, by temporary: String, syncs: Bool
  ) throws(PlainFileError) {
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    guard descriptor >= 0 else { throw PlainFileError("open", temporary) }
    defer { _ = close(descriptor) }
    let isWritten = value.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(done))
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
    guard isWritten, !syncs || fsync(descriptor) == 0 else {
      throw PlainFileError("write", temporary)
    }
    guard rename(temporary, path) == 0 else { throw PlainFileError("rename", path) }
  }

  /// Reads a file of exactly `bytes` bytes.
  static func read(_ path: String, bytes: Int) throws(PlainFileError) -> Data {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw PlainFileError("open", path) }
    defer { _ = close(descriptor) }
    guard bytes > 0, let memory = malloc(bytes) else { return Data() }
    var done = 0
    while done < bytes {
      let count = pread(descriptor, memory + done, bytes - done, off_t(done))
      guard count > 0 else {
        free(memory)
        throw PlainFileError("read", path)
      }
      done += count
    }
    return Data(bytesNoCopy: memory, count: bytes, deallocator: .free)
  }
}

struct PlainFileError: Error, CustomStringConvertible {
  /// A one-line description for users.
  let description: String

  /// An error of the call that has just failed.
  init(_ call: String, _ path: String) {
    description = "\(path): \(call): \(String(cString: strerror(errno)))"
  }
}
