import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Invalid numbers in a hybrid cache's configuration are rejected by name, including those of its
/// tiers.
@Suite struct HybridLimitsTests {
  private func failure(_ change: (inout HybridCacheConfiguration) -> Void) throws -> String? {
    let folder = try ScratchFolder(isSmall: true)
    var configuration = HybridCacheConfiguration(disk: DiskConfiguration(durability: .none))
    change(&configuration)
    let path = folder.path + "/new"
    do {
      _ = try HybridCache<String, Data>(path: path, configuration: configuration)
      return nil
    } catch {
      // A rejected configuration leaves no files.
      #expect(!FileManager.default.fileExists(atPath: path))
      return "\(error)"
    }
  }

  @Test func numbersAreChecked() throws {
    func check(
      _ text: String, _ change: (inout HybridCacheConfiguration) -> Void
    ) throws {
      #expect(try failure(change)?.contains(text) == true, "\(text)")
    }
    #expect(try failure { _ in } == nil)
    try check("staleIfError is -1.0 seconds") { $0.staleIfError = .seconds(-1) }
    try check("keptOnWarning nan") { $0.pressureRule.keptOnWarning = .nan }
    try check("keptWhenCritical 2.0") {
      $0.memory = nil
      $0.pressureRule.keptWhenCritical = 2
    }
    try check("keptWhenCritical 0.5") {
      $0.pressureRule = MemoryPressureRule(keptOnWarning: 0.25, keptWhenCritical: 0.5)
    }
    try check("memoryOnlyBelowSeconds is 2") {
      $0.rules.placement = HybridRules.Placement(
        memoryOnlyBelowSeconds: 2, diskOnlyFromSeconds: 1)
    }
    try check("weight 0") { $0.memory?.limits.weight = 0 }
    try check("limits.bytes 0") { $0.disk?.limits.bytes = 0 }
  }

  @Test func largeNumbersAreAccepted() throws {
    #expect(try failure { $0.staleIfError = .seconds(Int64.max) * 8 } == nil)
  }

  /// The default memory tier accepts values of up to a quarter of its limit.
  @Test func aQuarterOfTheDefaultLimitFitsInMemory() throws {
    let folder = try ScratchFolder(isSmall: true)
    let cache = try HybridCache<String, Data>(
      path: folder.path,
      configuration: HybridCacheConfiguration(
        disk: DiskConfiguration(limits: DiskLimits(freeBytes: 0), durability: .none)))
    try cache.set(Data(count: 8 << 20), for: "large")
    #expect(cache.memoryCount == 1)
    #expect(try cache.entry(for: "large")?.tier == .memory)
  }

  /// An origin may give its values any numbers.
  @Test func agesAndCostsOfAnOriginAreClamped() async throws {
    let folder = try ScratchFolder(isSmall: true)
    let cache = try await HybridCache<String, Data>(
      path: folder.path,
      configuration: HybridCacheConfiguration(
        disk: DiskConfiguration(limits: DiskLimits(freeBytes: 0), durability: .none)))
    for life in [Duration.seconds(Int64.max) * 8, .seconds(Int64.min) * 8] {
      for cost in [Float.nan, -1, .infinity] {
        let key = "\(life) \(cost)"
        let result = await cache.result(for: key) { _ in
          .value(Data(count: 1), maxAge: life, fetchCost: cost)
        }
        #expect(result.kind == "miss")
        #expect(try await (cache.entry(for: key) != nil) == (life > .zero))
      }
    }
  }
}
