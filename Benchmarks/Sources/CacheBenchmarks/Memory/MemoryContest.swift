import ArgumentParser
import Foundation

/// `cache-benchmarks memory`: Larder's memory caches, Foundation's `NSCache` and a textbook LRU.
struct MemoryContest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract: "Memory caches of integers: get, and put on a miss.",
    discussion: """
      Examples:
        cache-benchmarks memory                        everything, some minutes
        cache-benchmarks memory --only lru --threads 1 --rounds 9
        cache-benchmarks memory --only NSCache,sieve
      """)

  @Option(help: "Requests of a run.")
  var requests = 10_000_000
  @Option(help: "Integer keys, requested with a Zipf distribution of exponent 0.99.")
  var objects = 1_000_000
  @Option(help: "Entries that a cache holds.")
  var capacity = 100_000
  @Option(help: "How often each cache runs.")
  var rounds = 5
  @Option(help: "Numbers of threads, with commas.")
  var threads = "1,2"
  @Option(help: "Caches whose names contain one of these, with commas; the rest are left out.")
  var only = ""

  private var threadCounts: [Int] { threads.split(separator: ",").compactMap { Int($0) } }

  func validate() throws {
    guard requests > 0, objects > 0, capacity > 0, rounds > 0 else {
      throw ValidationError("requests, objects, capacity and rounds must be above 0")
    }
    guard threadCounts.allSatisfy({ $0 > 0 }),
      threadCounts.count == threads.split(separator: ",", omittingEmptySubsequences: false).count
    else {
      throw ValidationError("--threads \(threads): numbers above 0 with commas were expected")
    }
  }

  func run() throws {
    let contenders = Contender.all(
      policies: ["lru", "sieve", "s3-fifo", "w-tinylfu", "clock"], shards: 16
    )
    .filter { contender in
      only.isEmpty || only.split(separator: ",").contains { contender.name.contains($0) }
    }
    guard !contenders.isEmpty else {
      throw ValidationError("--only \(only): no cache has this in its name")
    }
    let keys = try CacheBenchmarks.zipfKeys(requests: requests, objects: objects)
    var results = ContestResults()
    for round in 1...rounds {
      for contender in contenders {
        for count in threadCounts {
          progress("round \(round) of \(rounds): \(contender.name), \(count) thread(s)")
          let taken = try measure(contender, keys, threads: count)
          results.add(taken, contender.name, threads: count)
        }
      }
    }
    progress("")
    print(
      """
      Zipf 0.99 over \(objects) integer keys, \(requests) requests, capacity \(capacity): get, and
      put on a miss. Million operations/s by the clock on the wall, of \(rounds) rounds: median,
      least and most. Ratios are medians over the rounds, each of runs in the same round.
      Several threads: apart for processors near each other (what one writes is seen by the other
      within \(Int(CoreDistance.nearNanosecondsMax)) ns, before and after the run) and far.

      """)
    print(results.table(requests: requests))
    try printMemory(contenders, keys)
  }

  private func measure(
    _ contender: Contender, _ keys: [Int], threads: Int
  ) throws -> Measurement {
    let cache = try contender.make(capacity)
    // Opened once, here: the loop is specialised for each cache where it can be seen to be.
    return switch cache {
    case let cache as LarderCache<Int, Int>: Measurement.take(cache, keys, threads: threads)
    case let cache as LarderBoxCache: Measurement.take(cache, keys, threads: threads)
    case let cache as FoundationCache<Int, Int>: Measurement.take(cache, keys, threads: threads)
    case let cache as TextbookLRU<Int, Int>: Measurement.take(cache, keys, threads: threads)
    default: Measurement.take(cache, keys, threads: threads)
    }
  }

  private func printMemory(_ contenders: [Contender], _ keys: [Int]) throws {
    var rows: [String] = []
    for contender in contenders {
      guard let cache = try contender.make(capacity) as? LarderCache<Int, Int> else { continue }
      _ = Measurement.take(cache, keys, threads: 1)
      let bytes = Double(cache.cache.residentBytes) / Double(cache.cache.count)
      let beside = bytes - Double(2 * MemoryLayout<Int>.size)
      rows.append("| \(contender.name) | \(String(format: "%.1f", beside)) |")
    }
    guard !rows.isEmpty else { return }
    print("\n| memory | bytes an entry beyond key and value |\n|---|---:|")
    print(rows.joined(separator: "\n"))
  }

  /// A line on a terminal that the next one takes the place of.
  private func progress(_ line: String) {
    guard isatty(FileHandle.standardError.fileDescriptor) == 1 else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
  }
}
