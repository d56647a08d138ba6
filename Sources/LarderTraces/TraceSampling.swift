internal import LarderSystem

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
