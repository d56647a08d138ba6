import ArgumentParser
import Foundation
import Larder

/// `cache-benchmarks rate`: one run of one cache, for scripts that compare it with other programs.
struct CacheRate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rate",
    abstract: "One cache of integers, once: million operations/s and the hit ratio.",
    discussion: """
      Get, and put on a miss, as in `memory`. The requests come from a file of 64-bit integers in
      the byte order of the machine, which --write makes.

      Examples:
        cache-benchmarks rate --write keys.bin
        cache-benchmarks rate keys.bin --policy s3-fifo --threads 2
      """)

  @Argument(help: "The file with the keys.")
  var keys: String?
  @Option(help: "Write keys drawn from Zipf 0.99 to a file and end.")
  var write: String?
  @Option(help: "Requests that are written.")
  var requests = 10_000_000
  @Option(help: "Keys that they are drawn from.")
  var objects = 1_000_000
  @Option(help: "The policy with its parameters.")
  var policy = "sieve"
  @Option(help: "Entries that the cache holds.")
  var capacity = 100_000
  @Option(help: "Shards.")
  var shards = 16
  @Option(help: "Threads, each of which has its own part of the requests.")
  var threads = 1
  @Option(help: "Keys and values: int, string (a struct as value) or uuid (an object as value).")
  var kind = "int"
  @Flag(help: "Hash keys with Swift's Hasher.")
  var hasher = false

  func validate() throws {
    guard (keys == nil) != (write == nil) else {
      throw ValidationError("either a file with keys or --write FILE was expected")
    }
    guard requests > 0, objects > 0, capacity > 0, shards > 0, threads > 0 else {
      throw ValidationError("requests, objects, capacity, shards and threads must be above 0")
    }
  }

  func run() throws {
    if let write {
      let keys = try CacheBenchmarks.zipfKeys(requests: requests, objects: objects)
      try keys.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: write)) }
      return
    }
    guard let file = keys else { return }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let keys = [Int](unsafeUninitializedCapacity: bytes.count / 8) { buffer, count in
      count = bytes.copyBytes(to: UnsafeMutableRawBufferPointer(buffer)) / 8
    }
    switch kind {
    case "int":
      report(Measurement.take(try cache(), keys, threads: threads))
    case "string":
      let texts = AppValues.keys(keys, AppValues.Article.key)
      report(
        Measurement.take(try cache(), texts, keys, threads: threads) {
          AppValues.Article(number: $0)
        })
    case "uuid":
      let names = AppValues.keys(keys, AppValues.Picture.key)
      report(
        Measurement.take(try cache(), names, keys, threads: threads) {
          AppValues.Picture(number: $0)
        })
    default: throw ValidationError("--kind \(kind): int, string or uuid was expected")
    }
  }

  private func cache<Key, Value>() throws -> LarderCache<Key, Value> {
    try LarderCache(
      capacity: capacity, policy: policy, shards: shards, hashing: hasher ? .standard : .fast)
  }

  private func report(_ taken: Measurement) {
    let rate = Double(taken.requests) / 1e6 / taken.wallSeconds
    print(String(format: "%.4f %.6f", rate, taken.hitRatio))
  }
}
