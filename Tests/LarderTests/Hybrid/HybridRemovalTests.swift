import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Removal of the entries that match a predicate, from both tiers.
@Suite(.endsInTime) struct HybridRemovalTests {
  let folder: ScratchFolder
  let clock = ManualClock(seconds: 1000)
  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func cache(
    memory: Int? = 10, disk: Int? = 100, _ rules: HybridRules = HybridRules()
  ) throws -> HybridCache<String, Int> {
    var configuration = HybridTestCaches.configuration(
      memory: memory, disk: disk, rules: rules, clock: clock)
    configuration.suite = "s"
    return try HybridCache(
      path: folder.path, configuration: configuration)
  }

  static let tiers: [(Int?, Int?, HybridRules)] = [
    (10, 100, HybridRules()), (10, 100, HybridRules(inclusion: .exclusive)),
    (60, nil, HybridRules()), (nil, 100, HybridRules()),
  ]

  @Test(arguments: tiers)
  func matchingEntriesLeaveBothTiers(_ memory: Int?, _ disk: Int?, _ rules: HybridRules) throws {
    let cache = try cache(memory: memory, disk: disk, rules)
    for number in 0..<30 {
      try cache.set(
        number, for: "\(number)",
        options: DiskStoreOptions(
          timeToLive: number % 3 == 0 ? .seconds(10) : nil, version: "v",
          isPermanent: number % 5 == 0))
    }
    // Expired entries are kept for revalidation, and removed nevertheless.
    clock.advance(seconds: 20)
    let freed = try cache.remove { entry in
      #expect(entry.name.suite == "s" && entry.metadata.version == "v")
      return Int(entry.name.key).map { $0 % 2 == 0 } ?? false
    }
    #expect(freed.memoryCount + freed.count >= 15)
    var left: Set<String> = []
    _ = try cache.remove { entry in
      left.insert(entry.name.key)
      return false
    }
    #expect(left == Set((0..<15).map { "\($0 * 2 + 1)" }))
    #expect(try cache.value(for: "2") == nil && cache.value(for: "7") == 7)
  }

  @Test func sizeOnDiskRemovesTheCopyInMemory() throws {
    let cache = try cache()
    try cache.set(123_456, for: "long")
    try cache.set(1, for: "short")
    try cache.remove { ($0.bytes ?? 0) > 3 }
    #expect(try cache.value(for: "long") == nil && cache.value(for: "short") == 1)
    #expect(cache.memoryCount == 1 && cache.diskCount == 1)
  }

  @Test func fetchOfARemovedKeyIsNotStored() async throws {
    let (cache, gate) = (try cache(), Gate())
    try await cache.set(1, for: "a")
    try await cache.set(1, for: "b")
    async let a = cache.value(for: "a", strategy: .fetch) { _ in
      await gate.pass()
      return 2
    }
    async let b = cache.value(for: "b", strategy: .fetch) { _ in
      await gate.pass()
      return 2
    }
    await gate.hasArrivals(2)
    try await cache.remove { $0.name.key == "a" }
    gate.open()
    #expect(try await a == 2)
    #expect(try await b == 2)
    #expect(try await cache.value(for: "a") == nil)
    #expect(try await cache.value(for: "b") == 2)
  }

  @Test(arguments: tiers)
  func valueStoredDuringARemovalStays(
    _ memory: Int?, _ disk: Int?, _ rules: HybridRules
  ) throws {
    let cache = try cache(memory: memory, disk: disk, rules)
    for key in ["k", "other"] { try cache.set(1, for: key) }
    var isStored = false
    try cache.remove { _ in
      if !isStored { #expect(throws: Never.self) { try cache.set(2, for: "k") } }
      isStored = true
      return true
    }
    #expect(try isStored && cache.value(for: "k") == 2 && cache.value(for: "other") == nil)
    try cache.remove { _ in true }
    #expect(try cache.value(for: "k") == nil)
  }

  @Test(arguments: tiers)
  func removalThatBeginsLaterRemovesTheNewValue(
    _ memory: Int?, _ disk: Int?, _ rules: HybridRules
  ) throws {
    let cache = try cache(memory: memory, disk: disk, rules)
    try cache.set(1, for: "k")
    var isRemoved = false
    try cache.remove { _ in
      guard !isRemoved else { return true }
      isRemoved = true
      #expect(throws: Never.self) {
        try cache.set(2, for: "k")
        try cache.remove { _ in true }
      }
      return true
    }
    #expect(try isRemoved && cache.value(for: "k") == nil)
  }

  @Test func entryEvictedToDiskDuringARemovalIsRemoved() throws {
    let cache = try cache(HybridRules(inclusion: .exclusive))
    try cache.set(1, for: "k")
    try cache.remove { entry in
      guard entry.name.key == "k" else { return false }
      for number in 0..<20 {
        #expect(throws: Never.self) { try cache.set(number, for: "\(number)") }
      }
      return true
    }
    #expect(try cache.value(for: "k") == nil && cache.value(for: "0") == 0)
  }

  @Test func memoryLosesItsEntriesIfTheDiskFails() throws {
    let cache = try cache()
    for key in ["a", "b"] { try cache.set(1, for: key) }
    try cache.disk?.close()
    #expect(throws: HybridCacheError.self) { try cache.remove { $0.name.key == "a" } }
    #expect(cache.memoryCount == 1)
    try? cache.close()
    #expect(throws: HybridCacheError.self) { try cache.remove { _ in true } }
  }
}
