public import Larder
import LarderEngine

/// How real caches are driven: the key `execute` of a workload file.
public struct ExecutionSpec: Sendable, Hashable {
  /// When requests are made.
  public enum Load: Sendable, Hashable {
    /// Each thread makes its next request when the last is answered.
    case closed
    /// At the trace's times, so many times as fast. Latency counts from the intended start.
    case trace(speed: Double)
    /// So many a second, all threads together, evenly spaced. Latency counts from the intended
    /// start.
    case rate(perSecond: Double)
  }

  /// How the origin's latency is spent.
  public enum OriginTime: String, Sendable, Hashable, CaseIterable {
    /// Added to what was measured, without waiting.
    case virtual
    /// Waited for.
    case wait
  }

  /// What of each value read is checked.
  public enum Verification: String, Sendable, Hashable, CaseIterable {
    /// Key, version, length and content.
    case all
    /// Key, version and length.
    case header
    /// Nothing.
    case none
  }

  /// The page cache before a run that is counted.
  public enum PageCache: String, Sendable, Hashable, CaseIterable {
    /// As the warm-up and the run leave it.
    case warm
    /// The cache's own files are dropped from it after the warm-up.
    case dropped
  }

  /// Memory pressure at a place in the trace.
  public struct Pressure: Sendable, Hashable {
    /// After this part of the requests.
    public var at: Share
    /// How short of memory the system is.
    public var level: MemoryPressureLevel

    /// Pressure of a level at a place.
    public init(at: Share, level: MemoryPressureLevel) {
      self.at = at
      self.level = level
    }
  }

  /// Numbers of threads to run with, each on its own.
  public var threads: [Int]
  /// When requests are made.
  public var load: Load
  /// How the origin's latency is spent, where the workload has a latency model.
  public var origin: OriginTime
  /// What of each value read is checked.
  public var verification: Verification
  /// Bytes of a value where the trace has no sizes.
  public var valueBytes: UInt32
  /// The page cache before a run that is counted.
  public var pageCache: PageCache
  /// What outlives a crash of a disk tier.
  public var durability: DiskDurability
  /// Values of up to this many bytes stand in a disk tier's database.
  public var inlineBytesMax: Int
  /// How memory hashes keys.
  public var hashing: KeyHashing
  /// Parts of memory with a lock each, when there are several threads; nil for the cache's choice.
  /// With one thread there is always one, so that counts are those of a simulation.
  public var shards: Int?
  /// Memory pressure on the way.
  public var pressure: [Pressure]

  /// By default: one thread, closed loop, virtual origin, everything verified.
  public init(
    threads: [Int] = [1], load: Load = .closed, origin: OriginTime = .virtual,
    verification: Verification = .all, valueBytes: UInt32 = 100, pageCache: PageCache = .warm,
    durability: DiskDurability = .normal, inlineBytesMax: Int = 20 << 10,
    hashing: KeyHashing = .standard, shards: Int? = nil, pressure: [Pressure] = []
  ) {
    self.threads = threads
    self.load = load
    self.origin = origin
    self.verification = verification
    self.valueBytes = valueBytes
    self.pageCache = pageCache
    self.durability = durability
    self.inlineBytesMax = inlineBytesMax
    self.hashing = hashing
    self.shards = shards
    self.pressure = pressure
  }
}

/// Which cells of a workload are executed: all that can be, unless something is named.
package struct ExecutionFilter: Sendable, Hashable {
  /// Names of configurations, nil for all.
  package var configurations: [String]?
  /// Policies of the sweep, nil for all. Configurations that name theirs are not asked.
  package var policies: [PolicySpec]?
  /// Capacities of the sweep, nil for all. Configurations that name theirs are not asked.
  package var capacities: [CapacitySpec]?

  /// A filter that lets everything pass that it does not name.
  package init(
    configurations: [String]? = nil, policies: [PolicySpec]? = nil,
    capacities: [CapacitySpec]? = nil
  ) {
    self.configurations = configurations
    self.policies = policies
    self.capacities = capacities
  }

  /// Whether a cell passes. What is nil was not swept.
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
}

/// A cache in a process of its own, as a workload names it: `cache: {process: [...]}`.
package struct ProcessSpec: Sendable, Hashable {
  /// The program and its arguments, with placeholders.
  package var command: [String]
  /// The folder that the process starts in; empty for the current one.
  package var folder: String
  /// The longest that it may take to start, to give one answer, and to end; seconds.
  package var timeoutSeconds: UInt32

  /// The name of such caches in the list of those that can be executed.
  package static let contender = "process"

  /// A process; see the properties for the meaning of each part.
  package init(command: [String], folder: String = "", timeoutSeconds: UInt32 = 30) {
    self.command = command
    self.folder = folder
    self.timeoutSeconds = timeoutSeconds
  }

  /// The name in results: that of the program's file, with `-` for what a name may not have.
  package var name: String {
    let file = command.first?.split(separator: "/").last ?? ""
    let name = file.map { WorkloadDecoder.isNameCharacter($0) ? $0 : "-" }
      .drop { $0 == "." }
    return name.isEmpty ? Self.contender : String(name.prefix(100))
  }

  /// Whether a word of the command has the placeholder.
  package func uses(_ placeholder: ProcessPlaceholder) -> Bool {
    command.contains { $0.contains("{\(placeholder.rawValue)}") }
  }

  /// Fills the placeholders of every word in.
  package func filled(
    _ value: (ProcessPlaceholder) -> String
  ) -> [String] {
    command.map { word in
      ProcessPlaceholder.allCases.reduce(word) { word, placeholder in
        word.replacing("{\(placeholder.rawValue)}", with: value(placeholder))
      }
    }
  }

  /// The first word in braces that is no placeholder; nil where there is none.
  static func unknownPlaceholder(in word: String) -> String? {
    word.matches(of: /\{([a-z][a-zA-Z:-]*)\}/).lazy.map { String($0.output.1) }
      .first { ProcessPlaceholder(rawValue: $0) == nil }
  }
}

/// A word in braces in the command of a cache's process, which stands for a value of the cell.
package enum ProcessPlaceholder: String, Sendable, Hashable, CaseIterable {
  /// The capacity, in the workload's unit.
  case capacity
  /// The same, of bytes, in whole MiB, at least 1.
  case mebibytes = "capacity:MiB"
  /// What the capacity counts: `objects` or `bytes`.
  case unit
  /// The most objects beside the capacity; 0 for no limit.
  case objects
  /// How many threads will send requests.
  case threads
  /// The seed of the cell.
  case seed
  /// An empty folder for the cache's files.
  case folder
  /// Where the process is to listen: the path of a Unix socket. Without it requests come on
  /// standard input.
  case socket
}
