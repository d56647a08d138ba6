import LarderEngine
internal import LarderSupport

/// Of a trace that holds the requests of a part of the objects, how large that part is. The one
/// place where its figures become those of all the traffic.
public struct TraceSampling: Sendable, Hashable {
  /// The share of the objects that the trace has; 1 for all.
  public var rate: Double
  /// Gets of all objects while it was recorded; 0 where that is not known.
  public var gets: UInt64

  /// A sample; by default the whole.
  public init(rate: Double = 1, gets: UInt64 = 0) {
    self.rate = rate
    self.gets = gets
  }

  /// Whether the trace holds the requests of a part of the objects only.
  public var isPart: Bool { rate < 1 }

  /// What a cache of `capacity` holds of the sampled objects: the capacity with which the trace is
  /// replayed.
  public func scaled(_ capacity: UInt64) -> UInt64 {
    isPart ? max(1, UInt64((Double(capacity) * rate).rounded())) : capacity
  }

  /// What a number of objects or bytes of the sample stands for in all the traffic.
  public func represented(_ amount: UInt64) -> UInt64 {
    guard isPart else { return amount }
    let all = (Double(amount) / rate).rounded()
    return all < 0x1p63 ? UInt64(all) : UInt64(Int64.max)
  }

  /// By how much the gets of the sample fall short of their share of all gets, or exceed it: what
  /// a number of gets of the sample is to be multiplied by. 1 where it is not known.
  ///
  /// A few popular objects have a large part of all requests, and are in the sample or not. Their
  /// requests are hits in nearly any cache, so the misses of the sample over its share of all gets
  /// are the miss ratio (SHARDS-adj: Waldspurger, Park, Garthwaite and Ahmad, FAST 2015, 3.4).
  public func correction(sampledGets: UInt64) -> Double {
    guard isPart, gets > 0, sampledGets > 0 else { return 1 }
    return Double(gets) * rate / Double(sampledGets)
  }

  /// A hit ratio of the sample as one of all gets.
  public func corrected(_ hitRatio: Double, sampledGets: UInt64) -> Double {
    guard isPart else { return hitRatio }
    return min(1, max(0, 1 - (1 - hitRatio) / correction(sampledGets: sampledGets)))
  }

  /// A sentence for whoever reads results; nil for the whole.
  package var note: String? {
    guard isPart else { return nil }
    return "The trace is a sample of \(Self.share(rate)) of the objects: capacities are scaled by "
      + "that, and figures of all the traffic are estimates."
  }

  /// The rate that a text such as `1/100`, `1%` or `0.01` stands for; nil for what is no share
  /// above 0 and at most 1.
  package static func rate(parsing text: some StringProtocol) -> Double? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    var rate = FormatOptions.share(text)
    if parts.count == 2, let part = Int(parts[0]), let whole = Int(parts[1]), part > 0 {
      rate = Double(part) / Double(whole)
    }
    return rate.flatMap { $0 > 0 && $0 <= 1 ? $0 : nil }
  }

  /// A share in percent.
  package static func share(_ rate: Double) -> String {
    var text = NumberText.fixed(rate * 100, decimals: 6) ?? "?"
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return "\(text) %"
  }
}

/// Keeps the requests of a share of the objects while a trace is read, so that a trace whose
/// columns would not fit into memory can be prepared as a sample of itself.
///
/// Spatial sampling by a hash of the key (SHARDS: Waldspurger, Park, Garthwaite and Ahmad, FAST
/// 2015): all requests of an object are kept or none. The same share keeps the same objects of a
/// file every time, and a smaller share keeps some of those of a larger one.
final class ObjectSample {
  /// The share of the objects, above 0 and below 1.
  private let rate: Double
  /// Gets of all objects since they were last taken.
  private var gets: UInt64 = 0
  private let threshold: UInt64
  private let kept: UnsafeMutablePointer<TraceRecord>

  /// A sample of that share.
  init(rate: Double) {
    self.rate = rate
    threshold = UInt64(max(1, rate * 0x1p64))
    kept = .allocate(capacity: Self.batch)
  }

  deinit { kept.deallocate() }

  /// Records that are handed on at once.
  private static let batch = 4096

  /// Hands those records to `sink` whose objects are in the sample, and says whether it wants more.
  func pass(
    _ records: UnsafeBufferPointer<TraceRecord>, to sink: RecordSink
  ) throws -> Bool {
    var start = 0
    while start < records.count {
      let end = min(start + Self.batch, records.count)
      var count = 0
      for record in records[start..<end] {
        gets += Operation.isCounted(record.operation) ? 1 : 0
        // Written always and counted where it is kept: the hash is as good as random.
        kept[count] = record
        count += Self.hash(record.key) < threshold ? 1 : 0
      }
      start = end
      if count > 0, !(try sink(UnsafeBufferPointer(start: kept, count: count))) { return false }
    }
    return true
  }

  /// Moves those of `count` records to the front whose objects are in the sample. Returns how many
  /// they are, and the gets among all; nothing is counted here, so that any thread may do it.
  func keep(
    _ records: UnsafeMutablePointer<TraceRecord>, count: Int
  ) -> (kept: Int, gets: UInt64) {
    var (kept, gets) = (0, UInt64(0))
    for index in 0..<count {
      let record = records[index]
      gets += Operation.isCounted(record.operation) ? 1 : 0
      records[kept] = record
      kept += Self.hash(record.key) < threshold ? 1 : 0
    }
    return (kept, gets)
  }

  /// The share of the objects, and how many gets of all of them there were since this was last
  /// asked.
  func takeFacts() -> TraceSampling {
    defer { gets = 0 }
    return TraceSampling(rate: rate, gets: gets)
  }

  /// Counts gets of all objects that `keep` found.
  func note(gets more: UInt64) { gets += more }

  /// Mixes all bits of a key, which may be a small number (the finaliser of SplitMix64: Steele, Lea
  /// and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
  private static func hash(_ key: UInt64) -> UInt64 {
    var mixed = key &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
