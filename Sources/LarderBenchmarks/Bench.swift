import Foundation
import Larder
import LarderTraces

/// Measures memory caches beside one another, each in turn, several times over.
///
///     swift run -c release larder-bench [requests] [capacity] [repetitions] [names,...] [threads]
///     swift run -c release larder-bench hybrid
@main
struct Bench {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "hybrid" {
      let keys = try zipfKeys(
        requests: 6_000_000, objects: Int(arguments.dropFirst().first ?? "") ?? 100_000)
      return try HybridHits(keys: keys).report()
    }
    func number(_ place: Int, _ fallback: Int) -> Int {
      arguments.count > place ? Int(arguments[place]) ?? fallback : fallback
    }
    let requests = number(0, 10_000_000)
    let capacity = number(1, 100_000)
    let repetitions = number(2, 3)
    let filter = arguments.count > 3 ? arguments[3] : ""
    let threads = arguments.count > 4 ? [number(4, 1)] : [1, 2]
    let keys = try zipfKeys(requests: requests, objects: 1_000_000)
    let contenders = Contender.all(policies: ["lru", "sieve", "s3-fifo", "clock"], shards: 16)
      .filter { contender in
        filter.isEmpty || filter.split(separator: ",").contains { contender.name.contains($0) }
      }
    print("Zipf 0.99 over 1 M integer keys, \(requests) requests, capacity \(capacity):")
    print("get, and put on a miss. M operations/s, medians: by the wall, and by the time that the")
    print("threads used a processor (median and best). Several threads: apart for processors near")
    print("each other (up to \(Int(CoreDistance.nearNanosecondsMax)) ns before and after) and far.")
    for contender in contenders {
      var taken: [Int: [Measurement]] = [:]
      for _ in 0..<repetitions {
        for count in threads {
          taken[count, default: []].append(run(try contender.make(capacity), keys, threads: count))
        }
      }
      for count in threads {
        for isNear in [true, false] {
          let measurements = taken[count, default: []].filter { $0.isNear == isNear }
          guard !measurements.isEmpty else { continue }
          report(contender.name, measurements, requests: requests, threads: count)
        }
      }
    }
    try reportMemory(keys, capacity: capacity)
  }

  private static func run(
    _ cache: any BenchmarkCache, _ keys: [Int], threads: Int
  ) -> Measurement {
    // Opened once, here: the loop is specialised for each cache where it can be seen to be.
    switch cache {
    case let cache as LarderCache: Measurement.take(cache, keys, threads: threads)
    case let cache as FoundationCache: Measurement.take(cache, keys, threads: threads)
    case let cache as TextbookLRU: Measurement.take(cache, keys, threads: threads)
    default: Measurement.take(cache, keys, threads: threads)
    }
  }

  private static func report(
    _ name: String, _ taken: [Measurement], requests: Int, threads: Int
  ) {
    func median(_ value: (Measurement) -> Double) -> Double {
      let sorted = taken.map(value).sorted()
      return sorted[sorted.count / 2]
    }
    let millions = Double(requests) / 1e6
    var distance = ""
    if threads > 1 {
      let nanoseconds = Int(median { $0.distanceNanoseconds ?? 0 })
      distance = ", processors \(taken[0].isNear ? "near" : "far") (\(nanoseconds) ns)"
    }
    print(
      String(
        format: "%d thread(s)  %d runs  %6.2f wall  %6.2f %6.2f processor  hit ratio %.4f  ",
        threads, taken.count, millions / median(\.wallSeconds),
        millions * Double(threads) / median(\.processorSeconds),
        millions * Double(threads) / (taken.map(\.processorSeconds).min() ?? 1),
        median(\.hitRatio)) + name + distance)
  }

  private static func reportMemory(_ keys: [Int], capacity: Int) throws {
    for policy in ["lru", "sieve", "s3-fifo"] {
      for shards in [1, 16] {
        let cache = try LarderCache(
          capacity: capacity, policy: policy, shards: shards, hashing: .fast)
        _ = Measurement.take(cache, keys, threads: 1)
        let beside = Double(cache.cache.residentBytes) / Double(cache.cache.count) - 16
        print(
          String(format: "%6.1f bytes an entry beyond key and value: ", beside)
            + "\(policy), \(shards) shard(s)")
      }
    }
  }

  /// Keys in the order of their popularity's draw, spread over all integers.
  private static func zipfKeys(requests: Int, objects: Int) throws -> [Int] {
    let source = try SourceSpec.generator(
      GeneratorSpec(
        component: ComponentSpec(parsing: "zipf:objects=\(objects):exponent=0.99"),
        requests: requests)
    ).makeSource(seed: 1) { try FileSource(path: $0.path) }
    let trace = try PreparedTrace.prepare(source: source, name: "zipf")
    let columns = trace.requests
    return (0..<columns.count).map { index in
      Int(truncatingIfNeeded: UInt64(columns.ids[index]) &* 0x9E37_79B9_7F4A_7C15)
    }
  }
}
