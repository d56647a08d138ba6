import Foundation
import LarderEngine
import Testing

@testable import Larder

/// The choice of the policy `auto` after a disk cache was closed and reopened.
@Suite struct DiskChoiceTests {
  private let policies = "lru/mru"

  private func open(_ folder: ScratchFolder, _ policies: String, count: Int = 100) throws
    -> BlockingDiskCache
  {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: CachePolicy("auto:shadow=1000:policies=\(policies)"),
        limits: DiskLimits(count: count, freeBytes: 0), durability: .none))
  }

  /// Requests 120 keys in turns, and returns the hits: a loop, in which LRU has none.
  @discardableResult private func loop(_ cache: BlockingDiskCache, requests: Int) throws -> Int {
    var hits = 0
    for index in 0..<requests {
      let key = "\(index % 120)"
      if try cache.value(for: key) != nil {
        hits += 1
      } else {
        try cache.set(Data(), for: key)
      }
    }
    return hits
  }

  private func closed() throws -> (ScratchFolder, PolicyChoice) {
    let folder = try ScratchFolder(isSmall: true)
    let cache = try open(folder, policies)
    try loop(cache, requests: 12_000)
    let choice = try #require(cache.policyChoice)
    try cache.close()
    return (folder, choice)
  }

  @Test func leaderSwitchesAndHitRatiosSurvive() throws {
    var (folder, before) = try closed()
    #expect(before.leader == "mru" && before.switches == 1)
    for _ in 0..<3 {
      let cache = try open(folder, policies)
      let after = try #require(cache.policyChoice)
      #expect(after.leader == "mru" && after.switches == 1)
      #expect(abs(after.samples - before.samples) < 1e-6)
      for (ratio, old) in zip(after.hitRatios, before.hitRatios) {
        #expect(abs(ratio - old) < 1e-9)
      }
      #expect(try loop(cache, requests: 1200) > 840)
      before = try #require(cache.policyChoice)
      #expect(before.switches == 1)
      try cache.close()
    }
  }

  @Test func otherLimitsKeepTheChoice() throws {
    let (folder, _) = try closed()
    let lower = try open(folder, policies, count: 50)
    #expect(try #require(lower.policyChoice).leader == "mru" && lower.count == 50)
    _ = try lower.setLimits(DiskLimits(count: 110, freeBytes: 0))
    #expect(try #require(lower.policyChoice).leader == "mru")
    #expect(try loop(lower, requests: 1200) > 600)
    #expect(try #require(lower.policyChoice).switches == 1)
  }

  @Test func lostDatabaseKeepsTheChoiceOfTheProcess() throws {
    let (folder, _) = try closed()
    let cache = try open(folder, policies)
    let before = try #require(cache.policyChoice)
    try cache.core.rebuild(after: .damaged(path: folder.path, message: "test"))
    #expect(cache.count == 0 && cache.statistics.rebuilds == 1)
    let after = try #require(cache.policyChoice)
    #expect(after.leader == "mru" && after.switches == 1)
    #expect(abs(after.hitRatios[1] - before.hitRatios[1]) < 1e-9)
  }

  /// Another portfolio, another order, another policy, and a policy that has no choice.
  @Test func choiceOfOtherPoliciesIsIgnored() throws {
    for other in ["mru/lru", "lru/mru/lfu", "lru/clock", "lru"] {
      let (folder, _) = try closed()
      let cache = try open(folder, other)
      let choice = try #require(cache.policyChoice)
      #expect(choice.leading == 0 && choice.switches == 0)
      try cache.close()
    }
    let (folder, _) = try closed()
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: .lru, limits: DiskLimits(count: 100, freeBytes: 0), durability: .none))
    #expect(cache.policyChoice == nil && cache.count == 100)
    // The order, which the file has as well, was read.
    _ = try cache.value(for: "0")
  }

  /// Changes the numbers of the choice in the snapshot, with a right checksum.
  private func change(_ folder: ScratchFolder, _ body: (inout [UInt64]) -> Void) throws {
    let url = URL(fileURLWithPath: folder.path + "/snapshot")
    var bytes = try Data(contentsOf: url)
    let end = bytes.count - MemoryLayout<DiskSnapshot.Footer>.size
    var footer = bytes.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: end, as: DiskSnapshot.Footer.self)
    }
    let first = end - Int(footer.choice) * 8
    var words = bytes.withUnsafeBytes { bytes in
      stride(from: first, to: end, by: 8).map {
        bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
      }
    }
    body(&words)
    footer.checksum = words.withUnsafeBytes { footer.sum($0) }
    bytes.removeSubrange(first...)
    words.withUnsafeBytes { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: footer) { bytes.append(contentsOf: $0) }
    try bytes.write(to: url)
  }

  /// Every number of the choice replaced, with a right checksum: the cache opens with all entries,
  /// and a choice is the stored one or none.
  @Test func damagedChoiceIsIgnored() throws {
    let values: [UInt64] = [
      0, 1, 2, 17, 1 << 32, 1 << 62, .max, .max >> 1, 1 << 63, Double.nan.bitPattern,
      Double.infinity.bitPattern, (-1.0).bitPattern, (1e300).bitPattern, (1e-300).bitPattern,
      (2.0).bitPattern,
    ]
    let (folder, before) = try closed()
    let url = URL(fileURLWithPath: folder.path + "/snapshot")
    let whole = try Data(contentsOf: url)
    var length = 0
    try change(folder) { length = $0.count }
    #expect(length == 7 + 2 + 1)
    var kept = 0
    for place in 1...length {
      for value in values {
        try whole.write(to: url)
        try change(folder) { $0[$0.count - place] = value }
        let cache = try open(folder, policies)
        let choice = try #require(cache.policyChoice)
        #expect(cache.count == 100 && choice.policies == before.policies)
        #expect(choice.hitRatios.allSatisfy { $0 >= 0 && $0 <= 1 })
        if choice.switches > 0 { kept += 1 }
        // Numbers that could be right are taken, and do no harm.
        try loop(cache, requests: 300)
        try cache.close()
      }
    }
    #expect(kept > 0)
  }

  @Test func diskOfAHybridKeepsItsChoice() throws {
    let (folder, before) = try closed()
    var configuration = HybridCacheConfiguration(
      memory: MemoryTier(limits: MemoryCacheLimits(count: 1)),
      disk: DiskConfiguration(
        policy: CachePolicy("auto:shadow=1000:policies=\(policies)"),
        limits: DiskLimits(count: 100, freeBytes: 0), durability: .none))
    configuration.strategy = .cacheElseFetch
    let cache = try HybridCache<String, Data>(path: folder.path, configuration: configuration)
    let choice = try #require(cache.readStatistics().disk?.policyChoice)
    #expect(choice.leader == "mru" && choice.switches == before.switches)
    try cache.close()
  }
}
