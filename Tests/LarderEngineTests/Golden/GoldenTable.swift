import Foundation
import LarderEngine

/// The pinned counts in `generated.csv`, made by the naive models.
enum GoldenTable {
  static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("generated.csv")

  static func load() throws -> [GoldenRow] {
    let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
    return try lines.dropFirst().map { line in
      guard let row = GoldenRow(line: line) else { throw GoldenProblem(row: String(line)) }
      return row
    }
  }

  static var keys: [[String]] {
    var keys: [[String]] = []
    for (trace, _) in GoldenTraces.all {
      let bytes = trace == "sized" || trace == "mixed"
      for name in NaivePolicies.names {
        for spec in NaivePolicies.specs(of: name) {
          for capacity in bytes ? [600, 3000, 12000] : [8, 40, 140] {
            keys.append([trace, "memory", spec, "\(capacity)", bytes ? "bytes" : "objects"])
          }
        }
      }
      keys += hybrids(trace, bytes: bytes)
    }
    return keys
  }

  private static func hybrids(_ trace: String, bytes: Bool) -> [[String]] {
    let pairs = ["lru+fifo", "lru+ttl", "s3-fifo+sieve", "sieve+gdsf", "slru+lfu", "clock+cost"]
    return HybridRules.Inclusion.allCases.flatMap { inclusion in
      HybridRules.Promotion.allCases.flatMap { promotion in
        pairs.map { pair in
          [
            trace, "\(inclusion.rawValue)/\(promotion.rawValue)", pair,
            bytes ? "900+6000" : "12+70", bytes ? "bytes" : "objects",
          ]
        }
      }
    }
  }

  static func modelled(_ key: [String]) throws -> GoldenRow {
    var row = GoldenRow(key: key, counts: Counts())
    guard let trace = GoldenTraces.named(key[0]),
      let counts = try NaiveSimulation.counts(of: trace, row.setup())
    else { throw GoldenProblem(row: row.description) }
    row = GoldenRow(key: key, counts: counts)
    return row
  }
}
