import LarderEngine

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
