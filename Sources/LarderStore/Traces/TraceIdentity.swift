import LarderEngine
import LarderTraces
import LarderWorkloads

/// The content of a prepared trace: a digest of each column, as simulations read them.
///
/// Made after reading, so that format, options, filters, rules for sizes, and for generators name,
/// parameters, seed and version are all in it: whatever gives the same requests is the same trace.
package struct TraceIdentity: Hashable, Sendable, Codable {
  /// Requests of every operation.
  package let requests: Int
  /// Distinct objects.
  package let objects: Int
  /// The digest of each column, by its name.
  package let columns: [String: String]

  /// The columns besides the ids.
  enum Column: String, CaseIterable {
    case sizes, times, operations, ttls, costs, prompts
  }

  /// The identity of a trace: reads all of it, at some gigabytes a second on all cores.
  package init(_ trace: PreparedTrace) {
    let columns = trace.requests
    requests = columns.count
    objects = columns.objects
    func digest<Element>(_ column: UnsafePointer<Element>?) -> String? {
      column.map {
        let elements = UnsafeBufferPointer(start: $0, count: columns.count)
        return ContentDigest(ofColumn: UnsafeRawBufferPointer(elements)).description
      }
    }
    var digests: [String: String] = [:]
    digests["ids"] = digest(columns.ids)
    digests[Column.sizes.rawValue] = digest(columns.sizes)
    digests[Column.times.rawValue] = digest(columns.times)
    digests[Column.operations.rawValue] = digest(columns.operations)
    digests[Column.ttls.rawValue] = digest(columns.ttls)
    digests[Column.costs.rawValue] = digest(columns.costs)
    digests[Column.prompts.rawValue] = digest(trace.prompts)
    self.columns = digests
    withExtendedLifetime(trace) {}
  }

  /// What a cell reads of the columns that there may be.
  struct Reading {
    /// Whether bytes are counted, or make up a latency.
    let sizes: Bool
    /// Whether a tier limits the time to live; where requests have one, times are read anyway.
    let times: Bool
    /// Whether prefixes are counted.
    let prompts: Bool

    /// What a setup reads.
    init(
      _ setup: SimulationSetup, hasLatency: Bool, hasPrompts: Bool = false,
      countsTime: Bool = false
    ) {
      prompts = hasPrompts
      sizes = setup.unit == .bytes || hasLatency || setup.time?.bytesPerSecond != nil
      let tiers =
        switch setup.arrangement {
        case .memory(let tier), .disk(let tier): [tier]
        case .hybrid(let memory, let disk, _): [memory, disk]
        }
      times =
        setup.time?.clock == .trace || countsTime
        || tiers.contains { $0.timeToLiveSeconds != nil || Self.followsTime($0.policy) }
    }

    private static func followsTime(_ policy: PolicySpec) -> Bool {
      (try? PolicyRegistry.policy(named: policy))?.followsTime ?? false
    }
  }

  /// The part of the identity that a cell depends on, in one line.
  func text(reading: Reading) -> String {
    let read = Column.allCases.filter { column in
      switch column {
      case .sizes: reading.sizes
      case .times: reading.times || columns[Column.ttls.rawValue] != nil
      case .prompts: reading.prompts
      case .operations, .ttls, .costs: true
      }
    }
    let ids = "\(requests) requests, \(objects) objects, ids \(columns["ids"] ?? "")"
    return read.reduce(into: ids) { text, column in
      if let digest = columns[column.rawValue] { text += ", \(column.rawValue) \(digest)" }
    }
  }

  /// The digest of everything.
  var digest: ContentDigest {
    let all = columns.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return ContentDigest(
      of: (["\(requests) requests, \(objects) objects"] + all).joined(separator: "\n"))
  }
}
