import Foundation
import LarderLibc
import Testing

@testable import Larder

@Suite struct DiskUsageTests {
  private let folder: ScratchFolder
  private let files = FaultyFiles()

  init() throws { folder = try ScratchFolder() }

  private func open(_ durability: DiskDurability = .normal) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), durability: durability),
      clock: ManualClock(), files: files)
  }

  @Test func usageMatchesTheFiles() throws {
    let cache = try open()
    for number in 0..<10 { try cache.set(Data(count: 1_000), for: "small \(number)") }
    for number in 0..<5 { try cache.set(Data(count: 50_000), for: "large \(number)") }
    try cache.set(Data(count: 1), for: "large 0")
    let usage = cache.usage
    #expect(usage.files == 200_000 && usage.spare == 50_000)
    #expect(try folder.valueFiles().count == 5)
    #expect(try SystemFiles().size(folder.path + "/index.sqlite") == usage.database)
    #expect(try SystemFiles().size(folder.path + "/index.sqlite-wal") == usage.log)
    #expect(cache.diskBytes == usage.total)
    #expect(cache.writes.files == 250_000)
    // Sixteen commits of at least one page, and everything in the log.
    #expect(cache.writes.log >= 16 * 4_096 && cache.writes.log >= usage.log - 32)
    #expect(cache.valueBytes == 210_001 && cache.count == 15)
  }
}
