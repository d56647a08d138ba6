import Dispatch
import LarderEngine
import LarderSimulation
import LarderSystem
import LarderWorkloads
import Synchronization

/// Replays traces through caches, on several threads. What is counted does not depend on how many.
struct Replayer: Sendable {
  /// Caches that are simulated at the same time.
  var threads: Int
  /// Seed of random policies.
  var seed: UInt64
  /// What capacities count.
  var unit: CapacityUnit
  /// The order in which traces have the blocks of their prompts, where hits are those of prefixes.
  var prefix: PromptOrder?
  /// Stops the work.
  var cancellation: Cancellation
  /// Told how many more requests are replayed; from several threads, one at a time.
  var replayed: @Sendable (_ requests: Int) -> Void

  /// One cache and the trace that it is sent.
  struct Job: Sendable {
    var arrangement: Arrangement
    var trace: MiniTrace
  }

  /// Requests between two looks at the flag.
  private static let chunk = 1 << 20

  /// The counts of each segment, by job. O(requests of all jobs).
  ///
  /// - Throws: `PolicyError` from a policy, `AdviceError.cancelled`.
  func run(_ jobs: [Job]) throws -> [[Counts]] {
    let results = Locked([[Counts]?](repeating: nil, count: jobs.count))
    let failure = Locked<(any Error)?>(nil)
    let next = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: min(max(1, threads), max(1, jobs.count))) { _ in
      while !cancellation.isRequested, failure.withLock({ $0 == nil }) {
        let place = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard place < jobs.count else { return }
        do {
          let counts = try replay(jobs[place])
          results.withLock { results in
            results[place] = counts
            replayed(jobs[place].trace.trace.requests.count)
          }
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    let done = results.withLock { $0.compactMap { $0 } }
    guard done.count == jobs.count else { throw AdviceError.cancelled }
    return done
  }

  private func replay(_ job: Job) throws -> [Counts]? {
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: job.arrangement, unit: unit, seed: seed),
      over: job.trace.trace.requests)
    var prefixes = prefix.map { PrefixReplay(simulation, over: job.trace.trace, order: $0) }
    var segments: [Counts] = []
    for end in job.trace.ends {
      while simulation.position < end {
        if cancellation.isRequested { return nil }
        let next = min(simulation.position + Self.chunk, end)
        if prefixes == nil {
          simulation.run(upTo: next, untilFirstEviction: false)
        } else {
          _ = prefixes?.run(upTo: next, untilFirstEviction: false)
        }
      }
      var counts = simulation.counts
      if let found = prefixes?.counts {
        // What counts is hits of prefixes, and tokens are their bytes.
        (counts.memoryHits, counts.diskHits) = (found.hits, 0)
        (counts.memoryBytesHit, counts.diskBytesHit) = (found.tokens, 0)
        counts.bytesRequested = found.inputTokens
        prefixes?.resetCounts()
      } else {
        simulation.resetCounts()
      }
      segments.append(counts)
    }
    return segments
  }
}
