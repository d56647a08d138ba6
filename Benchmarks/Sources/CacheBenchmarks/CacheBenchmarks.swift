import ArgumentParser
import Foundation
import LarderEngine
import LarderTraces
import Synchronization

/// Measures caches next to one another, in one process.
@main
struct CacheBenchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache-benchmarks", abstract: "Measure caches next to one another.",
    discussion: """
      Keep the machine otherwise idle. Everything is measured in rounds, each cache once \
      in each, so that all meet the same machine; ratios are of the same round.
      """,
    subcommands: [
      MemoryContest.self, CacheRate.self, AppValues.self, HybridHits.self, RecordingCost.self,
      DiskContest.self, SetContest.self, Spikes.self,
    ])

  /// Does what the arguments ask; exits with 2 where they are wrong, as `larder` does.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
      exit(withError: ExitCode(2))
    }
  }

  /// Keys as a Zipf distribution of exponent 0.99 draws them, spread over all integers.
  static func zipfKeys(requests: Int, objects: Int) throws -> [Int] {
    let source = try SourceSpec.generator(
      GeneratorSpec(
        component: ComponentSpec(parsing: "zipf:objects=\(objects):exponent=0.99"),
        requests: requests)
    ).makeSource(seed: 1) { try FileSource(path: $0.path) }
    let columns = try PreparedTrace.prepare(source: source, name: "zipf").requests
    return (0..<columns.count).map { index in
      Int(truncatingIfNeeded: UInt64(columns.ids[index]) &* 0x9E37_79B9_7F4A_7C15)
    }
  }

  /// Calls an asynchronous function, and waits for its result.
  static func waiting<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) throws -> Result {
    let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
      do {
        let result = try await body()
        outcome.withLock { $0 = .success(result) }
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("no result") }
    return try result.get()
  }

  /// The middle one of some numbers; nil of none.
  static func median(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.sorted()[values.count / 2]
  }
}
