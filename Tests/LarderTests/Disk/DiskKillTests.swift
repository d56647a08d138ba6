import Foundation
import TestSupport
import Testing

@testable import DiskCacheVictim
@testable import Larder

/// A writing child process is killed at a random moment; then its folder is examined.
@Suite(.endsInTime, .serialized) struct DiskKillTests {
  /// Versions of a key's value and of its metadata.
  private struct Found: Equatable {
    var value: UInt64
    var version: String?
  }

  /// A number of rounds with one durability, encrypted or not.
  struct Rounds: Sendable, CustomTestStringConvertible {
    var durability: DiskDurability
    var count: Int
    var key: String?
    var hasSegments = false
    var testDescription: String {
      "\(durability), \(key == nil ? "plain" : "encrypted")\(hasSegments ? ", segments" : "")"
    }
  }

  private static let rounds: [Rounds] = [
    Rounds(durability: .full, count: 110), Rounds(durability: .normal, count: 80),
    Rounds(durability: .none, count: 40),
    Rounds(durability: .full, count: 20, key: "0123456789abcdef"),
    Rounds(durability: .normal, count: 20, key: "0123456789abcdef01234567"),
    Rounds(durability: .none, count: 20, key: "0123456789abcdef0123456789abcdef"),
    Rounds(durability: .full, count: 40, hasSegments: true),
    Rounds(durability: .normal, count: 80, hasSegments: true),
    Rounds(durability: .none, count: 40, hasSegments: true),
    Rounds(durability: .normal, count: 20, key: "0123456789abcdef", hasSegments: true),
  ]

  /// The state is that after some number of the child's operations, without gaps. With `full` and
  /// `normal`, all acknowledged operations are included.
  @Test(arguments: rounds)
  func killLeavesAPrefixOfTheOperations(rounds: Rounds) throws {
    let folder = try ScratchFolder(isSmall: true)
    var random = TestRandom(seed: 99)
    var state: [Int: Found] = [:]
    let encryption = try rounds.key.map { key in try DiskEncryption(key: Data(key.utf8)) }
    for round in 0..<rounds.count {
      let run = try VictimProcess.run(
        folder: folder.path,
        durability: rounds.durability.rawValue + (rounds.hasSegments ? "+segments" : ""),
        seed: UInt64(round + 1), lines: 1 + random.below(60), key: rounds.key)
      #expect(run.error == nil)
      let cache = try BlockingDiskCache(
        path: folder.path,
        configuration: DiskConfiguration(
          limits: DiskLimits(bytes: nil, freeBytes: 0), encryption: encryption))
      #expect(cache.statistics.damages == 0 && cache.statistics.rebuilds == 0)
      let found = try versions(in: cache)
      let sure = rounds.durability == .none ? 0 : run.acknowledged
      var reached = sure == 0 && found == state
      for (done, operation) in run.operations.enumerated() {
        switch operation {
        case .set(let key, let version): state[key] = Found(value: version, version: "\(version)")
        case .renew(let key, let version): state[key]?.version = "\(version)"
        case .remove(let key): state[key] = nil
        }
        if done + 1 >= sure, found == state { reached = true }
      }
      #expect(reached, "round \(round)")
      state = found
      if rounds.hasSegments {
        try checkSegments(cache, folder)
      } else {
        try checkFiles(cache, folder)
      }
      try cache.close()
    }
  }

  /// The version of every key, after checking that each value is intact and its key's.
  private func versions(in cache: BlockingDiskCache) throws -> [Int: Found] {
    var versions: [Int: Found] = [:]
    for key in 0..<40 {
      guard let entry = try cache.entry(for: "key \(key)") else { continue }
      let version = VictimValue.version(of: entry.data, key: key)
      #expect(version != nil, "torn or mixed: key \(key)")
      versions[key] = version.map { Found(value: $0, version: entry.metadata.version) }
    }
    return versions
  }

  /// Checks the bound on dead bytes: a third of the live ones, and four segments.
  private func checkSegments(_ cache: BlockingDiskCache, _ folder: ScratchFolder) throws {
    let live = try (0..<40).compactMap { try cache.value(for: "key \($0)")?.count }
      .reduce(0) { $1 > 20 << 10 ? $0 + $1 + 4096 : $0 }
    let bytes = try folder.valueFiles().reduce(0) { sum, path in
      sum + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
    }
    // With `none` ten sets of up to 70,000 bytes may have waited for their commit.
    #expect(bytes <= live + live / 3 + 4 * (256 << 10) + 20 * 73_728)
  }

  private func checkFiles(_ cache: BlockingDiskCache, _ folder: ScratchFolder) throws {
    let files = try folder.valueFiles()
    let sizes = try (0..<40).compactMap { try cache.value(for: "key \($0)")?.count }
    #expect(files.count == sizes.count { $0 > 20 << 10 })
  }
}
