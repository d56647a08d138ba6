import ArgumentParser
import Foundation
import Larder

/// `cache-benchmarks values`: what gets cost with the keys and values that apps use.
struct AppValues: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "values",
    abstract: "Memory caches with keys and values of apps: get, and put on a miss.",
    discussion: """
      Int -> Int are trivial types, which are read while others write. The other pairs count
      references, so a writer waits until no reader is in the shard.

      Examples:
        cache-benchmarks values                        everything, some minutes
        cache-benchmarks values --policies clock --rounds 9
      """)

  @Option(help: "Requests of a run.")
  var requests = 4_000_000
  @Option(help: "Keys, requested with a Zipf distribution of exponent 0.99.")
  var objects = 500_000
  @Option(help: "Entries that a cache holds.")
  var capacity = 50_000
  @Option(help: "How often each cache runs.")
  var rounds = 5
  @Option(help: "Policies, with commas.")
  var policies = "lru,clock,s3-fifo"

  func validate() throws {
    guard requests > 0, objects > 0, capacity > 0, rounds > 0 else {
      throw ValidationError("requests, objects, capacity and rounds must be above 0")
    }
  }

  func run() throws {
    let numbers = try CacheBenchmarks.zipfKeys(requests: requests, objects: objects)
    let policies = policies.split(separator: ",").map(String.init)
    var results = ContestResults()
    try measure("Int -> Int", numbers, { $0 }, { ~$0 }, policies, &results)
    try measure(
      "Int -> Data", numbers, { $0 }, { Data(repeating: UInt8(truncatingIfNeeded: $0), count: 64) },
      policies, &results)
    try measure(
      "String -> struct", numbers, { "article/\($0)" }, { Article(number: $0) }, policies, &results)
    try measure("UUID -> class", numbers, Self.uuid, { Picture(number: $0) }, policies, &results)
    print(
      """
      Zipf 0.99 over \(objects) keys, \(requests) requests, capacity \(capacity), 16 shards: get,
      and put on a miss. Million operations/s by the clock on the wall, of \(rounds) rounds.

      """)
    print(results.table(requests: requests))
  }

  /// All policies with one pair of types, in rounds.
  private func measure<Key: Hashable & Sendable, Value: Sendable>(
    _ name: String, _ numbers: [Int], _ key: (Int) -> Key, _ value: @Sendable (Int) -> Value,
    _ policies: [String], _ results: inout ContestResults
  ) throws {
    var made: [Int: Key] = [:]
    let keys = numbers.map { number in
      if let known = made[number] { return known }
      made[number] = key(number)
      return key(number)
    }
    for _ in 1...rounds {
      for policy in policies {
        for threads in [1, 2] {
          let cache = try MemoryCache<Key, Value>(
            MemoryCacheConfiguration(
              limits: MemoryCacheLimits(count: capacity), policy: policy, shards: 16,
              hashing: .fast))
          let taken = Measurement.take(requests: numbers.count, threads: threads) { range in
            var hits = 0
            for place in range {
              if cache.value(for: keys[place]) != nil {
                hits += 1
              } else {
                cache.set(value(numbers[place]), for: keys[place])
              }
            }
            return hits
          }
          results.add(taken, "\(name), \(policy)", threads: threads)
        }
      }
    }
  }

  private static func uuid(_ number: Int) -> UUID {
    let high = UInt64(bitPattern: Int64(number))
    return withUnsafeBytes(of: (high, high &* 31)) { UUID(uuid: $0.load(as: uuid_t.self)) }
  }

  private struct Article: Sendable {
    let number: Int
    let title: String

    init(number: Int) {
      self.number = number
      title = "What happened in the town of \(number)"
    }
  }

  private final class Picture: Sendable {
    let number: Int

    init(number: Int) { self.number = number }
  }
}
