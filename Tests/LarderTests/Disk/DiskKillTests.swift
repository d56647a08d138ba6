import Foundation
import Testing

@testable import DiskCacheVictim
@testable import Larder

/// A child that writes is killed at a random moment; then its folder is looked at.
@Suite(.serialized) struct DiskKillTests {
  /// A killed process loses nothing that was acknowledged, and leaves nothing half done.
  @Test(arguments: [DiskDurability.full, .normal])
  func nothingAcknowledgedIsLost(durability: DiskDurability) throws {
    let folder = try ScratchFolder()
    var facts: [Int: VictimProcess.Fact] = [:]
    var random = TestRandom(seed: 99)
    for round in 0..<Self.rounds {
      let error = try VictimProcess.run(
        folder: folder.path, durability: durability.rawValue, seed: UInt64(round + 1),
        lines: 1 + random.below(60), into: &facts)
      #expect(error == nil)
      let cache = try DiskCache(path: folder.path, configuration: Self.configuration)
      #expect(cache.statistics.damages == 0 && cache.statistics.rebuilds == 0)
      for key in 0..<40 {
        let found = try version(of: key, in: cache)
        let fact = facts[key] ?? VictimProcess.Fact()
        let possible = [fact.acknowledged] + fact.begun
        #expect(
          possible.contains(found), "round \(round), key \(key): \(String(describing: found))")
        // From here on that is what the key has.
        facts[key] = VictimProcess.Fact(acknowledged: found)
      }
      try checkFiles(cache, folder)
      try cache.close()
    }
  }

  /// With durability `none` writes may be lost, but only together from the end, and nothing is torn.
  @Test func gatheredWritesAreLostWholeOrNotAtAll() throws {
    let folder = try ScratchFolder()
    var random = TestRandom(seed: 5)
    for round in 0..<20 {
      var facts: [Int: VictimProcess.Fact] = [:]
      let error = try VictimProcess.run(
        folder: folder.path, durability: "none", seed: UInt64(round + 1),
        lines: 1 + random.below(300), into: &facts)
      #expect(error == nil)
      let cache = try DiskCache(path: folder.path, configuration: Self.configuration)
      #expect(cache.statistics.damages == 0 && cache.statistics.rebuilds == 0)
      for key in 0..<40 { _ = try version(of: key, in: cache) }
      try checkFiles(cache, folder)
      try cache.close()
    }
  }

  private static let rounds = 110
  private static let configuration = DiskConfiguration(
    limits: DiskLimits(bytesMax: nil, freeBytesMin: 0))

  private func version(of key: Int, in cache: DiskCache) throws -> UInt64? {
    guard let entry = try cache.entry(for: "key \(key)") else { return nil }
    let words = entry.data.prefix(8)
    let version = words.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(entry.data == VictimValue.make(key: key, version: version), "torn or mixed: \(key)")
    #expect(entry.metadata.version == "\(version)")
    return version
  }

  /// Every file belongs to an entry, and every entry over the threshold has one.
  private func checkFiles(_ cache: DiskCache, _ folder: ScratchFolder) throws {
    let files = try folder.valueFiles()
    let sizes = try (0..<40).compactMap { try cache.data(for: "key \($0)")?.count }
    #expect(files.count == sizes.count { $0 > 20 << 10 })
  }
}
