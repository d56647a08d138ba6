public import Larder
import LarderEngine

/// Options for driving real caches: the key `execute` of a workload file.
public struct ExecutionSpec: Sendable, Hashable {
  /// Schedule of requests.
  public enum Load: Sendable, Hashable {
    case closed
    case trace(speed: Double)
    case rate(perSecond: Double)
  }

  /// Handling of the origin's latency.
  public enum OriginTime: String, Sendable, Hashable, CaseIterable {
    case virtual
    case wait
  }

  /// Checked parts of each value read.
  public enum Verification: String, Sendable, Hashable, CaseIterable {
    case all
    case header
    case none
  }

  /// State of the page cache before a counted run.
  public enum PageCache: String, Sendable, Hashable, CaseIterable {
    case warm
    case dropped
  }

  /// Memory pressure at a point of the trace.
  public struct Pressure: Sendable, Hashable {
    /// Share of the requests before it.
    public var at: Share
    /// Severity of the memory shortage.
    public var level: MemoryPressureLevel
  }

  /// Numbers of threads, in separate runs.
  public var threads: [Int] = [1]
  /// Schedule of requests.
  public var load: Load = .closed
  /// Handling of the origin's latency, if the workload has a latency model.
  public var origin: OriginTime = .virtual
  /// Checked parts of each value read.
  public var verification: Verification = .all
  /// Bytes per value if the trace has no sizes.
  public var valueBytes: UInt32 = 100
  /// State of the page cache before a counted run.
  public var pageCache: PageCache = .warm
  /// Durability of a disk tier.
  public var durability: DiskDurability = .normal
  /// Maximum size in bytes of values inside a disk tier's database.
  public var inlineBytesMax = 20 << 10
  /// Hash function of memory for keys.
  public var hashing: KeyHashing = .standard
  /// Number of shards of memory, with a lock each, for several threads; nil for the cache's choice.
  /// With one thread there is always one shard, so that counts are those of a simulation.
  public var shards: Int?
  /// Memory pressure during the run.
  public var pressure: [Pressure] = []

  package var filter = ExecutionFilter()

  package init(threads: [Int] = [1], load: Load = .closed) {
    (self.threads, self.load) = (threads, load)
  }
}

/// Selection of the cells to execute: by default all that can be.
package struct ExecutionFilter: Sendable, Hashable {
  package var configurations: [String]?
  package var policies: [PolicySpec]?
  /// Capacities of the sweep; nil for all.
  package var capacities: [CapacitySpec]?

  func passes(
    configuration: ConfigurationSpec, policy: PolicySpec?, capacity: CapacitySpec?
  ) -> Bool {
    func contains<Value>(_ values: [Value]?, _ matches: (Value) -> Bool?) -> Bool {
      values?.contains { matches($0) ?? true } ?? true
    }
    return contains(configurations) { configuration.answers(to: $0) }
      && contains(policies) { named in policy.map { $0.description == named.description } }
      && contains(capacities) { named in capacity.map { $0.amount == named.amount } }
  }

  /// True for a planned cell that is selected; a hybrid is by the policy of either tier.
  package func passes(_ cell: Cell) -> Bool {
    let configuration = ConfigurationSpec(name: cell.configuration, kind: cell.kind)
    let tiers = [cell.policy] + cell.policy.split(separator: "+").map(String.init)
    return configurations?.contains(where: configuration.answers) ?? true
      && policies?.contains { tiers.contains($0.description) } ?? true
      && capacities?.contains { $0.description == cell.capacityLabel } ?? true
  }
}

/// A cache in a separate process, as in a workload:
package struct ProcessSpec: Sendable, Hashable {
  package var command: [String]
  package var folder: String = ""
  package var timeoutSeconds: UInt32 = 30

  package static let contender = "process"

  /// Name in results: that of the program's file, with `-` for characters that a name must not
  /// have.
  package var name: String {
    let file = command.first?.split(separator: "/").last ?? ""
    let name = file.map { WorkloadDecoder.isNameCharacter($0) ? $0 : "-" }
      .drop { $0 == "." }
    return name.isEmpty ? Self.contender : String(name.prefix(100))
  }

  package func uses(_ placeholder: ProcessPlaceholder) -> Bool {
    command.contains { $0.contains("{\(placeholder.rawValue)}") }
  }

  package func filled(
    _ value: (ProcessPlaceholder) -> String
  ) -> [String] {
    command.map { word in
      ProcessPlaceholder.allCases.reduce(word) { word, placeholder in
        word.replacing("{\(placeholder.rawValue)}", with: value(placeholder))
      }
    }
  }

  static func unknownPlaceholder(in word: String) -> String? {
    word.matches(of: /\{([a-z][a-zA-Z:-]*)\}/).lazy.map { String($0.output.1) }
      .first { ProcessPlaceholder(rawValue: $0) == nil }
  }
}

/// A server that a workload can name as a cache.
package enum CacheServer: String, Sendable, Hashable, CaseIterable {
  case redis, memcached, nginx, varnish

  /// The settings of its eviction, and the policies that simulate them; the first is the default.
  package var policies: KeyValuePairs<String, String> {
    switch self {
    case .redis: ["allkeys-lru": "redis-lru", "allkeys-lfu": "redis-lfu"]
    case .memcached: ["memcached": "memcached"]
    case .nginx: ["nginx": "nginx"]
    case .varnish: ["varnish": "varnish"]
    }
  }

  package var kind: ConfigurationKind { self == .nginx ? .disk : .memory }

  /// True if it fetches missing values itself, from an origin.
  package var isProxy: Bool { self == .nginx || self == .varnish }

  /// The rate of a closed loop: a server measures ages with its own clock, so counts depend on it.
  package var requestsPerSecond: Int { isProxy ? 5_000 : 20_000 }
}

/// A server as in a workload.
package struct ServerSpec: Sendable, Hashable {
  package let server: CacheServer
  /// The eviction as the server calls it.
  package var policy: String
  /// Socket's path, or host and port, of a server that runs already; nil to start one.
  package var address: String?
  /// Address at which the origin of a proxy that runs already is expected.
  package var origin: String?
  package var timeoutSeconds: UInt32 = 30
  /// The program to start in place of the server's own.
  package var program: String?

  package init(_ server: CacheServer) {
    self.server = server
    policy = server.policies[0].key
  }

  /// The policy that simulates it, with the clock that it will have.
  func simulated(_ load: ExecutionSpec.Load) -> PolicySpec? {
    let name = server.policies.first { $0.key == policy }?.value ?? ""
    let clock: String
    switch paced(load) {
    case .rate(let rate):
      clock = ":clock=requests:rate=\(Int(min(max(1, rate), 1e6)))"
    case .closed, .trace: clock = ""
    }
    return try? PolicySpec(parsing: name + clock)
  }

  func paced(_ load: ExecutionSpec.Load) -> ExecutionSpec.Load {
    load == .closed ? .rate(perSecond: Double(server.requestsPerSecond)) : load
  }
}

/// A word in braces in the command of a cache's process, which represents a value of the cell.
package enum ProcessPlaceholder: String, Sendable, Hashable, CaseIterable {
  case capacity
  case mebibytes = "capacity:MiB"
  case unit
  case objects
  case threads
  case seed
  case folder
  /// Path of the Unix socket on which the process must listen.
  case socket
}
