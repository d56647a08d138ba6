import Foundation
import LarderEngine
import LarderLibc
import LarderPolicies
import LarderSupport
import LarderTraces

/// Content of a prepared trace: a digest of each column, in the form that simulations read.
///
/// Computed after reading, so it includes format, options, filters and rules for sizes, and the
/// name, parameters, seed and version of generators: sources with equal requests are the same
/// trace.
package struct TraceIdentity: Hashable, Sendable, Codable {
  /// Numbers in the columns: of a sample, those that a cell replays and holds in memory.
  package let requests: UInt64
  package let objects: UInt64
  package let columns: [String: String]

  enum Column: String, CaseIterable {
    case sizes, times, operations, ttls, costs, prompts
  }

  package init(_ trace: PreparedTrace) {
    let columns = trace.requests
    requests = UInt64(columns.count)
    objects = UInt64(columns.objects)
    func digest<Element>(_ column: UnsafePointer<Element>?) -> String? {
      column.map {
        let elements = UnsafeBufferPointer(start: $0, count: columns.count)
        return ContentDigest(ofColumn: UnsafeRawBufferPointer(elements)).description
      }
    }
    let digests: [String: String?] = [
      "ids": digest(columns.ids), "sizes": digest(columns.sizes), "times": digest(columns.times),
      "operations": digest(columns.operations), "ttls": digest(columns.ttls),
      "costs": digest(columns.costs), "prompts": digest(trace.prompts),
    ]
    self.columns = digests.compactMapValues { $0 }
    withExtendedLifetime(trace) {}
  }

  struct Reading {
    let sizes: Bool
    let times: Bool
    let prompts: Bool

    init(
      _ setup: SimulationSetup, hasLatency: Bool, hasPrompts: Bool = false,
      countsTime: Bool = false
    ) {
      prompts = hasPrompts
      sizes = setup.unit == .bytes || hasLatency || setup.time?.bytesPerSecond != nil
      times =
        setup.time?.clock == .trace || countsTime
        || setup.tiers.contains { $0.timeToLiveSeconds != nil || Self.followsTime($0.policy) }
    }

    private static func followsTime(_ policy: PolicySpec) -> Bool {
      PolicyRegistry.registered(policy.name)?.followsTime ?? false
    }
  }

  func text(reading: Reading) -> String {
    let read = Column.allCases.filter { column in
      switch column {
      case .sizes: reading.sizes
      case .times: reading.times || columns[Column.ttls.rawValue] != nil
      case .prompts: reading.prompts
      case .operations, .ttls, .costs: true
      }
    }
    return read.reduce(into: "\(counts), ids \(columns["ids"] ?? "")") { text, column in
      if let digest = columns[column.rawValue] { text += ", \(column.rawValue) \(digest)" }
    }
  }

  var digest: ContentDigest {
    let all = columns.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return ContentDigest(of: ([counts] + all).joined(separator: "\n"))
  }

  private var counts: String { "\(requests) requests, \(objects) objects" }
}

/// Identifies a trace without preparing it: the source as written, its files, the seed, the kept
/// columns, and the program that reads.
struct TraceStamp: Hashable, Sendable {
  let text: String
  let digest: ContentDigest

  /// Stamp of a workload's source; nil if one of its files has none.
  ///
  /// - Throws: `StoreError` when the program's file cannot be read.
  init?(
    _ source: SourceSpec, seed: UInt64?, of workload: Workload, now: Int64 = FileStamp.now()
  ) throws(StoreError) {
    var lines = ["larder trace 1", try ProgramIdentity.reading()]
    let json = try ResultStore.json(source, "the source")
    lines.append(String(decoding: json, as: UTF8.self))
    lines.append("seed \(seed.map(String.init) ?? "none")")
    let all: TraceColumns = [.size, .time, .operation, .ttl, .cost, .prompt]
    // The kept columns may depend on whether the trace has TTLs.
    for available in [all, all.subtracting(.ttl)] {
      lines.append("keeps \(workload.neededColumns(of: available).names.joined(separator: ", "))")
    }
    for reference in source.references {
      for path in workload.resolved(reference).paths {
        guard let stamp = FileStamp(path, now: now) else { return nil }
        lines.append(stamp.text)
      }
    }
    text = lines.joined(separator: "\n")
    digest = ContentDigest(of: text)
  }
}

extension SourceSpec {
  var references: [TraceReference] {
    switch self {
    case .trace(let reference): [reference]
    case .generator: []
    case .phases(let parts, _): parts.flatMap(\.references)
    case .mix(let parts, _, _): parts.flatMap(\.source.references)
    }
  }
}

/// Identifies a file without reading it: path, size, times and number in its file system. Compared
/// for equality only: no clock has to be right.
///
/// A modified file can have an unchanged stamp only if it changed within one tick of its file
/// system's clock, at the same length, after it was read; or on a file system without the time of a
/// file's last change (`ctime`, which no program can set), if its time was set back. Recently
/// changed files have no stamp, which excludes the first case.
struct FileStamp: Hashable, Sendable {
  let path: String
  let bytes: Int64
  let number: UInt64
  /// Last change of the content, in nanoseconds.
  let modified: Int64
  /// Last change of the content or of the attributes, in nanoseconds.
  let changed: Int64

  /// Minimum time without changes in nanoseconds: longer than a tick of any file system's clock (2
  /// s for FAT).
  static let restNanoseconds: Int64 = 5_000_000_000

  /// Stamp of a regular file; nil for other files, and for a file with a recent or future change.
  ///
  /// - Parameter now: The time, in nanoseconds since 1970.
  init?(_ path: String, now: Int64 = FileStamp.now()) {
    var status = stat()
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.path = String(cString: real)
    bytes = Int64(status.st_size)
    number = UInt64(status.st_ino)
    #if canImport(Darwin)
      modified = Self.nanoseconds(status.st_mtimespec)
      changed = Self.nanoseconds(status.st_ctimespec)
    #else
      modified = Self.nanoseconds(status.st_mtim)
      changed = Self.nanoseconds(status.st_ctim)
    #endif
    guard max(modified, changed) <= now - Self.restNanoseconds else { return nil }
  }

  var text: String {
    "file \(bytes) bytes, number \(number), modified \(modified), changed \(changed), \(path)"
  }

  /// The time in nanoseconds since 1970.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
