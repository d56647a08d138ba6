import Foundation
import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces

/// Everything that the counts of a simulated cell depend on, except the rules of the engine; and
/// nothing else, so that workloads share the results of common cells.
///
///     larder cell 1
///     trace 20000 requests, 500 objects, ids 3f2a...
///     unit objects, seed 1
///     memory s3-fifo:small=0.1, capacity 100
///
/// Excluded are names of workloads, configurations and traces, labels of capacities, the number of
/// repetitions, and columns of the trace that the cell does not read.
package struct CellKey: Hashable, Sendable {
  package let text: String
  package let digest: ContentDigest

  package init(text: String) {
    self.text = text
    digest = ContentDigest(of: text)
  }

  package init(
    _ planned: PlannedCell, over trace: TraceIdentity, warmUp: WarmUp, latency: LatencyModel?
  ) {
    let setup = planned.setup
    let reads = TraceIdentity.Reading(
      setup, hasLatency: latency != nil, hasPrompts: planned.prefix != nil,
      countsTime: planned.countsTime)
    var lines = ["larder cell 1", "trace \(trace.text(reading: reads))"]
    // A share of the requests and its number are equivalent.
    lines.append(
      warmUp.requests(of: trace.requests).map { "counting from request \($0)" }
        ?? "counting from the first eviction")
    lines.append("unit \(setup.unit.rawValue), seed \(setup.seed)")
    lines += Self.lines(setup.arrangement)
    if let time = setup.time { lines.append(Self.text(time)) }
    if let segments = setup.segments { lines.append(Self.text(segments)) }
    if let layout = planned.layout { lines.append("layout \(layout)") }
    if planned.countsTime { lines.append("with the time of the requests") }
    if let order = planned.prefix { lines.append("prefixes, \(order.rawValue) first") }
    lines.append(latency.map { Self.text($0, of: planned.cell.kind) } ?? "no latency")
    self.init(text: lines.joined(separator: "\n"))
  }

  private static func lines(_ arrangement: Arrangement) -> [String] {
    switch arrangement {
    case .memory(let tier): ["memory \(text(tier))"]
    case .disk(let tier): ["disk \(text(tier))"]
    case .hybrid(let memory, let disk, let rules):
      ["memory \(text(memory))", "disk \(text(disk))", text(rules)]
    }
  }

  private static func text(_ tier: TierSetup) -> String {
    var text = "\(text(tier.policy)), capacity \(tier.capacity)"
    if let seconds = tier.timeToLiveSeconds { text += ", at most \(seconds) s" }
    if let objects = tier.objectsMax { text += ", at most \(objects) objects" }
    if let admission = tier.admission { text += ", behind \(Self.text(admission))" }
    return text
  }

  /// A learned policy includes its library, because another one trains other models.
  private static func text(_ spec: PolicySpec) -> String {
    let text = spec.values.sorted { $0.key < $1.key }.reduce(into: spec.name) { text, value in
      text += ":\(value.key)=\(value.value)"
    }
    guard PolicyRegistry.isLearned(spec.name) else { return text }
    return text + " trained by " + ((try? GradientBoosting.current().name) ?? "nothing")
  }

  private static func text(_ rules: HybridRules) -> String {
    let placement = rules.placement.map {
      ", memory only below \($0.memoryOnlyBelowSeconds) s, disk only from "
        + "\($0.diskOnlyFromSeconds) s"
    }
    return "\(rules.inclusion.rawValue), promotion \(rules.promotion.rawValue)" + (placement ?? "")
  }

  private static func text(_ time: FetchModel) -> String {
    let latencies = time.latencies.map { "\($0)" }.joined(separator: " ")
    return "time by \(time.clock.rawValue), latency \(latencies), seed \(time.seed)"
      + (time.diskLatencies.map { times in
        ", disk " + times.map { "\($0)" }.joined(separator: " ")
      } ?? "")
      + (time.bytesPerSecond.map { ", \($0) B/s" } ?? "")
      + (time.servers.map { ", \($0) servers" } ?? "")
      + (time.coalesces ? "" : ", without coalescing")
  }

  private static func text(_ segments: SegmentSetup) -> String {
    let group =
      segments.groupWrites == 1
      ? ""
      : ", \(segments.groupWrites) writes or "
        + "\(segments.groupBytes) B a commit"
    return "segments of \(segments.bytes) B above \(segments.inlineBytesMax) B\(group)"
  }

  private static func text(_ model: LatencyModel, of kind: ConfigurationKind) -> String {
    let places = model.places(of: kind).map { place in
      "\(text(place.base)) + \(place.nanosecondsPerByte)/B"
    }
    return "latency in ns: " + places.joined(separator: "; ")
      + (model.isOriginFromTrace ? "; origin from the trace" : "")
  }

  private static func text(_ distribution: LatencyDistribution) -> String {
    switch distribution {
    case .constant(let value): "constant \(value)"
    case .normal(let mean, let deviation): "normal \(mean) \(deviation)"
    case .logNormal(let median, let sigma): "log-normal \(median) \(sigma)"
    case .empirical(let samples):
      "empirical " + samples.sorted.map { "\($0)" }.joined(separator: " ")
    }
  }
}

