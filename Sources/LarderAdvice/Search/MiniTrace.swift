import LarderEngine
import LarderTraces
import LarderWorkloads

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
