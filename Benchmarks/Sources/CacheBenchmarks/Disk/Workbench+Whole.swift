import Foundation
import Larder

extension Workbench {
  /// Bytes that reach the system for the bytes of values that are stored.
  func measureWriteAmplification(rounds: Int) throws -> [String] {
    var lines = ["bytes written to the system for each byte of values (/proc/self/io, wchar)"]
    for durability in DiskDurability.allCases {
      let cache = try cache("written-\(durability)", durability)
      let count = 500 * rounds
      func measure(_ title: String, _ values: [Data], _ number: (Int) -> Int, _ count: Int) throws {
        let (before, stored) = (Self.bytesWritten(), cache.statistics.bytesWritten)
        for step in 0..<count {
          try cache.set(values[(step + 1) % values.count], for: "\(title) \(number(step))")
        }
        try cache.flush()
        let bytes = Double(cache.statistics.bytesWritten - stored)
        let written = Double(Self.bytesWritten() - before) / bytes
        lines.append("  " + title + " \(durability): " + String(format: "%.2f", written))
      }
      try measure("1 KB", small, { $0 }, count)
      try measure("1 KB", small, { Self.scattered($0, count) }, count / 5)
      try measure("100 KB", large, { $0 }, 10 * rounds)
      lines.append(
        String(
          format: "  on the disk for each byte held: %.3f",
          Double(cache.diskBytes) / Double(cache.valueBytes)))
    }
    return lines
  }

  private static func bytesWritten() -> UInt64 {
    let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
    return line.flatMap { UInt64($0.dropFirst(7)) } ?? 0
  }

  /// Time to open a cache of 100,000 entries of 100 bytes, after an orderly end.
  func measureOpening() throws -> [String] {
    var lines = ["opening with 100,000 entries, milliseconds (of five: median, lowest, highest)"]
    for (name, encryption) in [("plain", nil), ("encrypted", Self.encryption)] {
      let value = small[0].prefix(100)
      do {
        let cache = try cache("opening-\(name)", .none, encryption: encryption)
        for number in 0..<100_000 { try cache.set(value, for: "https://example.org/\(number)") }
        for number in 0..<50_000 { _ = try cache.value(for: "https://example.org/\(number)") }
        try cache.close()
      }
      var times: [Double] = []
      for _ in 0..<5 {
        let clock = ContinuousClock()
        let start = clock.now
        let cache = try cache("opening-\(name)", encryption: encryption)
        times.append((clock.now - start) / .milliseconds(1))
        guard cache.count == 100_000 else { throw Missing() }
        try cache.close()
      }
      times.sort()
      lines.append(
        "  \(name): "
          + [times[2], times[0], times[4]].map { String(Int($0)) }.joined(separator: " "))
    }
    return lines
  }

  /// Gets from one thread and from two at a time.
  func measureThreads(rounds: Int) throws -> [String] {
    let cache = try cache("threads", .none)
    for number in 0..<5_000 { try cache.set(small[number % 64], for: "small \(number)") }
    for number in 0..<200 { try cache.set(large[number % 16], for: "large \(number)") }
    try cache.flush()
    func gets(_ threads: Int, _ kind: String, _ count: Int, _ operations: Int) -> Double {
      let clock = ContinuousClock()
      let start = clock.now
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        for number in 0..<operations {
          _ = try? cache.value(for: "\(kind) \(Self.scattered(number + thread * 31, count))")
        }
      }
      return Double(threads * operations) / ((clock.now - start) / .seconds(1))
    }
    var lines = ["gets a second from one and from two threads (medians), and their ratio"]
    for (kind, count, operations) in [("small", 5_000, 20_000), ("large", 200, 1_000)] {
      var (one, two): ([Double], [Double]) = ([], [])
      for _ in 0..<max(5, rounds / 4) {
        one.append(gets(1, kind, count, operations))
        two.append(gets(2, kind, count, operations))
      }
      let (slow, fast) = (one.sorted()[one.count / 2], two.sorted()[two.count / 2])
      lines.append(
        "  \(kind == "small" ? "1 KB" : "100 KB"): \(Int(slow)) \(Int(fast)) "
          + String(format: "%.2f", fast / slow))
    }
    return lines
  }
}
