import Foundation
import Larder

extension Workbench {
  /// Values of 1 KB beside SQLite's C API, with the same pragmas but for the locking mode.
  func measureSmall(rounds: Int) throws -> [String] {
    let exclusive = RawSQLite(path: "\(folder)/raw-exclusive", locking: "EXCLUSIVE")
    let normal = RawSQLite(path: "\(folder)/raw-normal", locking: "NORMAL")
    let plain = try cache("small")
    let gathered = try cache("small-none", .none)
    let sealed = try cache("small-sealed", encryption: Self.encryption)
    let small = small
    let (batch, count) = (500, 500 * rounds)

    func contest(_ title: String, _ key: @escaping (Int) -> String, gets: Bool) -> Contest {
      func way(_ cache: BlockingDiskCache) -> (Int) throws -> Void {
        gets
          ? { try Self.require(try cache.value(for: key($0))) }
          : { try cache.set(small[($0 + 1) % 64], for: key($0)) }
      }
      func way(_ raw: RawSQLite) -> (Int) throws -> Void {
        gets
          ? { try Self.require(raw.get(key($0))) } : { raw.set(key($0), small[($0 + 1) % 64]) }
      }
      return Contest(
        title,
        [
          Contest.Contender(name: "SQLite, locking EXCLUSIVE", work: way(exclusive)),
          Contest.Contender(name: "SQLite, locking NORMAL", work: way(normal)),
        ]
          + (gets ? [] : [Contest.Contender(name: "DiskCache none", work: way(gathered))])
          + [
            Contest.Contender(name: "DiskCache normal", work: way(plain)),
            Contest.Contender(name: "DiskCache normal, encrypted", work: way(sealed)),
          ])
    }

    var lines: [String] = []
    var sets = contest("1 KB set, new, each its own commit", { "key \($0)" }, gets: false)
    try sets.run(rounds: rounds, operations: batch)
    lines += sets.lines()
    var gets = contest("1 KB get", { "key \(Self.scattered($0, count))" }, gets: true)
    try gets.run(rounds: 10, operations: 200)
    gets = contest("1 KB get", { "key \(Self.scattered($0, count))" }, gets: true)
    try gets.run(rounds: rounds * 4, operations: batch)
    lines += gets.lines()
    var replaces = contest(
      "1 KB set, replacing", { "key \(Self.scattered($0, count))" }, gets: false)
    try replaces.run(rounds: max(1, rounds / 2), operations: batch)
    return lines + replaces.lines() + (try measureSynced())
  }

  /// Each set waits for the disk.
  private func measureSynced() throws -> [String] {
    let raw = RawSQLite(
      path: "\(folder)/raw-full", locking: "EXCLUSIVE", synchronous: "FULL")
    let cache = try cache("small-full", .full)
    let small = small
    var contest = Contest(
      "1 KB set, new, synchronous FULL",
      [
        Contest.Contender(name: "SQLite, locking EXCLUSIVE") {
          raw.set("key \($0)", small[$0 % 64])
        },
        Contest.Contender(name: "DiskCache full") {
          try cache.set(small[$0 % 64], for: "key \($0)")
        },
      ])
    try contest.run(rounds: 10, operations: 40)
    return contest.lines()
  }
}
