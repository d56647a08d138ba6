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

  /// Time to open a cache of 100,000 entries of 100 bytes, after an orderly end and after a kill
  /// with a thousand later sets, and the memory that the open cache keeps for an entry.
  func measureOpening() throws -> [String] {
    var lines = [
      "opening with 100,000 entries, milliseconds (of five: median, lowest, highest), and",
      "resident bytes an entry",
    ]
    func name(_ number: Int) -> String { "https://example.org/\(number)" }
    for (title, encryption) in [("plain", nil), ("encrypted", Self.encryption)] {
      let value = small[0].prefix(100)
      do {
        let cache = try cache("opening-\(title)", .none, encryption: encryption)
        for number in 0..<100_000 { try cache.set(value, for: name(number)) }
        for number in 0..<50_000 { _ = try cache.value(for: name(number)) }
        try cache.close()
      }
      func measure(_ state: String, _ work: (BlockingDiskCache) throws -> Void) throws {
        var (times, bytes): ([Double], [Int]) = ([], [])
        for _ in 0..<5 {
          let clock = ContinuousClock()
          let (start, before) = (clock.now, Self.residentBytes())
          let cache = try cache("opening-\(title)", encryption: encryption)
          times.append((clock.now - start) / .milliseconds(1))
          bytes.append((Self.residentBytes() - before) / 100_000)
          guard cache.count == 100_000 else { throw Missing() }
          try work(cache)
          try cache.close()
        }
        times.sort()
        let figures = [times[2], times[0], times[4]].map { String(Int($0)) }
        lines.append("  \(title), \(state): " + figures.joined(separator: " ") + ", \(bytes[0])")
      }
      try measure("closed") { _ in }
      try measure("killed") { cache in
        for number in 0..<1_000 { try cache.set(value, for: name(number)) }
        let folder = "\(folder)/opening-\(title)"
        let copy = "\(folder)-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        try cache.close()
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.moveItem(atPath: copy, toPath: folder)
      }
    }
    return lines
  }

  private static func residentBytes() -> Int {
    // Freed memory goes back to the system: glibc keeps it otherwise.
    if let trim = dlsym(nil, "malloc_trim") {
      _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    }
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
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
