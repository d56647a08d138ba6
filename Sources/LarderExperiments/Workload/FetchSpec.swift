import LarderEngine

/// What a workload file or the command line says of fetches and reads from disk that take time.
package struct FetchSpec: Sendable, Hashable {
  /// What a fetch takes without its transfer, nanoseconds; a number of requests where these are the
  /// clock.
  package var fetch: LatencyDistribution
  /// What counts as time.
  package var clock = FetchModel.Clock.trace
  /// What reading an object from disk takes, as `fetch`; nil where that takes no time.
  package var diskRead: LatencyDistribution?
  /// What counts as time in `diskRead`: the same as `clock` in what is valid.
  package var diskClock = FetchModel.Clock.trace
  /// Bytes that a fetch transfers in a second; nil for no limit.
  package var bytesPerSecond: UInt64?
  /// Fetches that the origin serves at the same time; nil for any number.
  package var servers: Int?
  /// Whether requests for an object in flight wait for that fetch.
  package var coalesces = true

  /// Fetches that take so long.
  package init(fetch: LatencyDistribution = .constant(0)) { self.fetch = fetch }

  /// How many equally likely latencies stand for a distribution.
  private static var gridLimit: Int { 1 << 14 }

  /// What a simulation is given. The same seed draws the same latencies for every policy.
  ///
  /// - Throws: `PolicyError.badSetup` for a number that is out of range.
  package func model(seed: UInt64) throws(PolicyError) -> FetchModel {
    try FetchModel(
      latencies: times(of: fetch), diskLatencies: diskRead.map(times(of:)),
      bytesPerSecond: bytesPerSecond, servers: servers, coalesces: coalesces, clock: clock,
      seed: seed)
  }

  /// Equally likely times, in the clock's unit.
  private func times(of distribution: LatencyDistribution) -> [UInt64] {
    let unit = clock == .trace ? 1000.0 : 1
    return distribution.grid(limit: Self.gridLimit)
      .map { UInt64(min(max(($0 / unit).rounded(), 0), 1e18)) }
  }

  /// Whether no latency is drawn, so that seeds play no part.
  package var isConstant: Bool { fetch.isConstant && diskRead?.isConstant ?? true }

  /// Takes what a read from disk takes from what was read as a fetch.
  package mutating func setDiskRead(_ read: FetchSpec) {
    (diskRead, diskClock) = (read.fetch, read.clock)
  }

  /// Whether fetches and reads are both times, or both numbers of requests.
  package var hasOneClock: Bool { diskRead == nil || diskClock == clock }

  /// What the text says of a fetch: a time such as `100ms`, or `1000 requests`; nil for neither.
  package static func fetch(parsing text: String) -> FetchSpec? {
    if let count = text.removingSuffix("requests").flatMap({ Quantity.whole($0.trimmed) }) {
      guard count <= FetchModel.latencyMax else { return nil }
      var spec = FetchSpec(fetch: .constant(Double(count)))
      spec.clock = .requests
      return spec
    }
    guard let time = Quantity.nanoseconds(text), time <= 86_400e9 else { return nil }
    return FetchSpec(fetch: .constant(time))
  }

  /// Bytes per second such as `100MB/s`, at least 1; nil for anything else.
  package static func bandwidth(parsing text: String) -> UInt64? {
    guard let number = text.removingSuffix("/s"), let bytes = Quantity.bytes(number), bytes > 0
    else { return nil }
    return bytes
  }

  /// In a few words: `a fetch takes always 100 ms; 8 at a time`.
  package var words: String {
    var parts: [String] = []
    parts.append("a fetch takes \(words(fetch))")
    if let bytesPerSecond { parts.append("and transfers \(bytesPerSecond) bytes per second") }
    if let diskRead { parts.append("a read from disk takes \(words(diskRead))") }
    if let servers { parts.append("the origin serves \(servers) at a time") }
    if !coalesces { parts.append("every request fetches for itself") }
    return parts.joined(separator: "; ")
  }

  private func words(_ time: LatencyDistribution) -> String {
    if clock == .requests, case .constant(let count) = time { return "\(Int(count)) requests" }
    return time.words
  }
}

extension String {
  /// The text without an ending; nil where it ends otherwise.
  fileprivate func removingSuffix(_ suffix: String) -> Substring? {
    hasSuffix(suffix) ? dropLast(suffix.count) : nil
  }
}
