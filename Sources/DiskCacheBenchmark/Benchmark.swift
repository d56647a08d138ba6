import Foundation
import Larder

private struct Missing: Error {}

private func require(_ value: Data?) throws {
  if value == nil { throw Missing() }
}

/// The measurements, and what came of them.
struct Benchmark {
  private var results: [String: [Double]] = [:]
  private let limits = DiskLimits(bytesMax: nil, freeBytesMin: 0)
  private let small = (0..<64).map { Benchmark.value(1_000, $0) }
  private let large = (0..<16).map { Benchmark.value(100_000, $0) }
  private let smallCount = 50_000
  private let largeCount = 1_000

  /// One round of everything, in a new folder.
  mutating func run(in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for locking in ["NORMAL", "EXCLUSIVE"] { try measureRaw(folder, locking) }
    for durability in [DiskDurability.normal, .none] { try measureSmall(folder, durability) }
    try measureChurn(folder)
    try measureFiles(folder)
    try measureLarge(folder)
  }

  private mutating func measureRaw(_ folder: String, _ locking: String) throws {
    let raw = RawSQLite(path: "\(folder)/raw-\(locking)", locking: locking)
    let (count, small) = (smallCount, small)
    try measure("1 KB set new       raw \(locking)", count) {
      raw.set("key \($0)", small[$0 % 64])
    }
    try measure("1 KB get           raw \(locking)", count) {
      try require(raw.get("key \(Self.scattered($0, count))"))
    }
    try measure("1 KB set replace   raw \(locking)", count / 5) {
      raw.set("key \(Self.scattered($0, count))", small[$0 % 64])
    }
  }

  private mutating func measureSmall(_ folder: String, _ durability: DiskDurability) throws {
    let cache = try DiskCache(
      path: "\(folder)/cache-\(durability)",
      configuration: DiskConfiguration(limits: limits, durability: durability))
    let (count, small) = (smallCount, small)
    try measure("1 KB set new       DiskCache \(durability)", count) {
      try cache.set(small[$0 % 64], for: "key \($0)")
    }
    try measure("1 KB get           DiskCache \(durability)", count) {
      try require(try cache.data(for: "key \(Self.scattered($0, count))"))
    }
    try measure("1 KB set replace   DiskCache \(durability)", count / 5) {
      try cache.set(small[$0 % 64], for: "key \(Self.scattered($0, count))")
    }
    try cache.close()
  }

  private mutating func measureChurn(_ folder: String) throws {
    let cache = try DiskCache(
      path: "\(folder)/cache-churn",
      configuration: DiskConfiguration(
        limits: DiskLimits(bytesMax: 20_000_000, freeBytesMin: 0)))
    let (small, large) = (small, large)
    for number in 0..<20_000 { try cache.set(small[number % 64], for: "key \(number)") }
    try measure("1 KB set, one out  DiskCache normal", smallCount / 5) {
      try cache.set(small[$0 % 64], for: "new \($0)")
    }
    for number in 0..<200 { try cache.set(large[number % 16], for: "large \(number)") }
    try measure("100 KB, one out    DiskCache normal", largeCount) {
      try cache.set(large[$0 % 16], for: "larger \($0)")
    }
  }

  private mutating func measureFiles(_ folder: String) throws {
    let files = PlainFiles(folder: "\(folder)/files")
    let (count, large) = (largeCount, large)
    try measure("100 KB set new     files", count) { files.set($0, large[$0 % 16]) }
    try measure("100 KB get         files", count * 10) {
      try require(files.get(Self.scattered($0, count)))
    }
    try measure("100 KB replace     files", count) {
      files.set(Self.scattered($0, count), large[$0 % 16])
    }
  }

  private mutating func measureLarge(_ folder: String) throws {
    let cache = try DiskCache(
      path: "\(folder)/cache-large", configuration: DiskConfiguration(limits: limits))
    let (count, large) = (largeCount, large)
    try measure("100 KB set new     DiskCache normal", count) {
      try cache.set(large[$0 % 16], for: "key \($0)")
    }
    try measure("100 KB get         DiskCache normal", count * 10) {
      try require(try cache.data(for: "key \(Self.scattered($0, count))"))
    }
    try measure("100 KB replace     DiskCache normal", count) {
      try cache.set(large[$0 % 16], for: "key \(Self.scattered($0, count))")
    }
  }

  private mutating func measure(
    _ name: String, _ operations: Int, _ body: (Int) throws -> Void
  ) throws {
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<operations { try body(number) }
    let seconds = (clock.now - start) / .seconds(1)
    results[name, default: []].append(Double(operations) / seconds)
  }

  /// The results, a line each.
  func table() -> String {
    var lines = ["operations a second: median, lowest, highest"]
    for (name, figures) in results.sorted(by: { $0.key < $1.key }) {
      let sorted = figures.sorted()
      guard let low = sorted.first, let high = sorted.last else { continue }
      let cells = [sorted[sorted.count / 2], low, high].map { String(Int($0)) }
      lines.append(
        name.padding(toLength: 36, withPad: " ", startingAt: 0)
          + cells.map { String(repeating: " ", count: max(0, 9 - $0.count)) + $0 }.joined())
    }
    return lines.joined(separator: "\n")
  }

  private static func scattered(_ number: Int, _ count: Int) -> Int { number &* 7_919 % count }

  private static func value(_ bytes: Int, _ seed: Int) -> Data {
    var state = UInt64(seed) | 1
    var data = Data(count: bytes)
    for place in data.indices {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      data[place] = UInt8(truncatingIfNeeded: state >> 56)
    }
    return data
  }
}
