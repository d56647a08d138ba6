import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Invalid numbers in a disk cache's configuration are rejected by name, before anything is changed
/// on disk; numbers in calls are clamped.
@Suite struct DiskLimitsTests {
  private func failure(_ change: (inout DiskConfiguration) -> Void) throws -> String? {
    let folder = try ScratchFolder(isSmall: true)
    var configuration = DiskConfiguration(durability: .none)
    change(&configuration)
    let path = folder.path + "/new"
    do {
      _ = try BlockingDiskCache(path: path, configuration: configuration)
      return nil
    } catch {
      #expect(!FileManager.default.fileExists(atPath: path))
      return "\(error)"
    }
  }

  private func message(_ name: String, _ value: some Any) -> String {
    "disk cache: \(name) \(value) is out of range: expected "
  }

  @Test(arguments: [0, .max, .max - 1, (1 << 50) + 1])
  func limitsOfBytesAreChecked(value: UInt64) throws {
    #expect(
      try failure { $0.limits.bytes = value }
        == message("limits.bytes", value) + "1 to 1125899906842624 (2^50), or nil for no limit")
    guard value > 0 else { return }
    #expect(
      try failure { $0.limits.freeBytes = value }
        == message("limits.freeBytes", value) + "0 to 1125899906842624 (2^50)")
  }

  @Test(arguments: [-1, .min, .max])
  func numbersAreChecked(value: Int) throws {
    func check(_ name: String, _ change: (inout DiskConfiguration) -> Void) throws {
      #expect(try failure(change)?.hasPrefix(message(name, value)) == true, "\(name)")
    }
    try check("limits.count") { $0.limits.count = value }
    try check("inlineBytesMax") { $0.inlineBytesMax = value }
    try check("groupWrites") { $0.groupWrites = value }
    try check("pageCacheBytes") { $0.pageCacheBytes = value }
  }

  @Test func countsMustNotBeZero() throws {
    #expect(try failure { $0.limits.count = 0 }?.contains("limits.count 0") == true)
    #expect(try failure { $0.groupWrites = 0 }?.contains("groupWrites 0") == true)
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(999), .seconds(Int64.min) * 8])
  func agesAreChecked(life: Duration) throws {
    #expect(
      try failure { $0.limits.age = life }
        == message("limits.age", life) + "at least a microsecond, or nil for no limit")
  }

  /// The largest limits work with every policy, even one that multiplies its capacity.
  @Test(arguments: Policies.executable + ExtremeParameters.specs)
  func theLargestLimitsWork(policy: String) throws {
    let largest = PolicySetup.capacityMax
    for limits in [
      DiskLimits(bytes: largest, count: Int(largest), freeBytes: 0),
      DiskLimits(bytes: nil, count: Int(largest), freeBytes: 0),
      DiskLimits(bytes: nil, age: .seconds(Int64.max) * 8, freeBytes: 0),
    ] {
      let folder = try ScratchFolder(isSmall: true)
      let cache = try BlockingDiskCache(
        path: folder.path,
        configuration: DiskConfiguration(
          policy: CachePolicy(policy), limits: limits, durability: .none, groupWrites: 1_000_000,
          pageCacheBytes: 0))
      for key in 0..<50 { #expect(try cache.set(Data(count: key), for: "\(key)")) }
      for key in 0..<50 { #expect(try cache.value(for: "\(key)")?.count == key) }
      try cache.trim(toCount: 10)
      #expect(cache.count == 10)
    }
  }

  /// No disk has that much room: nothing is stored, and nothing traps.
  @Test func aDiskThatIsNeverFreeEnoughStoresNothing() throws {
    let folder = try ScratchFolder(isSmall: true)
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: PolicySetup.capacityMax), durability: .none))
    #expect(try !cache.set(Data(count: 9), for: "a"))
    #expect(cache.count == 0)
  }

  @Test func numbersInCallsAreClamped() throws {
    let folder = try ScratchFolder(isSmall: true)
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: "gdsf", limits: DiskLimits(freeBytes: 0), durability: .none))
    let costs: [Float] = [.nan, -1, .infinity, -.infinity, .greatestFiniteMagnitude, -0.0]
    for (number, cost) in costs.enumerated() {
      let options = DiskStoreOptions(fetchCost: cost)
      #expect(try cache.set(Data(count: 9), for: "\(number)", options: options))
    }
    #expect(try cache.entry(for: "0")?.metadata.fetchCost == 1)
    #expect(try cache.entry(for: "1")?.metadata.fetchCost == 0)
    #expect(try cache.entry(for: "2")?.metadata.fetchCost == .greatestFiniteMagnitude)
    let lives = [Duration.seconds(Int64.max) * 8, .seconds(Int64.min) * 8, .zero]
    for life in lives {
      try cache.set(Data(count: 9), for: "life", options: DiskStoreOptions(timeToLive: life))
      #expect(try (cache.value(for: "life") != nil) == (life > .zero))
      try cache.renew("0", timeToLive: life)
    }
    try cache.trim(toAge: .seconds(Int64.max) * 8)
    try cache.trim(bytes: .max)
    try cache.trim(toCount: .max)
    #expect(cache.count > 0)
    try cache.trim(toCount: .min)
    #expect(cache.count == 0)
  }
}
