import LarderWorkloads

/// What the origin takes for each fetch, in nanoseconds: drawn by the request's place in the trace,
/// so that it is the same for every cache, however many threads fetch.
struct OriginLatency: Sendable {
  // Equally likely times.
  private let times: [Double]
  private let nanosecondsPerByte: Double
  private let seed: UInt64
  private let isFromTrace: Bool

  private static var limit: Int { 1 << 14 }

  /// Draws from the model of a place. The part per byte is charged for the bytes that are really
  /// fetched, whatever the capacity counts.
  init(_ model: LatencyModel, seed: UInt64) {
    let latency = model.origin
    isFromTrace = model.isOriginFromTrace
    times = latency.base.grid(limit: Self.limit)
    nanosecondsPerByte = latency.nanosecondsPerByte
    self.seed = seed
  }

  /// Nanoseconds for fetching so many bytes for the request at a place of the trace, which says
  /// that it costs `milliseconds`.
  func nanoseconds(request index: Int, bytes: Int, milliseconds: Float) -> UInt64 {
    if isFromTrace { return milliseconds > 0 ? UInt64(min(Double(milliseconds) * 1e6, 1e18)) : 0 }
    // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), of which one step is a draw.
    var draw = seed &+ UInt64(truncatingIfNeeded: index &+ 1) &* 0x9E37_79B9_7F4A_7C15
    draw = (draw ^ draw >> 30) &* 0xBF58_476D_1CE4_E5B9
    draw = (draw ^ draw >> 27) &* 0x94D0_49BB_1331_11EB
    draw ^= draw >> 31
    let place = Int(draw.multipliedFullWidth(by: UInt64(times.count)).high)
    let total = times[place] + nanosecondsPerByte * Double(bytes)
    return UInt64(min(max(total, 0), 1e18))
  }
}
