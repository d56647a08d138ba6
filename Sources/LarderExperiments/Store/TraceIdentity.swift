import Foundation
import LarderEngine
import LarderLibc
import LarderSupport
import LarderTraces

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

/// By what a trace is recognised without being prepared: the source as it is written, the files it
/// reads, the seed, the columns that are kept, and the program that reads.
struct TraceStamp: Hashable, Sendable {
  /// The description.
  let text: String
  /// Its digest.
  let digest: ContentDigest

  /// The stamp of a workload's source; nil where one of its files has none.
  ///
  /// - Throws: `StoreError` when the program cannot be read.
  init?(
    _ source: SourceSpec, seed: UInt64?, of workload: Workload, now: Int64 = FileStamp.now()
  ) throws(StoreError) {
    var lines = ["larder trace 1", try ProgramIdentity.reading()]
    let json = try ResultStore.json(source, "the source")
    lines.append(String(decoding: json, as: UTF8.self))
    lines.append("seed \(seed.map(String.init) ?? "none")")
    let all: TraceColumns = [.size, .time, .operation, .ttl, .cost, .prompt]
    // What is kept may depend on whether the trace has times to live.
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
  /// The trace files among its parts, in order.
  var references: [TraceReference] {
    switch self {
    case .trace(let reference): [reference]
    case .generator: []
    case .phases(let parts, _): parts.flatMap(\.references)
    case .mix(let parts, _, _): parts.flatMap(\.source.references)
    }
  }
}

/// By what a file is recognised without being read: path, size, times and number in its file
/// system. Compared for equality only: no clock has to be right.
///
/// A file that was written to and has the same stamp is one that was changed within one tick of its
/// file system's clock, at the same length, after it was read; or on a file system that does not
/// keep the time of the last change of a file (`ctime`, which no program can set), one whose time
/// was set back. Files that changed a moment ago have no stamp, so the first cannot happen.
struct FileStamp: Hashable, Sendable {
  /// The file, its path resolved.
  let path: String
  let bytes: Int64
  let number: UInt64
  /// Last change of the content, nanoseconds.
  let modified: Int64
  /// Last change of the content or of its attributes, nanoseconds.
  let changed: Int64

  /// How long a file must have been left alone, in nanoseconds: longer than a tick of any file
  /// system's clock (2 s for FAT).
  static let restNanoseconds: Int64 = 5_000_000_000

  /// The stamp of a regular file; nil for anything else, and for one that changed a moment ago or
  /// will have changed in the future.
  ///
  /// - Parameter now: The time, nanoseconds since 1970.
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

  /// The stamp in one line.
  var text: String {
    "file \(bytes) bytes, number \(number), modified \(modified), changed \(changed), \(path)"
  }

  /// The time, nanoseconds since 1970.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
