/// Latencies of fetches from the origin and of reads from disk, and the origin's concurrency: the
/// times that a simulation adds to a trace whose requests have timestamps.
public struct FetchModel: Sendable, Hashable {
  /// Clocks of a simulation.
  public enum Clock: String, Sendable, Hashable, Codable, CaseIterable {
    /// The trace's times, in microseconds, as far as they do not go back.
    case trace
    /// The number of the request: latencies count requests (Atre and others, SIGCOMM 2020).
    case requests
  }

  /// Equally likely latencies of a fetch without its transfer, in the clock's unit; a single one
  /// applies to every fetch. The choice depends only on the index of the request and `seed`, so it
  /// is equal for every policy (common random numbers).
  public let latencies: [UInt64]
  /// Equally likely latencies of a read from disk, in the clock's unit, drawn like `latencies`; nil
  /// if hits on disk are answered at once.
  public let diskLatencies: [UInt64]?
  /// Bytes that a fetch transfers in a second, nil for no limit.
  public let bytesPerSecond: UInt64?
  /// Fetches that the origin serves at the same time; nil for no limit.
  public let servers: Int?
  /// True if a request for an object in flight waits for that fetch.
  public let coalesces: Bool
  /// The clock of all times.
  public let clock: Clock
  /// The seed of the choice among `latencies`.
  public let seed: UInt64

  /// The longest latency: a day of microseconds.
  public static var latencyMax: UInt64 { 86_400_000_000 }
  /// The largest number of servers.
  public static var serversMax: Int { 1 << 20 }
  /// The largest number of latencies to choose from.
  public static var latenciesMax: Int { 1 << 16 }

  /// Creates a model from its parts.
  public init(
    latencies: [UInt64], diskLatencies: [UInt64]? = nil, bytesPerSecond: UInt64? = nil,
    servers: Int? = nil, coalesces: Bool = true, clock: Clock = .trace, seed: UInt64 = 0
  ) throws(PolicyError) {
    for latencies in [latencies, diskLatencies].compactMap({ $0 }) { try Self.check(latencies) }
    if let bytesPerSecond, bytesPerSecond == 0 {
      throw .badSetup("bandwidth", "0", expected: "at least 1 byte per second")
    }
    if let servers, !(1...Self.serversMax ~= servers) {
      throw .badSetup("servers", "\(servers)", expected: "1 to \(Self.serversMax)")
    }
    self.latencies = latencies
    self.diskLatencies = diskLatencies
    self.bytesPerSecond = bytesPerSecond
    self.servers = servers
    self.coalesces = coalesces
    self.clock = clock
    self.seed = seed
  }

  private static func check(_ latencies: [UInt64]) throws(PolicyError) {
    guard 1...latenciesMax ~= latencies.count else {
      throw .badSetup(
        "latencies", "\(latencies.count) values", expected: "1 to \(latenciesMax) values")
    }
    if let wrong = latencies.first(where: { $0 > latencyMax }) {
      throw .badSetup("latency", "\(wrong)", expected: "0 to \(latencyMax)")
    }
  }

  @inline(__always) package func service(request index: UInt64, bytes: UInt32) -> UInt64 {
    var time = latencies[latencies.count == 1 ? 0 : draw(index, of: latencies.count, seed)]
    if let bytesPerSecond { time += UInt64(bytes) &* 1_000_000 / bytesPerSecond }
    return time
  }

  package func diskRead(request index: UInt64) -> UInt64 {
    guard let times = diskLatencies else { return 0 }
    // A different sequence from that of fetches.
    return times[times.count == 1 ? 0 : draw(index, of: times.count, ~seed)]
  }

  private func draw(_ index: UInt64, of count: Int, _ seed: UInt64) -> Int {
    let draw = SplitMix64.number(index, seed: seed)
    return Int(draw.multipliedFullWidth(by: UInt64(count)).high)
  }
}
