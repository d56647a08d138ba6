import ArgumentParser
import Foundation
import Larder
import LarderEngine

/// `cache-benchmarks hybrid`: the cost of a hit in the memory of a hybrid cache next to one in a
/// memory cache alone. The same keys in turn, in short rounds, so that both meet the same machine.
struct HybridHits: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hybrid", abstract: "A hit in a hybrid's memory beside one in memory alone.",
    discussion: """
      Examples:
        cache-benchmarks hybrid
        cache-benchmarks hybrid --objects 1000             all of it in the processor's cache
      """)

  @Option(help: "Lookups of each cache, with each kind of value.")
  var requests = 6_000_000
  @Option(help: "Entries in memory, requested with a Zipf distribution of exponent 0.99.")
  var objects = 100_000
  @Option(help: "Rounds in which they are measured.")
  var rounds = 60

  func validate() throws {
    guard objects > 0, rounds > 0, requests >= rounds else {
      throw ValidationError("objects and rounds must be above 0, and requests not below rounds")
    }
  }

  /// Measures with integers, bytes and strings as values, without and with a time to live.
  func run() throws {
    let command = self
    try CacheBenchmarks.waiting { try await command.measure() }
  }

  private func measure() async throws {
    let keys = try CacheBenchmarks.zipfKeys(requests: requests, objects: objects)
    print(
      """
      A hit in memory of \(objects) entries: nanoseconds of processor time, medians of \(rounds)
      rounds.

      | value | memory alone | hybrid | times |
      |---|---:|---:|---:|
      """)
    try await compare(keys, "Int", timeToLive: nil) {
      $0
    } weight: {
      $0 & 1 | 1
    }
    try await compare(keys, "Int that expires", timeToLive: .seconds(100_000)) {
      $0
    } weight: {
      $0 & 1 | 1
    }
    try await compare(keys, "Data", timeToLive: nil) {
      Data(repeating: UInt8(truncatingIfNeeded: $0), count: 100)
    } weight: {
      $0.count
    }
    try await compare(keys, "String", timeToLive: nil) {
      "value number \($0) of a string"
    } weight: {
      $0.utf8.count
    }
  }

  private func compare<Value: Codable & Sendable>(
    _ keys: [Int], _ name: String, timeToLive: Duration?, _ value: (Int) -> Value,
    weight: (Value) -> Int
  ) async throws {
    let limits = MemoryCacheLimits(count: objects * 2)
    let memory = try MemoryCache<Int, Value>(MemoryCacheConfiguration(limits: limits))
    let path = NSTemporaryDirectory() + "larder-benchmark-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var configuration = HybridCacheConfiguration(
      memory: MemoryTier(limits: limits), disk: DiskConfiguration(durability: .none))
    configuration.rules = HybridRules(inclusion: .exclusive)
    let hybrid = try await HybridCache<Int, Value>(path: path, configuration: configuration)
    for key in Set(keys) {
      memory.set(value(key), for: key, timeToLive: timeToLive)
      try await hybrid.set(value(key), for: key, options: .init(timeToLive: timeToLive))
    }
    var (alone, tiered): ([Double], [Double]) = ([], [])
    let part = keys.count / rounds
    for round in 0..<rounds {
      let keys = keys[round * part..<(round + 1) * part]
      alone.append(
        await time(keys) { key in
          guard let value = memory.value(for: key) else { return nil }
          return weight(value)
        })
      tiered.append(
        try await time(keys) { key in
          guard let hit = try await hybrid.entry(for: key) else { return nil }
          return weight(hit.value)
        })
    }
    try await hybrid.close()
    guard let first = CacheBenchmarks.median(alone), let second = CacheBenchmarks.median(tiered)
    else { return }
    print("| \(name) " + String(format: "| %.1f | %.1f | %.2f |", first, second, second / first))
  }

  /// Nanoseconds of processor time for a key.
  private func time(
    _ keys: ArraySlice<Int>, _ get: (Int) async throws -> Int?
  ) async rethrows -> Double {
    let begin = Measurement.nanosecondsNow(CLOCK_THREAD_CPUTIME_ID)
    var total = 0
    for key in keys { total &+= try await get(key) ?? 0 }
    precondition(total > 0, "a key that was stored is missing")
    return Double(Measurement.nanosecondsNow(CLOCK_THREAD_CPUTIME_ID) - begin) / Double(keys.count)
  }
}
