import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Removals of many entries in steps, between which other calls continue.
@Suite struct DiskRemovalTests {
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 1_000)
  private static let count = 1_000

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open(
    _ durability: DiskDurability, _ path: String? = nil
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: path ?? folder.path,
      configuration: DiskConfiguration(limits: DiskLimits(freeBytes: 0), durability: durability),
      clock: clock)
  }

  private func filled(_ durability: DiskDurability) throws -> BlockingDiskCache {
    let cache = try open(durability)
    for key in 0..<Self.count {
      try cache.set(
        Data([1]), for: "\(key)", suite: key % 2 == 0 ? "s" : "",
        options: DiskStoreOptions(timeToLive: .seconds(100), isPermanent: key % 10 == 0))
    }
    return cache
  }

  private func step(_ cache: BlockingDiskCache, _ removal: DiskRemoval) throws -> Bool {
    try cache.withCore { (core) throws(DiskCacheError) in try core.step(removal) }
  }

  /// Each step takes 256 ids. From the beginning on no call finds an entry that is to be removed;
  /// those that are stored meanwhile stay.
  @Test(arguments: DiskDurability.allCases)
  func removalInStepsIsOneForOtherCalls(durability: DiskDurability) throws {
    let cache = try filled(durability)
    let removal = try cache.beginRemoval(suite: "s", includingPermanent: false, removesCopy: false)
    #expect(cache.count == Self.count)
    #expect(try step(cache, removal))
    #expect(removal.freed.count == 102)
    for key in [2, 502, 998] {
      #expect(try cache.value(for: "\(key)", suite: "s") == nil)
      #expect(try !cache.contains("\(key)", suite: "s"))
      #expect(try !cache.renew("\(key)", suite: "s") && !cache.remove("\(key)", suite: "s"))
    }
    #expect(try cache.keys(suite: "s").count == 100 && cache.keys().count == 500)
    for key in [4, 900, 5_000] { try cache.set(Data([2]), for: "\(key)", suite: "s") }
    var steps = 1
    while try step(cache, removal) { steps += 1 }
    #expect(steps < 40 && removal.freed.count == 400)
    #expect(try cache.keys(suite: "s").count == 102)
    #expect(cache.statistics.removals == 400)
    try cache.close()
    let again = try open(durability)
    for key in [4, 900, 5_000] {
      #expect(try again.value(for: "\(key)", suite: "s") == Data([2]))
    }
    #expect(again.count == 602 && again.statistics.damages == 0)
  }

  /// The process ends between two steps: an entry is removed or not.
  @Test(arguments: DiskDurability.allCases, [1, 2, 4])
  func killBetweenStepsLeavesWholeEntries(durability: DiskDurability, steps: Int) throws {
    let cache = try filled(durability)
    try cache.flush()
    let removal = try cache.beginTrim(toAge: .zero, suite: nil)
    for _ in 0..<steps { #expect(try step(cache, removal)) }
    let copy = folder.path + ".copy"
    try FileManager.default.copyItem(atPath: folder.path, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let again = try open(durability, copy)
    var found = 0
    for key in 0..<Self.count {
      let value = try again.value(for: "\(key)", suite: key % 2 == 0 ? "s" : "")
      #expect(value == nil || value == Data([1]))
      if value != nil { found += 1 }
    }
    #expect(found == again.count && found >= 100)
    #expect(again.statistics.damages == 0 && again.statistics.rebuilds == 0)
    while try step(cache, removal) {}
    #expect(cache.count == 100)
  }

  @Test func closingFinishesARemoval() throws {
    let cache = try filled(.normal)
    _ = try cache.beginRemoval(suite: nil, includingPermanent: true, removesCopy: true)
    try cache.close()
    #expect(try open(.normal).count == 0)
  }

  /// Eviction by hand removes 256 entries with each step, and the policy's choice is as ever.
  @Test func trimEvictsInSteps() throws {
    let cache = try filled(.none)
    let removal = try cache.withCore { (core) throws(DiskCacheError) in
      try core.beginTrim(entriesMax: 100, bytesMax: .max)
    }
    #expect(try step(cache, removal) && cache.count == Self.count - DiskRemoval.batch)
    while try step(cache, removal) {}
    #expect(cache.count == 200 && cache.statistics.trims == 800)
    #expect(try cache.contains("999") && !cache.contains("1"))
  }
}
