import Larder
import LarderWorkloads

/// How real caches were driven, in words for a report.
public struct ExecutionConditions: Sendable, Hashable, Codable {
  /// Cells that were to be executed.
  public var cells: Int
  /// Numbers of threads, each on its own.
  public var threads: [Int]
  /// Runs for each number of threads.
  public var repetitions: Int
  /// When requests were made.
  public var load: String
  /// What became of the origin's latency.
  public var origin: String
  /// What was checked of the values that were read.
  public var verification: String
  /// What the page cache held.
  public var pageCache: String
  /// What outlives a crash of a disk tier; nil where there is none.
  public var durability: String?
  /// How memory hashes keys, and in how many parts; nil where there is none.
  public var memory: String?
  /// Memory pressure on the way; nil for none.
  public var pressure: String?

  /// Conditions; see the properties for the meaning of each part.
  public init(
    cells: Int, threads: [Int], repetitions: Int = 1, load: String, origin: String,
    verification: String, pageCache: String, durability: String? = nil, memory: String? = nil,
    pressure: String? = nil
  ) {
    self.cells = cells
    self.threads = threads
    self.repetitions = repetitions
    self.load = load
    self.origin = origin
    self.verification = verification
    self.pageCache = pageCache
    self.durability = durability
    self.memory = memory
    self.pressure = pressure
  }
}

extension ExecutionConditions {
  /// The conditions of those of `cells` that are executed; nil when none is.
  package init?(
    _ spec: ExecutionSpec, cells: [PlannedCell], repetitions: Int, hasLatency: Bool
  ) {
    let executed = cells.filter(\.isExecuted)
    guard !executed.isEmpty else { return nil }
    let kinds = Set(executed.map(\.cell.kind))
    self.init(
      cells: executed.count, threads: spec.threads, repetitions: repetitions,
      load: spec.load.description, origin: spec.origin.description(hasLatency: hasLatency),
      verification: spec.verification.description, pageCache: spec.pageCache.description,
      durability: kinds == [.memory]
        ? nil
        : "\(spec.durability.rawValue); values of up to \(spec.inlineBytesMax) bytes in the "
          + "database, larger ones in files",
      memory: kinds == [.disk] ? nil : Self.memory(spec),
      pressure: spec.pressure.isEmpty
        ? nil
        : spec.pressure.map { "\($0.level) after \($0.at) of the requests" }
          .joined(separator: ", "))
  }

  private static func memory(_ spec: ExecutionSpec) -> String {
    let hashing =
      switch spec.hashing {
      case .standard: "keys hashed with Swift's Hasher"
      case .fast, .seeded: "keys hashed with the fast seeded hash"
      }
    let shards = spec.shards.map { "\($0) shards" } ?? "the default number of shards"
    return "\(hashing); one shard with one thread, otherwise \(shards)"
  }
}

extension ExecutionSpec.Load {
  /// The load in words.
  var description: String {
    switch self {
    case .closed: "closed loop: each thread issues a request when the previous one is complete"
    case .trace(let speed):
      "open loop at the trace's times, \(speed) times as fast; latency counts from the scheduled "
        + "start"
    case .rate(let rate):
      "open loop with \(rate) requests per second; latency counts from the scheduled start"
    }
  }
}

extension ExecutionSpec.OriginTime {
  /// What becomes of the origin's latency, in words.
  func description(hasLatency: Bool) -> String {
    guard hasLatency else { return "no latency: the workload has no latency model" }
    return switch self {
    case .virtual: "latency is added to misses without waiting"
    case .wait: "misses wait for the latency"
    }
  }
}

extension ExecutionSpec.Verification {
  /// What is checked, in words.
  var description: String {
    switch self {
    case .all: "key, version, length and content of every value read"
    case .header: "key, version and length of every value read"
    case .none: "nothing"
    }
  }
}

extension ExecutionSpec.PageCache {
  /// The page cache's state, in words.
  var description: String {
    switch self {
    case .warm: "as the warm-up and the run leave it"
    case .dropped: "without the caches' files after the warm-up"
    }
  }
}
