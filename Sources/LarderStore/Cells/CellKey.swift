import LarderEngine
import LarderSimulation
import LarderWorkloads

/// Everything that the counts of a simulated cell depend on, but for the rules of the engine; and
/// nothing else, so that workloads with cells in common share their results.
///
///     larder cell 1
///     trace 20000 requests, 500 objects, ids 3f2a...
///     counting from request 0
///     unit objects, seed 1
///     memory s3-fifo:small=0.1, capacity 100
///     no latency
///
/// Names of workloads, configurations and traces are not part of it, nor how a capacity was
/// written, how often a cell is timed, and columns of the trace that the cell does not read.
package struct CellKey: Hashable, Sendable {
  /// The description, which a record repeats.
  package let text: String
  /// Its SHA-256.
  package let digest: ContentDigest

  /// The key of a description.
  package init(text: String) {
    self.text = text
    digest = ContentDigest(of: text)
  }

  /// The key of a cell.
  ///
  /// - Parameters:
  ///   - trace: The content of the cell's trace.
  ///   - warmUp: What is not counted.
  ///   - latency: The model of access times, which records are part of; nil for none.
  package init(
    _ planned: PlannedCell, over trace: TraceIdentity, warmUp: WarmUp, latency: LatencyModel?
  ) {
    let setup = planned.setup
    let reads = TraceIdentity.Reading(
      setup, hasLatency: latency != nil, hasPrompts: planned.prefix != nil,
      countsTime: planned.countsTime)
    var lines = ["larder cell 1", "trace \(trace.text(reading: reads))"]
    // A share of the requests and that number of them are the same.
    lines.append(
      warmUp.requests(of: UInt64(trace.requests)).map { "counting from request \($0)" }
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

  /// A policy with its parameters in alphabetical order, in the words of the user. Another library
  /// trains other models, so a learned policy names its own.
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
