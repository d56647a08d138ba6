import Foundation
import Larder

/// A working process is killed at a random moment, several times over one folder: acknowledged
/// operations are preserved, and no operation without all those before it.
enum KillScenario: Scenario {
  static let name = "kill"
  static let summary = "SIGKILL of a process that stores and removes"
  static let rounds = 300
  private static let kills = 4

  static func round(_ random: inout Random, _ counts: inout Counts) throws {
    let scratch = try Scratch()
    let durability = random.pick([DiskDurability.full, .normal, .normal, .none])
    let isEncrypted = random.oneIn(4)
    var state = History()
    for _ in 0..<kills {
      let seed = random.next() >> 1
      let run = try KillVictim.kill(
        KillVictim.Order(
          folder: scratch.path, seed: seed, durability: durability, isEncrypted: isEncrypted),
        after: 1 + random.below(random.oneIn(3) ? 20 : 400),
        state)
      let configuration = try DiskConfiguration.unlimited(
        &random, durability, isEncrypted: isEncrypted)
      let cache = try BlockingDiskCache(path: scratch.path, configuration: configuration)
      let found = try History(of: cache, keys: KillVictim.keys)
      try require(cache.count == found.entries.count, "\(cache.count) entries are counted")
      let said = cache.statistics
      try require(
        said.damages == 0 && said.rebuilds == 0,
        "\(said.damages) damages, \(said.rebuilds) rebuilds: \(cache.damage ?? "none")")
      let sure = durability == .none ? 0 : run.acknowledged
      var isFound = sure == 0 && found == state
      var draws = Random(seed: seed)
      for number in 0..<run.begun {
        state.apply(KillVictim.operation(&draws, seed, number))
        if number + 1 >= sure, found == state { isFound = true }
      }
      try require(
        isFound,
        "after \(run.acknowledged) acknowledged operations (\(durability)) the cache has "
          + "\(found.entries.count) entries that are no state of these")
      state = found
      counts["kills", default: 0] += 1
      counts["acknowledged operations", default: 0] += run.acknowledged
      try cache.close()
    }
  }
}
