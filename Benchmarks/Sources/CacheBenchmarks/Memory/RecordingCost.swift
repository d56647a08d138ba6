import ArgumentParser
import Foundation
import Larder

/// `cache-benchmarks recording`: what a get takes longer while a cache is recorded. The same keys
/// in turn, in short rounds, so that all meet the same machine.
struct RecordingCost: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recording", abstract: "A get of a cache that is recorded beside one that is not.",
    discussion: """
      Examples:
        cache-benchmarks recording
        cache-benchmarks recording --objects 1000          all of it in the processor's cache
      """)

  @Option(help: "Lookups in a round.")
  var requests = 200_000
  @Option(help: "Entries, requested with a Zipf distribution of exponent 0.99.")
  var objects = 100_000
  @Option(help: "Rounds in which they are measured.")
  var rounds = 60
  @Option(help: "Policies, separated by commas.")
  var policies = "lru,s3-fifo"

  func validate() throws {
    guard objects > 0, rounds > 0, requests > 0 else {
      throw ValidationError("objects, rounds and requests must be above 0")
    }
  }

  /// A way of recording.
  private struct Mode {
    var name: String
    /// Nil for no recording.
    var sampling: Double?
  }

  private let modes = [
    Mode(name: "not recorded", sampling: nil), Mode(name: "recorded", sampling: 1),
    Mode(name: "1 % of the keys", sampling: 0.01), Mode(name: "not recorded, again", sampling: nil),
  ]

  enum CodingKeys: String, CodingKey { case requests, objects, rounds, policies }

  func run() throws {
    let keys = try CacheBenchmarks.zipfKeys(requests: requests, objects: objects)
    print(
      """
      A get that is a hit, of \(objects) entries: nanoseconds on the wall, medians of \(rounds)
      rounds of \(requests) gets; and the median of the differences to the first of the same round.

      | policy | keys | recording | a get | longer by | lost |
      |---|---|---|---:|---:|---:|
      """)
    for policy in policies.split(separator: ",").map(String.init) {
      try measure(keys, policy, "Int") { $0 }
      try measure(keys, policy, "String") { "article/\($0)" }
    }
  }

  private func measure<Key: Hashable & Sendable>(
    _ numbers: [Int], _ policy: String, _ kind: String, _ key: (Int) -> Key
  ) throws {
    let cache = try MemoryCache<Key, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: objects * 2), policy: CachePolicy(policy), hashing: .fast))
    let keys = numbers.map(key)
    for (key, number) in zip(keys, numbers) { cache.set(number & 1 | 1, for: key) }
    var times = modes.map { _ in [Double]() }
    var lost = modes.map { _ in UInt64(0) }
    let path = NSTemporaryDirectory() + "larder-recording-\(UUID())"
    for round in 0..<rounds {
      // The order turns, so that none is always the first.
      for place in modes.indices {
        let number = (place + round) % modes.count
        let recording = try modes[number].sampling.map { try cache.record(to: path, sampling: $0) }
        // What the round before left in the processor's caches plays no part.
        _ = time(keys, cache)
        times[number].append(time(keys, cache))
        lost[number] += recording?.stop().lost ?? 0
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    for number in modes.indices {
      let differences = zip(times[number], times[0]).map { $0 - $1 }
      guard let get = CacheBenchmarks.median(times[number]),
        let longer = CacheBenchmarks.median(differences)
      else { continue }
      print(
        "| \(policy) | \(kind) | \(modes[number].name) "
          + String(format: "| %.1f | %+.2f | %d |", get, longer, lost[number]))
    }
  }

  /// Nanoseconds for a get.
  private func time<Key: Hashable & Sendable>(
    _ keys: [Key], _ cache: MemoryCache<Key, Int>
  ) -> Double {
    let begin = Measurement.nanosecondsNow(CLOCK_MONOTONIC)
    var total = 0
    for key in keys { total &+= cache.value(for: key) ?? 0 }
    let end = Measurement.nanosecondsNow(CLOCK_MONOTONIC)
    precondition(total >= keys.count, "a key that was stored is missing")
    return Double(end - begin) / Double(keys.count)
  }
}
