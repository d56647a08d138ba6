import CSQLiteFaults
import Foundation
import Testing

@testable import Larder

/// Pages that cannot be read now are no evidence of their content.
extension DiskSQLiteFaultTests {
  private func filled(_ folder: ScratchFolder) throws -> BlockingDiskCache {
    larder_faults_arm(0, 0, 0, 0)
    let cache = try open(folder, .normal)
    for key in 0..<60 {
      try cache.set(
        bytes(2_000, key), for: "\(key)",
        options: DiskStoreOptions(timeToLive: .seconds(10), version: "v"))
    }
    try cache.flush()
    return cache
  }

  /// Frees the pages in memory, and makes reading fail from call `first` on.
  private func failReads(_ cache: BlockingDiskCache, from first: Int = 1) {
    cache.withLock { $0.index?.connection.releaseMemory() }
    larder_faults_arm(Int32(LARDER_FAULT_READ), first, 1_000_000, 0)
  }

  @Test func expiredEntryWhoseRowCannotBeReadIsKept() throws {
    let folder = try ScratchFolder(isSmall: true)
    defer { larder_faults_arm(0, 0, 0, 0) }
    let cache = try filled(folder)
    clock.advance(seconds: 20)
    failReads(cache)
    let grace = Grace(versioned: 1_000_000_000, others: 0)
    _ = try? cache.removeExpired(suite: nil, keeping: grace)
    #expect(larder_faults_failures() > 0)
    larder_faults_arm(0, 0, 0, 0)
    #expect(cache.count == 60)
    #expect(try cache.entry(for: "7", acceptingExpired: true)?.data == bytes(2_000, 7))
  }
}
