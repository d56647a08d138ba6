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

  private func files(with text: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      FileManager.default.contents(atPath: folder.path + "/" + $0)?
        .range(of: Data(text.utf8)) != nil
    }
  }

  /// Method of removing a suite.
  enum Removal: CaseIterable { case clear, clearAll, remove }

  @Test(arguments: DiskDurability.allCases, Removal.allCases)
  func namesOfRemovedSuitesAreGone(_ durability: DiskDurability, _ removal: Removal) throws {
    let cache = try open(durability)
    let users = (0..<500).map { "user-\($0 * 7_919 % 500)@example.com" }
    for user in users { try cache.set(Data(user.utf8), for: "\(user)/key", suite: user) }
    try cache.set(Data([1]), for: "k")
    try cache.flush()
    #expect(try !files(with: "@example.com").isEmpty)
    switch removal {
    case .clear: for user in users { try cache.removeAll(suite: user) }
    case .clearAll: try cache.removeAll()
    case .remove: for user in users { try cache.removeAll(suite: user, includingPermanent: true) }
    }
    #expect(try cache.suites().map(\.name) == [""])
    try cache.close()
    #expect(try files(with: "@example.com") == [])
    let again = try open(durability)
    #expect(try again.suites().map(\.name) == [""])
    #expect(again.count == (removal == .clearAll ? 0 : 1) && again.statistics.damages == 0)
  }

  @Test(arguments: DiskDurability.allCases)
  func nameOfOneSuiteAmongManyIsGone(_ durability: DiskDurability) throws {
    let cache = try open(durability)
    for number in 0..<2_000 {
      try cache.set(Data([1]), for: "k", suite: "suite \(number * 7_919 % 2_000) of many")
    }
    try cache.removeAll(suite: "suite 77 of many")
    try cache.close()
    #expect(try files(with: "suite 77 of many") == [])
    let again = try open(durability)
    #expect(again.count == 1_999)
    #expect(try again.suites().count == 2_000)
    #expect(try again.value(for: "k", suite: "suite 78 of many") == Data([1]))
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

  /// A suite never gets the number of a previous one: rows refer to suites by it.
  @Test func suiteNumbersAreNotReused() throws {
    var numbers: Set<UInt32> = []
    for round in 0..<6 {
      let cache = try open()
      for number in 0..<2 {
        try cache.set(Data([1]), for: "k", suite: "\(round) \(number)")
        let added = try #require(cache.core.suiteNumber("\(round) \(number)"))
        #expect(numbers.insert(added).inserted)
      }
      try cache.removeAll()
      try cache.close()
    }
  }

  @Test func spaceOfSingleRemovalsIsFreed() throws {
    let cache = try open()
    for number in 0..<1_000 { try cache.set(Data(count: 10_000), for: "\(number)") }
    for number in 0..<1_000 { try cache.remove("\(number)") }
    try cache.removeAll()
    #expect(cache.diskBytes < 200_000)
  }

  @Test(arguments: DiskDurability.allCases)
  func spaceOfSingleRemovalsIsFreedByClosing(_ durability: DiskDurability) throws {
    let cache = try open(durability)
    for number in 0..<1_000 { try cache.set(Data(count: 10_000), for: "\(number)") }
    for number in 1..<1_000 { try cache.remove("\(number)") }
    try cache.close()
    let again = try open(durability)
    #expect(again.diskBytes < 200_000 && again.count == 1)
    try again.removeAll()
    #expect(again.diskBytes < 200_000)
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

  @Test func limitOnEntriesAloneLimitsNoBytes() throws {
    #expect(DiskLimits().bytes == 100 << 20 && DiskLimits(age: .seconds(1)).bytes == 100 << 20)
    #expect(DiskLimits(count: 1).bytes == nil && DiskLimits(bytes: 5, count: 1).bytes == 5)
  }
}
