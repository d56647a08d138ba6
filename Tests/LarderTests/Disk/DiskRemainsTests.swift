import Foundation
import Testing

@testable import Larder

/// Remains of removed entries and suites on the disk.
@Suite struct DiskRemainsTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open(
    _ durability: DiskDurability = .normal, count: Int? = nil
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, count: count, freeBytes: 0), durability: durability))
  }

  @Test func suiteWithPermanentEntriesStaysUntilItIsRemoved() throws {
    let cache = try open()
    try cache.set(
      Data([1]), for: "k", suite: "s", options: DiskStoreOptions(isPermanent: true))
    try cache.removeAll(suite: "s")
    #expect(try cache.contains("k", suite: "s") && cache.suites().count == 2)
    #expect(try cache.removeAll(suite: "s", includingPermanent: true).count == 1)
    #expect(try cache.suites().count == 1)
    #expect(try cache.removeAll(suite: "s", includingPermanent: true).count == 0)
    #expect(try cache.set(Data([2]), for: "k", suite: "s"))
    #expect(try cache.value(for: "k", suite: "s") == Data([2]))
  }

  @Test func emptySuitesAreGoneAfterReopening() throws {
    let cache = try open()
    for number in 0..<100 {
      let suite = DiskSuite<String>(cache, name: "\(number)", codec: .text)
      try suite.set("x", for: "k")
      if number != 5 { try cache.remove("k", suite: "\(number)") }
    }
    try cache.close()
    let again = try open()
    #expect(try again.suites().map(\.name) == ["", "5"])
    #expect(again.core.codecs.count == 1)
    #expect(try again.value(for: "k", suite: "5") == Data("x".utf8))
  }

  /// Rows and keys count, so that a limit on bytes bounds the disk space.
  @Test(arguments: [DiskDurability.none, .normal])
  func limitOnBytesLimitsEmptyValues(_ durability: DiskDurability) throws {
    let configuration = DiskConfiguration(
      limits: DiskLimits(bytes: 1 << 18, freeBytes: 0), durability: durability)
    let cache = try BlockingDiskCache(path: folder.path, configuration: configuration)
    for number in 0..<5_000 { try cache.set(Data(), for: "key \(number)") }
    try cache.flush()
    #expect((1_000..<2_500).contains(cache.count))
    #expect(cache.usage.database < 1 << 19)
    let count = cache.count
    try cache.close()
    let again = try BlockingDiskCache(path: folder.path, configuration: configuration)
    #expect(again.count == count)
    let key = String(repeating: "k", count: 1 << 17)
    for number in 0..<5 { try again.set(Data(), for: "\(number) \(key)") }
    #expect(again.count <= 5)
  }

  @Test func valuesAloneCountAsInASimulation() throws {
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: 1_000, freeBytes: 0)
      ).countingValuesAlone)
    for number in 0..<20 { try cache.set(Data(count: 100), for: "\(number)") }
    #expect(cache.count == 10 && cache.core.rowBytes == 0)
  }
}
