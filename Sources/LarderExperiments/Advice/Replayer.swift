import Dispatch
import LarderEngine
import LarderSupport
import LarderTraces
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

/// A trace, or a sample of it, divided into segments that are counted apart.
///
/// The sample is spatial: all requests of some of the objects. A small cache needs a certain rate
/// to hold enough of the sampled objects; where that is more than may be replayed, the sample is
/// also restricted to windows that are spread evenly over the trace. Where hits of prefixes count,
/// prompts are not taken apart: a sample is windows of whole prompts.
struct MiniTrace: Sendable {
  /// The requests.
  let trace: PreparedTrace
  /// The share of the objects; 1 for all.
  let rate: Double
  /// The end of each segment, in requests of `trace`.
  let ends: [Int]
  /// Gets of the whole trace that each segment stands for, and requests that pass all caches: they
  /// are misses.
  let gets: [Double]
  /// Those in each segment.
  let sampledGets: [Double]

  /// The whole trace, with segments that end at `ends`; the last ends with it.
  init(whole trace: PreparedTrace, ends: [Int]) {
    self.trace = trace
    rate = 1
    self.ends = ends
    sampledGets = Self.gets(trace.requests, ends)
    let correction = Self.correction(of: trace)
    gets = sampledGets.map { $0 * correction }
  }

  /// A sample of `trace`: of the objects in `sample`, in windows that make up `share` of each
  /// segment.
  ///
  /// - Throws: `TraceError` when there is no memory.
  /// - Complexity: O(requests of the trace).
  init(
    of trace: PreparedTrace, sample: SpatialSample, share: Double = 1, ends: [Int],
    prefix: PromptOrder? = nil
  ) throws(TraceError) {
    var positions: [Int] = []
    var sampledEnds: [Int] = []
    var gets: [Double] = []
    var start = 0
    for end in ends {
      var covered = 0.0
      for window in Self.windows(start..<end, share: share) {
        let window =
          prefix == nil ? window : trace.wholePrompts(in: window, after: positions.last)
        sample.select(in: window, of: trace.requests, into: &positions)
        covered += Self.gets(trace.requests, in: window)
      }
      sampledEnds.append(positions.count)
      gets.append(covered)
      start = end
    }
    self.trace = try trace.requests(at: positions, withPrompts: prefix != nil)
    rate = sample.rate
    self.ends = sampledEnds
    let correction = Self.correction(of: trace)
    self.gets = gets.map { $0 * correction }
    sampledGets = Self.gets(self.trace.requests, sampledEnds)
  }

  /// Of a trace that is itself a sample, by what its gets are to be multiplied; 1 for others.
  static func correction(of trace: PreparedTrace) -> Double {
    guard trace.sampling.isPart else { return 1 }
    let gets = Self.gets(trace.requests, in: 0..<trace.requests.count)
    return trace.sampling.correction(sampledGets: UInt64(gets))
  }

  /// Windows per segment.
  private static let windowsMax = 4

  /// Evenly spread parts of a range that make up a share of it.
  private static func windows(_ range: Range<Int>, share: Double) -> [Range<Int>] {
    guard share < 1, range.count > windowsMax else { return [range] }
    let stride = range.count / windowsMax
    let length = max(1, Int(Double(stride) * share))
    return (0..<windowsMax).map { number in
      let start = range.lowerBound + number * stride
      return start..<start + length
    }
  }

  private static func gets(_ columns: RequestColumns, _ ends: [Int]) -> [Double] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return gets(columns, in: start..<end)
    }
  }

  private static func gets(_ columns: RequestColumns, in range: Range<Int>) -> Double {
    guard let operations = columns.operations else { return Double(range.count) }
    return Double(range.count { Operation.isCounted(operations[$0]) })
  }

  /// Whether a segment has a request that a cache may answer.
  func hasGets(in segment: Int) -> Bool {
    let range = (segment > 0 ? ends[segment - 1] : 0)..<ends[segment]
    guard let operations = trace.requests.operations else { return !range.isEmpty }
    return range.contains { operations[$0] == Operation.get.rawValue }
  }

  /// The hit ratio of some segments, corrected for what the sample has too many or too few requests
  /// as SHARDS-adj does; 0 for segments without gets.
  func hitRatio(_ counts: [Counts], in segments: Range<Int>) -> Double {
    ratio(hits: counts[segments].reduce(0) { $0 + Double($1.hits) }, in: segments)
  }

  /// The same from a number of hits.
  func ratio(hits: Double, in segments: Range<Int>) -> Double {
    let all = gets[segments].reduce(0, +)
    guard all > 0 else { return 0 }
    let represented = sampledGets[segments].reduce(0, +) / rate
    return min(1, max(0, (hits / rate + (all - represented)) / all))
  }
}

extension PreparedTrace {
  /// The prompts that begin in a range of requests and have not begun before `last`.
  fileprivate func wholePrompts(in range: Range<Int>, after last: Int?) -> Range<Int> {
    func border(_ place: Int) -> Int {
      place == 0 || place >= requests.count ? place : promptEnd(from: place - 1)
    }
    let start = max(border(range.lowerBound), last.map { $0 + 1 } ?? 0)
    return start..<max(start, border(range.upperBound))
  }
}

/// Which parts of a trace are counted apart, and what each is for.
struct Segments: Sendable, Hashable {
  /// The end of each, in requests of the trace.
  let ends: [Int]
  /// What candidates are chosen on.
  let learned: Range<Int>
  /// What they are scored on.
  let scored: Range<Int>
  /// The first half of the trace; the second is the rest.
  let firstHalf: Range<Int>

  /// The segments of a trace of so many requests. `learned` is the share that is chosen on; nil for
  /// all of it, which is then what is scored, too. `aligned` moves a border to a place where the
  /// trace may be divided.
  init(requests: Int, learned share: Share?, aligned: (Int) -> Int = { $0 }) {
    let half = aligned(requests / 2)
    let border = aligned(share.map { Int($0.of(UInt64(requests))) } ?? requests)
    ends = Set([half, border, requests]).filter { $0 > 0 }.sorted()
    let borderPlace = (ends.firstIndex(of: border) ?? 0) + 1
    let all = 0..<ends.count
    firstHalf = 0..<((ends.firstIndex(of: half) ?? 0) + 1)
    learned = share == nil ? all : 0..<borderPlace
    scored = share == nil ? all : borderPlace..<ends.count
  }

  /// The second half of the trace.
  var secondHalf: Range<Int> { firstHalf.upperBound..<ends.count }
}
