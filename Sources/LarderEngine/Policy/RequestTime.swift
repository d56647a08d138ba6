/// The clock of policies that measure idle time: the trace's timestamps or, if it has none,
/// requests at a constant rate.
public struct RequestTime {
  /// Microseconds since an arbitrary origin.
  @inlinable @inline(__always) public var now: UInt64 { time }
  @usableFromInline var time: UInt64 = 0
  @usableFromInline var isTold = false
  @usableFromInline let followsTrace: Bool
  @usableFromInline let step: UInt64

  /// The parameters of `init`.
  public static let parameters = [
    PolicyParameter(
      "clock", default: "trace", inRealCaches: "requests",
      "trace: the trace's times, if it has them; requests: the number of requests as a clock"),
    PolicyParameter(
      "rate", default: "1000",
      "requests per second if the trace's times are not used, 1 to 1000000"),
  ]

  /// Creates a clock at 0.
  public init(_ spec: PolicySpec) throws(PolicyError) {
    followsTrace = try spec.choice("clock", "trace", "requests") == "trace"
    step = UInt64(1_000_000 / (try spec.integer("rate", default: 1000, in: 1...1_000_000)))
  }

  /// Advances by one request, unless timestamps are known.
  @inlinable @inline(__always) public mutating func tick() { if !isTold { time += step } }

  /// Sets the trace's time, in microseconds; ignores 0, which means unknown. Never goes back.
  @inlinable @inline(__always) public mutating func set(_ notice: PolicyNotice) {
    guard case .time(let now) = notice, followsTrace, now > 0 else { return }
    isTold = true
    time = max(time, now)
  }
}
