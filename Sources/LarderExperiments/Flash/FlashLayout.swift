import LarderEngine

/// Arrangement of objects on flash in a simulated disk cache. A layout also determines evictions:
/// the objects that the next write overwrites.
package enum FlashLayout: Sendable, Hashable, CustomStringConvertible {
  /// Regions that are written sequentially, one after another in a ring.
  case log(region: UInt64, reinsertHits: UInt32)
  /// Buckets that are rewritten completely for each new object.
  case sets
  /// A small log in front of buckets, to which objects move in groups.
  case kangaroo(Kangaroo)

  /// A small log in front of sets. McAllister et al., Kangaroo: Caching Billions of Tiny Objects on
  /// Flash, SOSP 2021.
  package struct Kangaroo: Sendable, Hashable {
    package var log = Share(percent: 5)
    package var region = FlashLayout.kangarooRegion
    /// Minimum number of a bucket's objects in the log for moving them to the bucket.
    package var threshold: UInt32 = 2
    /// Minimum number of hits in the log for rewriting an object that is not moved; 0 for never.
    package var reinsertHits: UInt32 = 1
  }

  /// Default bytes per region, as in CacheLib's large-object engine.
  package static let defaultRegion: UInt64 = 16 << 20
  package static let kangarooRegion: UInt64 = 256 << 10
  package static let regions: ClosedRange<UInt64> = 512...(1 << 40)
  /// Bytes of a bucket, of its header, and of the overhead per object.
  package static let bucket: (bytes: UInt64, header: UInt64, perObject: UInt64) = (4096, 24, 20)
  package static let thresholds: ClosedRange<UInt32> = 1...1_000_000

  package static let policy = try? PolicySpec(parsing: "fifo")

  package var word: String { String(description.prefix { $0 != ":" }) }

  package var description: String {
    switch self {
    case .log(let region, let hits): return "log:region=\(region)B:reinsert=\(hits)"
    case .sets: return "sets"
    case .kangaroo(let layout):
      return "kangaroo:log=\(layout.log):region=\(layout.region)B:threshold=\(layout.threshold)"
        + ":reinsert=\(layout.reinsertHits)"
    }
  }

  package func regionCount(of capacity: UInt64) -> UInt64 {
    switch self {
    case .log(let region, _): capacity / region
    case .sets: 0
    case .kangaroo(let layout): layout.log.of(capacity) / layout.region
    }
  }

  package func bucketCount(of capacity: UInt64) -> UInt64 {
    switch self {
    case .log: 0
    case .sets: capacity / Self.bucket.bytes
    case .kangaroo(let layout):
      (capacity - layout.log.of(capacity)) / Self.bucket.bytes
    }
  }

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

  private static let bucketsMax: UInt64 = 1 << 28
  private static let regionsMax: UInt64 = 1 << 24
}

/// A layout as written: its kind, and the given parameters.
struct FlashOptions: Sendable, Hashable {
  enum Kind: String, Sendable, Hashable, CaseIterable {
    case log, sets, kangaroo
  }

  var kind: Kind?
  var region: UInt64?
  var reinsertHits: UInt32?
  var log: Share?
  var threshold: UInt32?

  /// First given key that the kind does not have; nil for none.
  var foreign: String? {
    let keys: [(key: String, isGiven: Bool, kinds: [Kind])] = [
      ("region", region != nil, [.log, .kangaroo]),
      ("reinsert-hits", reinsertHits != nil, [.log, .kangaroo]),
      ("log", log != nil, [.kangaroo]), ("threshold", threshold != nil, [.kangaroo]),
    ]
    return keys.first { $0.isGiven && !(kind.map($0.kinds.contains) ?? false) }?.key
  }

  func layout(_ kind: Kind) -> FlashLayout {
    switch kind {
    case .log:
      return .log(region: region ?? FlashLayout.defaultRegion, reinsertHits: reinsertHits ?? 0)
    case .sets: return .sets
    case .kangaroo:
      return .kangaroo(
        FlashLayout.Kangaroo(
          log: log ?? Share(percent: 5), region: region ?? FlashLayout.kangarooRegion,
          threshold: threshold ?? 2, reinsertHits: reinsertHits ?? 1))
    }
  }
}

extension FlashOptions.Kind {
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
  package init(parsing text: some StringProtocol) throws(ComponentError) {
    let spec = try ComponentSpec(parsing: text)
    guard let kind = FlashOptions.Kind(rawValue: spec.name) else {
      let known = FlashOptions.Kind.allCases.map(\.rawValue)
      throw ComponentError(
        component: "layout", parameter: nil,
        message: UnknownName.message("layout", spec.name, among: known))
    }
    let reader = try ParameterReader(spec, parameters: kind.parameters)
    func given(_ name: String) throws(ComponentError) -> Int? {
      reader.text(name) == nil ? nil : try reader.whole(name)
    }
    var parts = FlashOptions()
    parts.region = try given("region").map(UInt64.init)
    parts.reinsertHits = try given("reinsert").map(UInt32.init)
    parts.threshold = try given("threshold").map(UInt32.init)
    if let text = reader.text("log") {
      guard let share = Share(parsing: text), share.parts > 0, share.parts < share.whole else {
        throw reader.wrong("log", expected: "a share above 0% and below 100%, such as 5%")
      }
      parts.log = share
    }
    self = parts.layout(kind)
  }
}
