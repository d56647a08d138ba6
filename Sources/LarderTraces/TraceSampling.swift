import LarderEngine
internal import LarderSupport

/// Sampling rate of a trace, and scaling of its figures to all the traffic.
public struct TraceSampling: Sendable, Hashable {
  package var rate: Double
  package var gets: UInt64

  /// Creates a sample; by default the complete traffic.
  public init(rate: Double = 1, gets: UInt64 = 0) {
    self.rate = rate
    self.gets = gets
  }

  package var isPart: Bool { rate < 1 }

  package func scaled(_ capacity: UInt64) -> UInt64 {
    isPart ? max(1, UInt64((Double(capacity) * rate).rounded())) : capacity
  }

  package func represented(_ amount: UInt64) -> UInt64 {
    guard isPart else { return amount }
    let all = (Double(amount) / rate).rounded()
    return all < 0x1p63 ? UInt64(all) : UInt64(Int64.max)
  }

  /// Factor that corrects the sample's gets to their expected share of all gets; 1 if unknown.
  public func correction(sampledGets: UInt64) -> Double {
    guard isPart, gets > 0, sampledGets > 0 else { return 1 }
    return Double(gets) * rate / Double(sampledGets)
  }

  /// Corrects a hit ratio of the sample to one of all gets.
  public func corrected(_ hitRatio: Double, sampledGets: UInt64) -> Double {
    guard isPart else { return hitRatio }
    return min(1, max(0, 1 - (1 - hitRatio) / correction(sampledGets: sampledGets)))
  }

  package var note: String? {
    guard isPart else { return nil }
    return "The trace is a sample of \(Self.share(rate)) of the objects: capacities are scaled "
      + "by that share, and figures for all objects are estimates."
  }

  package static func share(_ rate: Double) -> String {
    NumberText.trimmed(rate * 100, decimals: 6) + " %"
  }
}

/// Filters the requests of a share of the objects while a trace is read: spatial sampling by a hash
/// of the key (SHARDS: Waldspurger et al., FAST 2015). Either all requests of an object are kept or
/// none. Equal rates always select the same objects, and a smaller rate selects a subset.
final class ObjectSample {
  private let rate: Double
  private var gets: UInt64 = 0
  private let threshold: UInt64
  private let kept: UnsafeMutablePointer<TraceRecord>

  init(rate: Double) {
    self.rate = rate
    threshold = UInt64(max(1, rate * 0x1p64))
    kept = .allocate(capacity: Self.batch)
  }

  deinit { kept.deallocate() }

  private static let batch = 4096

  func pass(
    _ records: UnsafeBufferPointer<TraceRecord>, to sink: RecordSink
  ) throws -> Bool {
    var start = 0
    while start < records.count {
      let end = min(start + Self.batch, records.count)
      var count = 0
      for record in records[start..<end] {
        gets += Operation.isCounted(record.operation) ? 1 : 0
        // Always written and counted if kept, because a branch on the hash is unpredictable.
        kept[count] = record
        count += Self.hash(record.key) < threshold ? 1 : 0
      }
      start = end
      if count > 0, !(try sink(UnsafeBufferPointer(start: kept, count: count))) { return false }
    }
    return true
  }

  var facts: TraceSampling { TraceSampling(rate: rate, gets: gets) }

  private static func hash(_ key: UInt64) -> UInt64 { SplitMix64.number(0, seed: key) }
}
