public import Larder

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
