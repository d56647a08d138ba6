import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces

/// Replays traces through caches, on several threads. Counts do not depend on their number.
struct Replayer: Sendable {
  var threads: Int
  var seed: UInt64
  var unit: CapacityUnit
  var prefix: PromptOrder?
  var cancellation: Cancellation
  var replayed: @Sendable (_ requests: Int) -> Void

  struct Job: Sendable {
    var arrangement: Arrangement
    var trace: MiniTrace
  }

  private static let chunk = 1 << 20

  func run(_ jobs: [Job]) throws -> [[Counts]] {
    let progress = Locked(())
    let done = try parallelMap(
      count: jobs.count, threads: threads, unless: cancellation.isRequested
    ) { place in
      let counts = try replay(jobs[place])
      progress.withLock { _ in replayed(jobs[place].trace.trace.requests.count) }
      return counts
    }.compactMap { $0 }
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
        _ =
          prefixes?.run(upTo: next, untilFirstEviction: false)
          ?? simulation.run(upTo: next, untilFirstEviction: false)
      }
      var counts = simulation.counts
      if let found = prefixes?.counts {
        // Hits are those of prefixes, and bytes are tokens.
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

/// A trace, or a sample of it, divided into segments that are counted separately.
///
/// The sample is spatial: all requests of some of the objects. A small cache needs a certain rate
/// to hold enough of the sampled objects; if that exceeds the budget, the sample is also restricted
/// to windows that are spread evenly over the trace.
struct MiniTrace: Sendable {
  let trace: PreparedTrace
  let rate: Double
  let ends: [Int]
  let gets: [Double]
  let sampledGets: [Double]

  init(whole trace: PreparedTrace, ends: [Int]) {
    self.trace = trace
    rate = 1
    self.ends = ends
    sampledGets = Self.gets(trace.requests, ends)
    let correction = Self.correction(of: trace)
    gets = sampledGets.map { $0 * correction }
  }

  init(
    of trace: PreparedTrace, sample: SpatialSample, share: Double = 1, ends: [Int]
  ) throws(TraceError) {
    var positions: [Int] = []
    var sampledEnds: [Int] = []
    var gets: [Double] = []
    var start = 0
    for end in ends {
      var covered = 0.0
      for window in Self.windows(start..<end, share: share) {
        sample.select(in: window, of: trace.requests, into: &positions)
        covered += Self.gets(trace.requests, in: window)
      }
      sampledEnds.append(positions.count)
      gets.append(covered)
      start = end
    }
    self.trace = try trace.requests(at: positions)
    rate = sample.rate
    self.ends = sampledEnds
    let correction = Self.correction(of: trace)
    self.gets = gets.map { $0 * correction }
    sampledGets = Self.gets(self.trace.requests, sampledEnds)
  }

  static func correction(of trace: PreparedTrace) -> Double {
    guard trace.sampling.isPart else { return 1 }
    let gets = Self.gets(trace.requests, in: 0..<trace.requests.count)
    return trace.sampling.correction(sampledGets: UInt64(gets))
  }

  private static let windowsMax = 4

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

  func hasGets(in segment: Int) -> Bool {
    let range = (segment > 0 ? ends[segment - 1] : 0)..<ends[segment]
    guard let operations = trace.requests.operations else { return !range.isEmpty }
    return range.contains { operations[$0] == Operation.get.rawValue }
  }

  /// Hit ratio of some segments, with the SHARDS-adj correction for surplus or missing requests of
  /// the sample; 0 for segments without gets.
  func hitRatio(_ counts: [Counts], in segments: Range<Int>) -> Double {
    ratio(hits: counts[segments].reduce(0) { $0 + Double($1.hits) }, in: segments)
  }

  func ratio(hits: Double, in segments: Range<Int>) -> Double {
    let all = gets[segments].reduce(0, +)
    guard all > 0 else { return 0 }
    let represented = sampledGets[segments].reduce(0, +) / rate
    return min(1, max(0, (hits / rate + (all - represented)) / all))
  }
}

/// Parts of a trace that are counted separately, with their purposes.
struct Segments: Sendable, Hashable {
  let ends: [Int]
  let learned: Range<Int>
  let scored: Range<Int>
  let firstHalf: Range<Int>

  init(requests: Int, learned share: Share?, aligned: (Int) -> Int = { $0 }) {
    let half = aligned(requests / 2)
    let border = aligned(share.map { max(1, Int($0.of(UInt64(requests)))) } ?? requests)
    ends = Set([half, border, requests]).filter { $0 > 0 }.sorted()
    let borderPlace = (ends.firstIndex(of: border) ?? 0) + 1
    let all = 0..<ends.count
    firstHalf = 0..<((ends.firstIndex(of: half) ?? 0) + 1)
    learned = share == nil ? all : 0..<borderPlace
    scored = share == nil ? all : borderPlace..<ends.count
  }

  var secondHalf: Range<Int> { firstHalf.upperBound..<ends.count }
}
