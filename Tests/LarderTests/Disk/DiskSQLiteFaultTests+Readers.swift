import CSQLiteFaults
import Foundation
import Testing

@testable import Larder

extension DiskSQLiteFaultTests {
  /// If reading connections cannot be opened, or cannot read, every get is still answered, and
  /// counted once.
  @Test(arguments: [LARDER_FAULT_OPEN, LARDER_FAULT_READ | LARDER_FAULT_SIZE])
  func failingReadersAreBypassed(kinds: Int) throws {
    let folder = try ScratchFolder(isSmall: true)
    larder_faults_arm(0, 0, 0, 0)
    defer { larder_faults_arm(0, 0, 0, 0) }
    var configuration = DiskConfiguration(
      limits: DiskLimits(bytes: nil, freeBytes: 0), durability: .none)
    configuration.readersAfter = 0
    let cache = try BlockingDiskCache(
      path: folder.path, configuration: configuration, clock: SystemCacheClock.wall(),
      files: FaultyFiles(databaseLayer: String(cString: larder_faults_name())))
    for key in 0..<20 { try cache.set(bytes(1_000, key), for: "\(key)") }
    try cache.flush()
    // The pages of the writing connection are in memory.
    larder_faults_arm(Int32(kinds), 1, 1_000_000, 0)
    for key in 0..<20 { #expect(try cache.value(for: "\(key)") == bytes(1_000, key)) }
    #expect(larder_faults_failures() > 0)
    #expect(cache.withLock { $0.index?.readers.openCount } == 0)
    larder_faults_arm(0, 0, 0, 0)
    for step in 0..<2_000 {
      let key = step % 20
      #expect(try cache.value(for: "\(key)") == bytes(1_000, key))
    }
    #expect(cache.withLock { $0.index?.readers.openCount } == 1)
    #expect(cache.statistics.hits == 2_020 && cache.statistics.misses == 0)
    #expect(cache.statistics.bytesRead == 2_020_000)
    #expect(cache.statistics.damages == 0)
  }
}
