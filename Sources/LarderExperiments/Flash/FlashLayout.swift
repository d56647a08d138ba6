import LarderEngine

/// Arrangement of objects on flash in a simulated disk cache. A layout also determines evictions:
/// the objects that the next write overwrites.
public enum FlashLayout: Sendable, Hashable, CustomStringConvertible {
  /// Regions that are written sequentially, one after another in a ring.
  case log(region: UInt64, reinsertHits: UInt32)
  /// Buckets that are rewritten completely for each new object.
  case sets
  /// A small log in front of buckets, to which objects move in groups.
  case kangaroo(Kangaroo)

  /// A small log in front of sets. McAllister et al., Kangaroo: Caching Billions of Tiny Objects on
  /// Flash, SOSP 2021.
  public struct Kangaroo: Sendable, Hashable {
    /// Share of the capacity for the log.
    public var log: Share
    /// Bytes per region of the log.
    public var region: UInt64
    /// Minimum number of a bucket's objects in the log for moving them to the bucket.
    public var threshold: UInt32
    /// Minimum number of hits in the log for rewriting an object that is not moved; 0 for never.
    public var reinsertHits: UInt32

    /// Creates a layout; the defaults are those of the paper, except for the size of regions.
    public init(
      log: Share = Share(percent: 5), region: UInt64 = FlashLayout.kangarooRegion,
      threshold: UInt32 = 2, reinsertHits: UInt32 = 1
    ) {
      self.log = log
      self.region = region
      self.threshold = threshold
      self.reinsertHits = reinsertHits
    }
  }

  /// Default bytes per region, as in CacheLib's large-object engine.
  public static let defaultRegion: UInt64 = 16 << 20
  /// Default bytes per region of Kangaroo's log.
  public static let kangarooRegion: UInt64 = 256 << 10
  /// Valid sizes of regions.
  public static let regions: ClosedRange<UInt64> = 512...(1 << 40)
  /// Bytes of a bucket, of its header, and of the overhead per object.
  public static let bucket: (bytes: UInt64, header: UInt64, perObject: UInt64) = (4096, 24, 20)
  /// Valid thresholds of hits and objects.
  public static let thresholds: ClosedRange<UInt32> = 1...1_000_000

  /// Policy in results: layouts evict in the order of writing, except for reinserted objects. The
  /// name of a registered policy always parses.
  package static let policy = try? PolicySpec(parsing: "fifo")

  /// Name in workload files and on the command line.
  public var word: String {
    switch self {
    case .log: "log"
    case .sets: "sets"
    case .kangaroo: "kangaroo"
    }
  }

  /// Text on the command line, with every parameter.
  public var description: String {
    switch self {
    case .log(let region, let hits): return "log:region=\(region)B:reinsert=\(hits)"
    case .sets: return "sets"
    case .kangaroo(let layout):
      return "kangaroo:log=\(layout.log):region=\(layout.region)B:threshold=\(layout.threshold)"
        + ":reinsert=\(layout.reinsertHits)"
    }
  }

  /// Number of log regions in a cache of `capacity` bytes; 0 without a log.
  public func regionCount(of capacity: UInt64) -> UInt64 {
    switch self {
    case .log(let region, _): capacity / region
    case .sets: 0
    case .kangaroo(let layout): layout.log.of(capacity) / layout.region
    }
  }

  /// Number of buckets in a cache of `capacity` bytes; 0 without sets.
  public func bucketCount(of capacity: UInt64) -> UInt64 {
    switch self {
    case .log: 0
    case .sets: capacity / Self.bucket.bytes
    case .kangaroo(let layout):
      (capacity - layout.log.of(capacity)) / Self.bucket.bytes
    }
  }

  /// Error for an invalid capacity; nil for a valid one.
  package func fault(capacity: UInt64) -> String? {
    switch self {
    case .log(let region, _):
      guard regionCount(of: capacity) >= 2 else {
        return "a log needs at least 2 regions, and \(capacity) bytes are fewer than 2 regions of "
          + "\(region) bytes: choose a larger capacity or a smaller 'region'"
      }
    case .sets:
      guard bucketCount(of: capacity) >= 1 else {
        return "\(capacity) bytes are fewer than a bucket of \(Self.bucket.bytes) bytes: choose a "
          + "larger capacity"
      }
    case .kangaroo(let layout):
      guard regionCount(of: capacity) >= 2, bucketCount(of: capacity) >= 1 else {
        return "the log's \(layout.log) of \(capacity) bytes are fewer "
          + "than 2 regions of \(layout.region) bytes: choose a larger capacity, a larger 'log' or "
          + "a smaller 'region'"
      }
    }
    guard regionCount(of: capacity) <= Self.regionsMax, bucketCount(of: capacity) <= Self.bucketsMax
    else {
      return "\(capacity) bytes are more than \(Self.bucketsMax) buckets or \(Self.regionsMax) "
        + "regions: choose a smaller capacity or a larger 'region'"
    }
    return nil
  }

