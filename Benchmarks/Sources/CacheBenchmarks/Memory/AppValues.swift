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
        cache-benchmarks values --only "String -> struct" --threads 1
      """)

  @Option(help: "Requests of a run.")
  var requests = 4_000_000
  @Option(help: "Keys, requested with a Zipf distribution of exponent 0.99.")
  var objects = 1_000_000
  @Option(help: "Entries that a cache holds.")
  var capacity = 100_000
  @Option(help: "How often each cache runs.")
  var rounds = 5
  @Option(help: "Policies, with commas.")
  var policies = "lru,sieve,s3-fifo,w-tinylfu"
  @Option(help: "Numbers of threads, with commas.")
  var threads = "1,2"
  @Option(help: "Keys and values whose names contain this; the rest are left out.")
  var only = ""

  private var threadCounts: [Int] { threads.split(separator: ",").compactMap { Int($0) } }

  func validate() throws {
    guard requests > 0, objects > 0, capacity > 0, rounds > 0 else {
      throw ValidationError("requests, objects, capacity and rounds must be above 0")
    }
    guard !threadCounts.isEmpty, threadCounts.allSatisfy({ $0 > 0 }) else {
      throw ValidationError("--threads \(threads): numbers above 0 with commas were expected")
    }
  }

  func run() throws {
    print(
      """
      Zipf 0.99 over \(objects) keys, \(requests) requests, capacity \(capacity), 16 shards: get,
      and put on a miss. Million operations/s by the clock on the wall, of \(rounds) rounds.
      """)
    let numbers = try CacheBenchmarks.zipfKeys(requests: requests, objects: objects)
    try measure("Int -> Int", numbers, { $0 }, { $0 as NSNumber }, { ~$0 })
    try measure(
      "Int -> Data", numbers, { $0 }, { $0 as NSNumber },
      { Data(repeating: UInt8(truncatingIfNeeded: $0), count: 64) })
    try measure(
      "String -> struct", numbers, Article.key, { NSString(string: $0) }, { Article(number: $0) })
    try measure(
      "UUID -> struct", numbers, Picture.key, { $0 as NSUUID }, { Article(number: $0) })
    try measure(
      "UUID -> class", numbers, Picture.key, { $0 as NSUUID }, { Picture(number: $0) })
    try measure(
      "String -> class", numbers, Article.key, { NSString(string: $0) }, { Picture(number: $0) })
  }

  /// All caches with one pair of types, in rounds.
  private func measure<Key: Hashable & Sendable, Value: Sendable>(
    _ name: String, _ numbers: [Int], _ key: (Int) -> Key,
    _ object: @escaping @Sendable (Key) -> NSObject, _ value: @Sendable (Int) -> Value
  ) throws {
    guard only.isEmpty || name.contains(only) else { return }
    let keys = Self.keys(numbers, key)
    var results = ContestResults()
    for _ in 1...rounds {
      for threads in threadCounts {
        results.add(
          Measurement.take(
            FoundationCache(capacity: capacity, object: object), keys, numbers, threads: threads,
            value),
          Contender.foundationName, threads: threads)
        results.add(
          Measurement.take(TextbookLRU(capacity: capacity), keys, numbers, threads: threads, value),
          Contender.textbookName, threads: threads)
        for policy in policies.split(separator: ",").map(String.init) {
          let cache = try LarderCache<Key, Value>(
            capacity: capacity, policy: policy, shards: 16, hashing: .fast)
          results.add(
            Measurement.take(cache, keys, numbers, threads: threads, value), "larder \(policy)",
            threads: threads)
        }
      }
    }
    print("\n### \(name)\n")
    print(results.table(requests: requests))
  }

  /// A key for each number, of which equal ones share their storage.
  static func keys<Key>(_ numbers: [Int], _ key: (Int) -> Key) -> [Key] {
    var made: [Int: Key] = [:]
    return numbers.map { number in
      if let known = made[number] { return known }
      let new = key(number)
      made[number] = new
      return new
    }
  }

  struct Article: Sendable {
    let number: Int
    let title: String

    static func key(_ number: Int) -> String { "article/\(number)" }

    init(number: Int) {
      self.number = number
      title = "What happened in the town of \(number)"
    }
  }

  final class Picture: Sendable {
    let number: Int

    static func key(_ number: Int) -> UUID {
      let high = UInt64(bitPattern: Int64(number))
      return withUnsafeBytes(of: (high, high &* 31)) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }

    init(number: Int) { self.number = number }
  }
}