/// Name of a cell's file: the digest of the cell, the rules, and digits of the content.
struct EntryName: Hashable, Sendable {
  let key: String
  let rules: String
  let content: String

  init(key: ContentDigest, rules: StoreRules, content: ContentDigest) {
    self.key = key.description
    self.rules = rules.description
    self.content = content.short
  }

  init?(parsing name: some StringProtocol) {
    let parts = String(name).split(separator: ".", omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count == 3, parts[0].utf8.count == 32, parts[2].utf8.count == 16,
      !parts[1].isEmpty, (parts[0] + parts[2]).utf8.allSatisfy(Self.isDigit)
    else { return nil }
    (key, rules, content) = (parts[0], parts[1], parts[2])
  }

  var text: String { "\(key).\(rules).\(content)" }

  var shard: String { Self.shard(of: key) }

  static func shard(of key: String) -> String { String(key.prefix(2)) }

  static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }
}

/// Counting rules of the engine: part of the name of every record, so that a store never mixes
/// results of engines that count differently.
package struct StoreRules: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  static let version = 1

  static let goldenCounts = "74af182e882e489f"

  /// Its rules include the digest of the program, so that it shares results only with itself, on
  /// any machine.
  package static func current() throws(StoreError) -> StoreRules {
    let rules = "\(version)-\(goldenCounts)"
    let addsPolicies = PolicyRegistry.all.count != PolicyRegistry.standard.count
    guard addsPolicies || !ProgramIdentity.isCommit else { return StoreRules(rules) }
    return StoreRules("\(rules)-\(try ProgramIdentity.digest().short)")
  }
}

/// Identity of the running program, by its bytes if necessary.
enum ProgramIdentity {
  private static let known = Locked<ContentDigest?>(nil)

  static var isCommit: Bool { LarderVersion.revision.map { !$0.hasSuffix("-changed") } ?? false }

  static func reading() throws(StoreError) -> String {
    let name = "larder \(LarderVersion.current) \(LarderVersion.revision ?? "")"
    let addsFormats = FormatRegistry.all.count != FormatRegistry.standard.count
    guard addsFormats || !isCommit else { return name }
    return "\(name) program \(try digest())"
  }

  static func digest() throws(StoreError) -> ContentDigest {
    if let digest = known.withLock({ $0 }) { return digest }
    let path = path
    do {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
      let digest = bytes.withUnsafeBytes { ContentDigest(ofColumn: $0) }
      known.withLock { $0 = digest }
      return digest
    } catch {
      throw .failed(path: path, action: "read the program", reason: error.localizedDescription)
    }
  }

  private static var path: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }
}
