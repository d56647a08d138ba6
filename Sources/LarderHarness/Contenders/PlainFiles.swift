import Foundation
import Larder
import LarderEngine
import LarderSimulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file for each key, written to a temporary name and renamed; an LRU in memory says which stay.
/// One lock over everything.
final class PlainFiles: CacheUnderTest, @unchecked Sendable {
  private let lock = NSLock()
  private let entries: LinkedLRU<Int>
  private let clock: TraceClock
  private let folder: String
  private let syncs: Bool

  /// An empty one. Files are spread over 64 folders; each write waits for the disk where the
  /// durability is `full`.
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
      let found = try entries.get(key, now: clock.nowMicroseconds) { try remove(fileOf: $0) }
      guard let bytes = found else { return nil }
      return CacheAnswer(try WholeFile.read(path(key), bytes: bytes), from: .disk)
    }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try lock.withLock {
      let isStored = try entries.set(key, value.count, options, now: clock.nowMicroseconds) {
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

  func usage() -> CacheUsage {
    lock.withLock {
      var usage = CacheUsage()
      usage.diskEntries = entries.count
      usage.diskWeight = entries.used
      return usage
    }
  }

  func tierCounts() -> CacheTierCounts? {
    lock.withLock {
      var counts = CacheTierCounts()
      counts.disk = entries.counts
      return counts
    }
  }

  func resetCounts() { lock.withLock { entries.counts = TierCounts() } }

  private func path(_ key: UInt64) -> String { "\(folder)/\(key % 64)/\(key)" }

  private func remove(fileOf key: UInt64) throws(PlainFileError) {
    let path = path(key)
    guard unlink(path) == 0 else { throw PlainFileError("unlink", path) }
  }
}

extension CacheContender {
  /// The simplest cache on disk.
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