  /// Maximum number of buckets and regions, whose tables a simulation keeps in memory: 1 TiB of
  /// buckets.
  private static let bucketsMax: UInt64 = 1 << 28
  private static let regionsMax: UInt64 = 1 << 24
}

/// Names of layouts.
package enum FlashLayoutWord: String, Sendable, Hashable, CaseIterable {
  case log
  case sets
  case kangaroo
}

/// Given parameters of a layout.
struct FlashLayoutParts: Sendable, Hashable {
  var region: UInt64?
  var reinsertHits: UInt32?
  var log: Share?
  var threshold: UInt32?

  func foreign(to word: FlashLayoutWord?) -> (key: String, option: String)? {
    if region != nil, word == nil || word == .sets { return ("region", "region") }
    if reinsertHits != nil, word == nil || word == .sets { return ("reinsert-hits", "reinsert") }
    if log != nil, word != .kangaroo { return ("log", "log") }
    if threshold != nil, word != .kangaroo { return ("threshold", "threshold") }
    return nil
  }

  func layout(_ word: FlashLayoutWord) -> FlashLayout {
    switch word {
    case .log:
      return .log(
        region: region ?? FlashLayout.defaultRegion, reinsertHits: reinsertHits ?? 0)
    case .sets: return .sets
    case .kangaroo:
      var layout = FlashLayout.Kangaroo()
      if let region { layout.region = region }
      if let log { layout.log = log }
      if let threshold { layout.threshold = threshold }
      if let reinsertHits { layout.reinsertHits = reinsertHits }
      return .kangaroo(layout)
    }
  }
}

/// Flash drive of a workload: assumptions for reports.
package struct DriveSpec: Sendable, Hashable {
  /// Bytes that may be written to the device in its lifetime; nil if unknown.
  package var enduranceBytes: UInt64?
  package var utilisation: Share

  package init(
    enduranceBytes: UInt64? = nil, utilisation: Share = DriveSpec.defaultUtilisation
  ) {
    self.enduranceBytes = enduranceBytes
    self.utilisation = utilisation
  }

  package static let defaultUtilisation = Share(percent: 80)
}

extension FlashLayoutWord {
  var parameters: [Parameter] {
    let hits = Int(FlashLayout.thresholds.upperBound)
    let region = Parameter(
      "region", .bytes(Int(FlashLayout.regions.lowerBound)...Int(FlashLayout.regions.upperBound)),
      default: "", "Bytes of a region of the log.")
    let reinsert = Parameter(
      "reinsert", .count(0...hits), default: "", "Hits that write an object again.")
    switch self {
    case .log: return [region, reinsert]
    case .sets: return []
    case .kangaroo:
      return [
        Parameter("log", .share, default: "5%", "Share of the capacity for the log."), region,
        Parameter("threshold", .count(1...hits), default: "2", "Objects that move together."),
        reinsert,
      ]
    }
  }
}

extension FlashLayout {
  /// Parses a layout as on the command line: `log:region=16MiB:reinsert=1`, `sets`, or
  /// `kangaroo:log=5%:region=256KiB:threshold=2:reinsert=1`.
  ///
  /// - Throws: `ComponentError` with the expected syntax.
  package init(parsing text: some StringProtocol) throws(ComponentError) {
    let spec = try ComponentSpec(parsing: text)
    guard let word = FlashLayoutWord(rawValue: spec.name) else {
      let known = FlashLayoutWord.allCases.map(\.rawValue)
      throw ComponentError(
        component: "layout", parameter: nil,
        message: UnknownName.message("layout", spec.name, among: known))
    }
    let reader = try ParameterReader(spec, parameters: word.parameters)
    func given(_ name: String) throws(ComponentError) -> Int? {
      reader.text(name) == nil ? nil : try reader.whole(name)
    }
    var parts = FlashLayoutParts()
    parts.region = try given("region").map(UInt64.init)
    parts.reinsertHits = try given("reinsert").map(UInt32.init)
    parts.threshold = try given("threshold").map(UInt32.init)
    if let text = reader.text("log") {
      guard let share = Share(parsing: text), share.parts > 0, share.parts < share.whole else {
        throw reader.wrong("log", expected: "a share above 0% and below 100%, such as 5%")
      }
      parts.log = share
    }
    self = parts.layout(word)
  }
}
