import Foundation
import TestSupport
import Testing

@testable import Larder

/// The folder of an open cache, or a part of it, is removed, moved or replaced: no call returns a
/// value that is gone, and no call touches another cache's files.
@Suite(.endsInTime) struct DiskPlaceTests {
  /// Change to the folder.
  enum Harm: CaseIterable {
    case removed, moved, replaced, databaseRemoved, databaseReplaced, valuesRemoved, valuesMoved
    case valuesReplaced, lockRemoved
  }

  private let folder: ScratchFolder
  private let path: String
  private let manager = FileManager.default

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    path = folder.path + "/cache"
  }

  private func open(
    _ durability: DiskDurability = .normal, _ segmentBytes: Int? = nil,
    damage: DiskTroubleHandling? = nil
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability, inlineBytesMax: 100,
        segmentBytes: segmentBytes, troubleHandling: damage))
  }

  private func harm(_ harm: Harm) throws {
    switch harm {
    case .removed: try manager.removeItem(atPath: path)
    case .moved: try manager.moveItem(atPath: path, toPath: path + ".moved")
    case .replaced:
      try manager.moveItem(atPath: path, toPath: path + ".moved")
      try manager.createDirectory(atPath: path + "/files", withIntermediateDirectories: true)
    case .databaseRemoved: try manager.removeItem(atPath: path + "/index.sqlite")
    case .databaseReplaced:
      try manager.removeItem(atPath: path + "/index.sqlite")
      try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/index.sqlite"))
    case .valuesRemoved: try manager.removeItem(atPath: path + "/files")
    case .valuesMoved: try manager.moveItem(atPath: path + "/files", toPath: path + "/old")
    case .valuesReplaced:
      try manager.removeItem(atPath: path + "/files")
      try manager.createDirectory(atPath: path + "/files", withIntermediateDirectories: true)
    case .lockRemoved: try manager.removeItem(atPath: path + "/lock")
    }
  }

  @Test(arguments: Harm.allCases, DiskDurability.allCases)
  func storedValuesAreThereAfterReopening(_ harm: Harm, _ durability: DiskDurability) throws {
    for segmentBytes in [nil, 1 << 20] {
      try? manager.removeItem(atPath: path)
      try? manager.removeItem(atPath: path + ".moved")
      let cache = try open(durability, segmentBytes)
      try cache.set(Data([1]), for: "old small")
      try cache.set(Data(count: 5_000), for: "old large")
      try cache.flush()
      try self.harm(harm)
      for number in 0..<20 {
        #expect(try cache.set(Data([2]), for: "small \(number)"))
        #expect(try cache.set(Data(repeating: 2, count: 6_000), for: "large \(number)"))
        #expect(try cache.value(for: "large \(number)") == Data(repeating: 2, count: 6_000))
      }
      try cache.close()
      let again = try open(durability, segmentBytes)
      for number in 0..<20 {
        #expect(try again.value(for: "small \(number)") == Data([2]))
        #expect(try again.value(for: "large \(number)") == Data(repeating: 2, count: 6_000))
      }
      let isLost = ![.lockRemoved, .valuesRemoved, .valuesMoved, .valuesReplaced].contains(harm)
      #expect(try again.contains("old small") == !isLost)
      #expect(again.statistics.damages == 0)
      try again.close()
    }
  }

  @Test(arguments: DiskDurability.allCases)
  func removedFolderIsDamage(_ durability: DiskDurability) throws {
    let cache = try open(durability)
    try cache.set(Data([1]), for: "a")
    try cache.flush()
    try harm(.removed)
    #expect(try cache.set(Data([2]), for: "b"))
    #expect(cache.statistics.rebuilds == 1 && cache.damage != nil)
    #expect(cache.damage?.contains("removed") == true)
    #expect(try cache.value(for: "a") == nil && cache.count == 1)
  }

  @Test func removedFolderIsAnErrorIfDamageIs() throws {
    let cache = try open(damage: .fail)
    try cache.set(Data([1]), for: "a")
    try harm(.removed)
    for _ in 0..<2 {
      #expect(throws: DiskCacheError.self) { try cache.set(Data([2]), for: "b") }
    }
    #expect(!manager.fileExists(atPath: path))
    #expect(throws: DiskCacheError.self) { try cache.close() }
  }

  /// The first cache neither overwrites nor removes files of the second, whatever its calls.
  @Test(arguments: DiskDurability.allCases, [false, true])
  func secondCacheKeepsItsValues(_ durability: DiskDurability, isMoved: Bool) throws {
    let first = try open(durability)
    for number in 0..<40 { try first.set(Data(repeating: 1, count: 4_000), for: "\(number)") }
    try first.set(Data([1]), for: "small")
    try harm(isMoved ? .moved : .removed)
    let second = try open(durability)
    for number in 0..<40 { try second.set(Data(repeating: 2, count: 4_000), for: "\(number)") }
    try second.set(Data([2]), for: "small")
    #expect(throws: DiskCacheError.inUse(path: path)) {
      try first.set(Data(repeating: 3, count: 4_000), for: "0")
    }
    #expect(throws: DiskCacheError.inUse(path: path)) { try first.set(Data([3]), for: "small") }
    #expect(throws: DiskCacheError.inUse(path: path)) { try first.remove("1") }
    #expect(throws: DiskCacheError.inUse(path: path)) { try first.removeAll() }
    #expect(throws: DiskCacheError.inUse(path: path)) { try first.value(for: "small") }
    for number in 0..<40 {
      #expect(try second.value(for: "\(number)") == Data(repeating: 2, count: 4_000))
    }
    #expect(try second.value(for: "small") == Data([2]))
    try second.flush()
    // Once the second is closed, the first takes over its files, without entries that it was to
    // remove.
    try second.close()
    #expect(try first.value(for: "small") == nil)
    #expect(try first.set(Data([4]), for: "small"))
    try first.close()
    let third = try open(durability)
    #expect(try third.value(for: "small") == Data([4]))
  }

  /// Another database numbers its suites anew: a call finds its own suite in the one that it opens.
  @Test(arguments: 0..<6, [false, true])
  func suiteOfAnotherDatabaseIsNotTheOld(call: Int, isInUse: Bool) throws {
    let first = try open()
    let typed = DiskSuite(first, name: "x", codec: .json, of: [Int].self)
    try typed.set([1], for: "k")
    try harm(.moved)
    let second = try open()
    try DiskSuite(second, name: "y", codec: .text).set("2", for: "k")
    try second.set(Data(), for: "e", suite: "y", options: DiskStoreOptions(timeToLive: .zero))
    // A get does not notice that the folder was moved.
    if isInUse || call < 3 {
      #expect(throws: DiskCacheError.inUse(path: path)) { try first.remove("k", suite: "x") }
    }
    try second.close()
    switch call {
    case 0: #expect(try first.value(for: "k", suite: "x") == nil)
    case 1: #expect(try typed.value(for: "k") == nil)
    case 2: #expect(try !first.contains("k", suite: "x"))
    case 3: #expect(try first.trim(toAge: .zero, suite: "x").count == 0)
    case 4: #expect(try first.removeExpired(suite: "x").count == 0)
    default: #expect(try !first.renew("k", suite: "x"))
    }
    #expect(try first.count == 2 && first.value(for: "k", suite: "x") == nil)
    #expect(try DiskSuite(first, name: "y", codec: .text).value(for: "k") == "2")
  }

  @Test func chosenEntriesAreNotThoseOfAnotherDatabase() throws {
    let first = try open()
    try first.set(Data([1]), for: "a")
    let freed = try first.remove { _ in
      try? harm(.moved)
      let second = try? open()
      _ = try? second?.set(Data([2]), for: "b")
      try? second?.close()
      return true
    }
    #expect(try freed.count == 0 && first.value(for: "b") == Data([2]))
  }

  /// A cache that is closed only later does not touch the files of the other either.
  @Test(arguments: DiskDurability.allCases)
  func closingLeavesTheSecondCacheAlone(_ durability: DiskDurability) throws {
    let first = try open(durability)
    for number in 0..<40 { try first.set(Data(repeating: 1, count: 4_000), for: "\(number)") }
    try? first.flush()
    for number in 0..<20 { try first.remove("\(number)") }
    try? first.flush()
    try harm(.moved)
    let second = try open(durability)
    for number in 0..<40 { try second.set(Data(repeating: 2, count: 4_000), for: "\(number)") }
    try first.close()
    for number in 0..<40 {
      #expect(try second.value(for: "\(number)") == Data(repeating: 2, count: 4_000))
    }
    try second.close()
    let third = try open(durability)
    #expect(third.count == 40 && third.statistics.damages == 0)
    try third.close()
    // The moved folder is intact.
    let moved = try BlockingDiskCache(path: path + ".moved")
    #expect(moved.count == 20)
  }

  @Test func uncommittedValuesThatAreLostAreAnError() throws {
    for isClosing in [false, true] {
      let cache = try open(.none)
      try cache.set(Data([1]), for: "a")
      try harm(.removed)
      #expect(throws: DiskCacheError.self) {
        if isClosing { try cache.close() } else { try cache.flush() }
      }
      try cache.close()
    }
  }

  // MARK: Paths

  @Test func relativePathIsResolvedAtOpening() throws {
    let directory = manager.currentDirectoryPath
    #expect(try DiskFolder.absolutePath("cache") == directory + "/cache")
    #expect(try DiskFolder.absolutePath("a/b/") == directory + "/a/b")
    #expect(try DiskFolder.absolutePath("/\u{301}a/") == "/\u{301}a")
    #expect(try DiskFolder.absolutePath("/a/b/") == "/a/b" && DiskFolder.absolutePath("/") == "/")
  }

  @Test(arguments: [
    "", "file:cache", "file://", "file://server/x", "https://example.com/x", "a\0b",
  ])
  func otherPathsAreAnError(_ text: String) throws {
    let error = #expect(throws: DiskCacheError.self) { try BlockingDiskCache(path: text) }
    #expect(error?.description.contains("expected a path") == true)
  }
}
