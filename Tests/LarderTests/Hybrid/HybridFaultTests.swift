import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Failing disks; memory continues to work.
@Suite(.endsInTime) struct HybridFaultTests {
  let folder: ScratchFolder
  let files = FaultyFiles()
  init() throws { folder = try ScratchFolder() }

  /// Creates a cache in which values of more than 10 bytes are in files, which can fail.
  private func cache(
    _ rules: HybridRules = HybridRules()
  ) throws -> HybridCache<String, Data> {
    var configuration = HybridTestCaches.configuration(rules: rules)
    configuration.disk?.inlineBytesMax = 10
    return try HybridCache(
      path: folder.path, configuration: configuration, codec: .data, files: files)
  }

  private let large = Data(repeating: 7, count: 5_000)

  @Test func failedDiskWriteThrowsAndStoresInMemory() throws {
    let cache = try cache()
    try cache.set(Data([1]), for: "a")
    files.set { $0.calls = ["write"] }
    let error = #expect(throws: HybridCacheError.self) { try cache.set(large, for: "a") }
    guard case .disk(.files) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try cache.entry(for: "a")?.value == large)
    #expect(try cache.entry(for: "a")?.tier == .memory)
    // The previous value is gone: no outdated value is returned.
    cache.handle(.critical)
    #expect(try cache.entry(for: "a") == nil)
    files.set { $0.calls = [] }
    try cache.set(large, for: "a")
    cache.handle(.critical)
    #expect(try cache.entry(for: "a")?.value == large)
  }

  @Test func valueThatCannotBeReadNowIsAnErrorAndStays() throws {
    let cache = try cache()
    try cache.set(large, for: "a")
    cache.handle(.critical)
    files.set { $0.calls = ["read"] }
    #expect(throws: HybridCacheError.self) { try cache.entry(for: "a") }
    files.set { $0.calls = [] }
    #expect(try cache.entry(for: "a")?.value == large)
  }

  @Test func requestsFallBackToTheOrigin() async throws {
    let cache = try cache()
    let failures = Locked(0)
    let token = cache.onEvent { event in
      if case .failure(.disk) = event.kind { failures.withLock { $0 += 1 } }
    }
    files.set { $0.calls = ["write"] }
    let value = try await cache.value(for: "a") { _ in large }
    #expect(value == large)
    #expect(failures.withLock { $0 } == 1)
    #expect(try await cache.entry(for: "a")?.tier == .memory)
    token.cancel()
  }

  @Test(arguments: [false, true])
  func diskThatFailsAfterItsAnswerIsReported(hasOrigin: Bool) async throws {
    let configuration = HybridTestCaches.configuration()
    let disk = try BlockingDiskCache(path: folder.path, configuration: #require(configuration.disk))
    let codec = DiskCodec<Data>(
      identity: "closing", encode: { $0 },
      decode: { data in
        try disk.close()
        return data
      })
    let cache = try await HybridCache<String, Data>(
      configuration: configuration, disk: DiskCache(disk), codec: codec)
    try await cache.set(large, for: "a")
    cache.handle(.critical)
    let failures = Locked(0)
    let token = cache.onEvent { event in
      if case .failure(.disk(.closed)) = event.kind { failures.withLock { $0 += 1 } }
    }
    if hasOrigin {
      #expect(await cache.result(for: "a") { _ in .absent }.kind == "hit disk fresh")
    } else {
      let hit = try await cache.entry(for: "a")
      #expect(hit?.value == large && hit?.tier == .disk)
    }
    #expect(cache.memoryCount == 0)
    #expect(failures.withLock { $0 } == 1)
    token.cancel()
  }

  @Test func failedDemotionLosesAndReportsTheVictim() throws {
    let cache = try cache(HybridRules(inclusion: .exclusive))
    let failures = Locked(0)
    let token = cache.onEvent { event in
      if case .failure(.disk) = event.kind { failures.withLock { $0 += 1 } }
    }
    for number in 0..<4 { try cache.set(large, for: "\(number)") }
    files.set { $0.calls = ["write"] }
    try cache.set(large, for: "4")
    #expect(failures.withLock { $0 } == 1)
    #expect(cache.readStatistics().demotions == 0)
    #expect(try cache.entry(for: "4")?.value == large)
    #expect(try cache.entry(for: "0") == nil)
    files.set { $0.calls = [] }
    try cache.set(large, for: "5")
    #expect(cache.readStatistics().demotions == 1)
    token.cancel()
  }

  /// A disk that fails occasionally, under all rules: an error or a miss, never a wrong value.
  @Test(arguments: HybridRules.Inclusion.allCases)
  func failuresNeverGiveWrongValues(inclusion: HybridRules.Inclusion) throws {
    let cache = try cache(HybridRules(inclusion: inclusion))
    var random = TestRandom(seed: 4)
    var stored: [Int: UInt8] = [:]
    var hits = 0
    let failures = Locked(0)
    let token = cache.onEvent { event in
      if case .failure(.disk) = event.kind { failures.withLock { $0 += 1 } }
    }
    files.set { $0.percent = 20 }
    for step in 0..<3_000 {
      let key = random.below(30)
      do {
        switch random.below(10) {
        case 0...5:
          guard let hit = try cache.entry(for: "\(key)") else { continue }
          hits += 1
          #expect(hit.value.first == stored[key], "step \(step)")
        case 6...8:
          let version = UInt8(truncatingIfNeeded: step)
          // A set that throws may have stored the value in memory, and the previous one is gone.
          stored[key] = version
          try cache.set(Data(repeating: version, count: 1 + random.below(40)), for: "\(key)")
        default:
          stored[key] = nil
          try cache.remove("\(key)")
        }
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    files.set { $0.percent = 0 }
    token.cancel()
    #expect(failures.withLock { $0 } > 50)
    #expect(hits > 500)
    try cache.set(large, for: "new")
    cache.handle(.critical)
    #expect(try cache.entry(for: "new")?.value == (inclusion == .inclusive ? large : nil))
  }
}
