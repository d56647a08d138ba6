import ArgumentParser
import Foundation
import Larder

/// `cache-benchmarks sets`: one side of `analysis/peers/compare_rocksdb.py`.
struct SetContest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sets",
    abstract: "Print sets per second of new values of 1 KB, with durability none.",
    discussion: "The last commit and the flush are part of the time.")

  @Argument(help: "A folder that does not exist.")
  var folder: String
  @Argument(help: "Number of sets.")
  var count = 100_000

  func validate() throws {
    guard count > 0 else { throw ValidationError("COUNT must be above 0") }
  }

  func run() throws {
    let bench = try Workbench(folder: folder)
    let cache = try bench.cache("sets", .none)
    let clock = ContinuousClock()
    let start = clock.now
    for number in 0..<count { try cache.set(bench.small[number % 64], for: "key \(number)") }
    try cache.flush()
    print(String(format: "%.0f", Double(count) / ((clock.now - start) / .seconds(1))))
  }
}
