import CSQLiteFaults
import Foundation
import Testing

@testable import Larder

/// Pages that cannot be read now are no evidence of their content.
extension DiskSQLiteFaultTests {
  private func filled(
    _ folder: ScratchFolder, _ durability: DiskDurability = .normal
  ) throws -> BlockingDiskCache {
    larder_faults_arm(0, 0, 0, 0)
    let cache = try open(folder, durability)
    for key in 0..<60 {
      try cache.set(
        bytes(2_000, key), for: "\(key)",
        options: DiskStoreOptions(timeToLive: .seconds(10), version: "v"))
    }
    try cache.flush()
    return cache
  }

  /// Frees the pages in memory, and makes the next reads fail.
  private func failReads(_ cache: BlockingDiskCache, _ count: Int = 1_000_000) throws {
    try cache.core.index?.connection.execute("PRAGMA shrink_memory")
    larder_faults_arm(Int32(LARDER_FAULT_READ), 1, count, 0)
  }

  @Test func expiredEntryWhoseRowCannotBeReadIsKept() throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { larder_faults_arm(0, 0, 0, 0) }
    let cache = try filled(folder)
    clock.advance(seconds: 20)
    try failReads(cache)
    let grace = Grace(versioned: 1_000_000_000, others: 0)
    _ = try? cache.removeExpired(suite: nil, keeping: grace)
    #expect(larder_faults_failures() > 0)
    larder_faults_arm(0, 0, 0, 0)
    #expect(cache.count == 60)
    #expect(try cache.entry(for: "7", acceptingExpired: true)?.data == bytes(2_000, 7))
  }

  /// SQLite rolls the open transaction back when the row of an event cannot be read.
  @Test func removalIsRepeatedIfARowOfAnEventCannotBeRead() throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { larder_faults_arm(0, 0, 0, 0) }
    let cache = try filled(folder, .none)
    let token = cache.onEvent { _ in }
    try cache.remove("7")
    try failReads(cache, 1)
    #expect(try cache.trim(toCount: 58).count == 1)
    #expect(larder_faults_failures() == 1)
    larder_faults_arm(0, 0, 0, 0)
    try cache.flush()
    #expect(try cache.count == 58 && rows(cache) == 58)
    token.cancel()
  }
}
