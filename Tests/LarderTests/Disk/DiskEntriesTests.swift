import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Entries with their metadata, and removal by them.
@Suite(.endsInTime) struct DiskEntriesTests {
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 1000)

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open(
    _ change: (inout DiskConfiguration) -> Void = { _ in }, files: any FileLayer = SystemFiles()
  ) throws -> BlockingDiskCache {
    var configuration = DiskConfiguration(
      limits: DiskLimits(freeBytes: 0), durability: .none, inlineBytesMax: 100)
    change(&configuration)
    return try BlockingDiskCache(
      path: folder.path, configuration: configuration, clock: clock, files: files)
  }

  /// 600 entries in two suites, more than two batches.
  private func fill(_ cache: BlockingDiskCache) throws {
    for number in 0..<600 {
      try cache.set(
        Data(count: number), for: "\(number)", suite: number % 3 == 0 ? "s" : "",
        options: DiskStoreOptions(
          timeToLive: number % 5 == 0 ? .seconds(10) : nil,
          version: number % 2 == 0 ? "v\(number)" : nil, contentType: "type",
          isPermanent: number % 7 == 0))
    }
  }

  private func list(_ entries: DiskEntries) throws -> [DiskEntryInfo] {
    var (entries, all) = (entries, [DiskEntryInfo]())
    while let entry = try entries.next() { all.append(entry) }
    #expect(try entries.next() == nil)
    return all
  }

  private func check(_ cache: BlockingDiskCache) throws {
    clock.advance(seconds: 20)
    let all = try list(cache.entries())
    #expect(all.count == 600 && Set(all.map(\.name)).count == 600)
    for entry in all {
      let number = try #require(Int(entry.name.key))
      #expect(entry.name.suite == (number % 3 == 0 ? "s" : "") && entry.bytes == number)
      let metadata = entry.metadata
      #expect(metadata.version == (number % 2 == 0 ? "v\(number)" : nil))
      #expect(metadata.contentType == "type" && metadata.isPermanent == (number % 7 == 0))
      #expect(metadata.isExpired == (number % 5 == 0 && number % 7 != 0))
      #expect(metadata.creation == 1_000_000_000)
    }
    #expect(try list(cache.entries(suite: "s")).count == 200)
    #expect(try list(cache.entries(suite: "none")).isEmpty)
    #expect(cache.statistics.hits == 0 && cache.statistics.misses == 0)
  }

  @Test func entriesAreListedWithTheirMetadata() throws {
    let cache = try open()
    try fill(cache)
    try check(cache)
    try cache.close()
    #expect(throws: DiskCacheError.self) { try list(cache.entries()) }
    clock.set(seconds: 1000)
    try check(try open())
  }

  #if Encryption
    @Test func encryptedEntriesAreListed() throws {
      let key = try DiskEncryption(key: Data(repeating: 3, count: 32))
      let cache = try open { $0.encryption = key }
      try fill(cache)
      try check(cache)
    }
  #endif

  @Test func emptyCacheHasNoEntries() throws { #expect(try list(open().entries()).isEmpty) }

  @Test func changesDuringTheIterationAreHarmless() throws {
    let cache = try open()
    try fill(cache)
    var entries = cache.entries()
    var listed: Set<DiskEntryName> = []
    while let entry = try entries.next() {
      #expect(listed.insert(entry.name).inserted)
      // Entries that are not removed are listed.
      if entry.name.suite == "s" { try cache.remove(entry.name.key, suite: "s") }
      if listed.count == 100 { try cache.set(Data(), for: "new") }
    }
    #expect(listed.filter { $0.suite == "" && $0.key != "new" }.count == 400)
    #expect(try list(cache.entries(suite: "s")).isEmpty)
  }

  // MARK: Removal

  @Test(arguments: DiskDurability.allCases) func matchingEntriesAreRemoved(
    _ durability: DiskDurability
  ) throws {
    let cache = try open { $0.durability = durability }
    try fill(cache)
    clock.advance(seconds: 20)
    // Expired and permanent entries, too.
    let freed = try cache.remove { ($0.bytes ?? 0) >= 100 && $0.name.suite == "s" }
    #expect(freed.count == 166)
    #expect(freed.valueBytes == UInt64((34..<200).reduce(0) { $0 + $1 * 3 }))
    #expect(cache.statistics.removals == 166)
    #expect(try cache.remove { ($0.bytes ?? 0) >= 100 && $0.name.suite == "s" }.count == 0)
    #expect(try cache.remove { $0.metadata.isPermanent && $0.name.suite == "" }.count == 57)
    try cache.close()
    let again = try open()
    #expect(again.count == 600 - 166 - 57)
    #expect(try again.value(for: "33", suite: "s") == Data(count: 33))
    #expect(!(try again.contains("102", suite: "s")))
    #expect(try again.remove { $0.name.suite == "s" && $0.name.key != "33" }.count == 33)
    #expect(try list(again.entries(suite: "s")).map(\.name.key) == ["33"])
  }

  @Test func entryStoredAgainDuringTheCallStays() throws {
    let cache = try open()
    for key in ["a", "b"] { try cache.set(Data([1]), for: key) }
    let freed = try cache.remove { entry in
      if entry.name.key == "a" { _ = try? cache.set(Data([2]), for: "a") }
      return true
    }
    #expect(freed.count == 1)
    #expect(try cache.value(for: "a") == Data([2]))
    #expect(try cache.value(for: "b") == nil)
  }
}
