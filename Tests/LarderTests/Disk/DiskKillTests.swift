import Foundation
import Testing

@testable import DiskCacheVictim
@testable import Larder

/// A child that writes is killed at a random moment; then its folder is looked at.
@Suite(.serialized) struct DiskKillTests {
  /// What is found is what some number of the child's operations leave, from the first on: none is
  /// there without those before it. With `full` and `normal`, all that were acknowledged are.
  @Test(arguments: [(DiskDurability.full, 110), (.normal, 80), (.none, 40)])
  func whatIsFoundIsWhatWasDoneUpToSomeMoment(durability: DiskDurability, rounds: Int) throws {
    let folder = try ScratchFolder()
    var random = TestRandom(seed: 99)
    var state: [Int: UInt64] = [:]
    for round in 0..<rounds {
      let run = try VictimProcess.run(
        folder: folder.path, durability: durability.rawValue, seed: UInt64(round + 1),
        lines: 1 + random.below(60))
      #expect(run.error == nil)
      let cache = try DiskCache(
        path: folder.path,
        configuration: DiskConfiguration(limits: DiskLimits(bytesMax: nil, freeBytesMin: 0)))
      #expect(cache.statistics.damages == 0 && cache.statistics.rebuilds == 0)
      let found = try versions(in: cache)
      let sure = durability == .none ? 0 : run.acknowledged
      var reached = sure == 0 && found == state
      for (done, operation) in run.operations.enumerated() {
        state[operation.key] = operation.version
        if done + 1 >= sure, found == state { reached = true }
      }
      #expect(reached, "\(durability), round \(round)")
      state = found
      try checkFiles(cache, folder)
      try cache.close()
    }
  }

  /// The version of every key, each value whole and its own.
  private func versions(in cache: DiskCache) throws -> [Int: UInt64] {
    var versions: [Int: UInt64] = [:]
    for key in 0..<40 {
      guard let entry = try cache.entry(for: "key \(key)") else { continue }
      let version = VictimValue.version(of: entry.data, key: key)
      #expect(version != nil, "torn or mixed: key \(key)")
      #expect(entry.metadata.version == version.map { "\($0)" })
      versions[key] = version
    }
    return versions
  }

  /// Every file belongs to an entry, and every entry over the threshold has one.
  private func checkFiles(_ cache: DiskCache, _ folder: ScratchFolder) throws {
    let files = try folder.valueFiles()
    let sizes = try (0..<40).compactMap { try cache.data(for: "key \($0)")?.count }
    #expect(files.count == sizes.count { $0 > 20 << 10 })
  }
}
