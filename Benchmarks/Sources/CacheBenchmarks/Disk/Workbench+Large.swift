import Foundation
import Larder

extension Workbench {
  /// Values of 100 KB beside plain files.
  func measureLarge(rounds: Int) throws -> [String] {
    let files = PlainFiles(folder: "\(folder)/files")
    let plain = try cache("large")
    let sealed = try cache("large-sealed", encryption: Self.encryption)
    let segments = try cache("large-segments", segmentBytes: 64 << 20)
    let large = large
    let (batch, count) = (20, 20 * rounds)
    var sets = Contest(
      "100 KB set, new",
      [
        Contest.Contender(name: "files, written and renamed") { files.set($0, large[$0 % 16]) },
        Contest.Contender(name: "DiskCache normal") {
          try plain.set(large[$0 % 16], for: "key \($0)")
        },
        Contest.Contender(name: "DiskCache normal, segments") {
          try segments.set(large[$0 % 16], for: "key \($0)")
        },
        Contest.Contender(name: "DiskCache normal, encrypted") {
          try sealed.set(large[$0 % 16], for: "key \($0)")
        },
      ])
    try sets.run(rounds: rounds, operations: batch)
    var gets = Contest(
      "100 KB get",
      [
        Contest.Contender(name: "files") {
          try Self.require(files.get(Self.scattered($0, count)))
        },
        Contest.Contender(name: "DiskCache normal") {
          try Self.require(try plain.value(for: "key \(Self.scattered($0, count))"))
        },
        Contest.Contender(name: "DiskCache normal, segments") {
          try Self.require(try segments.value(for: "key \(Self.scattered($0, count))"))
        },
        Contest.Contender(name: "DiskCache normal, encrypted") {
          try Self.require(try sealed.value(for: "key \(Self.scattered($0, count))"))
        },
      ])
    try gets.run(rounds: rounds * 4, operations: 50)
    var replaces = Contest(
      "100 KB set, replacing",
      [
        Contest.Contender(name: "files, written and renamed") {
          files.set(Self.scattered($0, count), large[($0 + 1) % 16])
        },
        Contest.Contender(name: "DiskCache normal") {
          try plain.set(large[($0 + 1) % 16], for: "key \(Self.scattered($0, count))")
        },
        Contest.Contender(name: "DiskCache normal, segments") {
          try segments.set(large[($0 + 1) % 16], for: "key \(Self.scattered($0, count))")
        },
      ])
    try replaces.run(rounds: max(1, rounds / 2), operations: batch)
    return sets.lines() + gets.lines() + replaces.lines() + (try measureChurn(rounds: rounds))
  }

  /// A full cache: every value that comes costs another one its place.
  private func measureChurn(rounds: Int) throws -> [String] {
    let files = PlainFiles(folder: "\(folder)/churn-files")
    let full = try cache("churn", bytes: 20_000_000)
    let segments = try cache(
      "churn-segments", bytes: 20_000_000, segmentBytes: 4 << 20)
    let large = large
    for number in 0..<200 {
      files.set(number, large[number % 16])
      try full.set(large[number % 16], for: "key \(number)")
      try segments.set(large[number % 16], for: "key \(number)")
    }
    var contest = Contest(
      "100 KB, one in, one out",
      [
        Contest.Contender(name: "files: unlink and create") {
          files.remove($0)
          files.create($0 + 200, large[$0 % 16])
        },
        Contest.Contender(name: "DiskCache normal") {
          try full.set(large[$0 % 16], for: "key \($0 + 200)")
        },
        Contest.Contender(name: "DiskCache normal, segments") {
          try segments.set(large[$0 % 16], for: "key \($0 + 200)")
        },
      ])
    try contest.run(rounds: rounds, operations: 20)
    return contest.lines()
  }
}
