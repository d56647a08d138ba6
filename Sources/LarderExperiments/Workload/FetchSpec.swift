import LarderEngine

/// Latency of fetches and reads from disk in a workload file or on the command line.
package struct FetchSpec: Sendable, Hashable {
  /// Latency of a fetch without its transfer, in nanoseconds, or in requests if these are the
  /// clock.
  package var fetch: LatencyDistribution
  package var clock = FetchModel.Clock.trace
  package var diskRead: LatencyDistribution?
  package var diskClock = FetchModel.Clock.trace
  package var bytesPerSecond: UInt64?
  package var servers: Int?
  package var coalesces = true

  package init(fetch: LatencyDistribution = .constant(0)) { self.fetch = fetch }

  private static var gridLimit: Int { 1 << 14 }

  package func model(seed: UInt64) throws(PolicyError) -> FetchModel {
    try FetchModel(
      latencies: times(of: fetch), diskLatencies: diskRead.map(times(of:)),
      bytesPerSecond: bytesPerSecond, servers: servers, coalesces: coalesces, clock: clock,
      seed: seed)
  }

  private func times(of distribution: LatencyDistribution) -> [UInt64] {
    let unit = clock == .trace ? 1000.0 : 1
    return distribution.grid(limit: Self.gridLimit)
      .map { UInt64(min(max(($0 / unit).rounded(), 0), 1e18)) }
  }

  /// True if no latency is drawn, so that seeds have no effect.
  package var isConstant: Bool { fetch.isConstant && diskRead?.isConstant ?? true }

  package mutating func setDiskRead(_ read: FetchSpec) {
    (diskRead, diskClock) = (read.fetch, read.clock)
  }

  package var hasOneClock: Bool { diskRead == nil || diskClock == clock }

  package static func fetch(parsing text: String) -> FetchSpec? {
    if let count = text.removingSuffix("requests").flatMap({ Quantity.count.amount($0) }) {
      guard count <= FetchModel.latencyMax else { return nil }
      var spec = FetchSpec(fetch: .constant(Double(count)))
      spec.clock = .requests
      return spec
    }
    guard text.last?.isNumber == false, let time = Quantity.duration.value(text), time <= 86_400e9
    else { return nil }
    return FetchSpec(fetch: .constant(time))
  }

  package static func bandwidth(parsing text: String) -> UInt64? {
    guard let number = text.removingSuffix("/s"), let bytes = Quantity.bytes.amount(number),
      bytes > 0
    else { return nil }
    return bytes
  }

  package var words: String {
    var parts: [String] = []
    parts.append("a fetch takes \(words(fetch))")
    if let bytesPerSecond { parts.append("and transfers \(bytesPerSecond) bytes per second") }
    if let diskRead { parts.append("a read from disk takes \(words(diskRead))") }
    if let servers { parts.append("the origin serves \(servers) at a time") }
    if !coalesces { parts.append("every missing request makes its own fetch") }
    return parts.joined(separator: "; ")
  }

  private func words(_ time: LatencyDistribution) -> String {
    if clock == .requests, case .constant(let count) = time { return "\(Int(count)) requests" }
    return time.words
  }
}

extension String {
  /// The text without a suffix; nil if it ends otherwise.
  fileprivate func removingSuffix(_ suffix: String) -> Substring? {
    hasSuffix(suffix) ? dropLast(suffix.count) : nil
  }
}
