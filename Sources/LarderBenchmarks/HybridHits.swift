import Foundation
import Larder
import LarderEngine

/// What a hit in the memory of a hybrid cache takes beside one in a memory cache alone: the same
/// keys in turn, in short rounds, so that both meet the same machine.
struct HybridHits {
  private static let objects = 100_000
  private static let rounds = 60

  let keys: [Int]

  /// Measures with integers, bytes and strings as values, without and with a time to live.
  func report() throws {
    print("A hit in memory of 100,000 entries, processor nanoseconds, medians of \(Self.rounds):")
    try compare("Int", timeToLive: nil) {
      $0
    } weight: {
      $0 & 1 | 1
    }
    try compare("Int that expires", timeToLive: .seconds(100_000)) {
      $0
    } weight: {
      $0 & 1 | 1
    }
    try compare("Data", timeToLive: nil) {
      Data(repeating: UInt8(truncatingIfNeeded: $0), count: 100)
    } weight: {
      $0.count
    }
    try compare("String", timeToLive: nil) {
      "value number \($0) of a string"
    } weight: {
      $0.utf8.count
    }
  }

  private func compare<Value: Codable & Sendable>(
    _ name: String, timeToLive: Duration?, _ value: (Int) -> Value, weight: (Value) -> Int
  ) throws {
    let memoryConfiguration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: Self.objects * 2), shards: 1, hashing: .fast)
    let memory = try MemoryCache<Int, Value>(memoryConfiguration)
    let path = NSTemporaryDirectory() + "larder-bench-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var configuration = HybridCacheConfiguration(
      memory: memoryConfiguration, disk: DiskConfiguration(durability: .none))
    configuration.rules = HybridRules(inclusion: .exclusive)
    let hybrid = try HybridCache<Int, Value>(path: path, configuration: configuration)
    for key in Set(keys) {
      memory.set(value(key), for: key, timeToLive: timeToLive)
      try hybrid.set(value(key), for: key, options: .init(timeToLive: timeToLive))
    }
    var (alone, tiered): ([Double], [Double]) = ([], [])
    let part = keys.count / Self.rounds
    for round in 0..<Self.rounds {
      let keys = keys[round * part..<(round + 1) * part]
      alone.append(
        time(keys) { key in
          guard let value = memory.get(key) else { return nil }
          return weight(value)
        })
      tiered.append(
        try time(keys) { key in
          guard let hit = try hybrid.get(key) else { return nil }
          return weight(hit.value)
        })
    }
    try hybrid.close()
    let (first, second) = (median(alone), median(tiered))
    print(
      String(format: "%6.1f alone  %6.1f hybrid  %5.2f times  ", first, second, second / first)
        + name)
  }

  /// Nanoseconds of processor time for a key.
  private func time(
    _ keys: ArraySlice<Int>, _ get: (Int) throws -> Int?
  ) rethrows -> Double {
    let begin = Measurement.nanosecondsNow(CLOCK_THREAD_CPUTIME_ID)
    var total = 0
    for key in keys { total &+= try get(key) ?? 0 }
    precondition(total > 0, "a key that was stored is missing")
    return Double(Measurement.nanosecondsNow(CLOCK_THREAD_CPUTIME_ID) - begin) / Double(keys.count)
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
