import LarderEngine
import LarderPolicies
import LarderTraces

/// Prepared traces of a workload: one per source and seed, or a single one if the seed has no
/// effect.
package struct WorkloadTraces: Sendable {
  package private(set) var table = TraceTable()
  package private(set) var facts: [TraceFacts] = []

  /// Reads or generates the traces: all, or `only` some. Names in results differ from those `taken`
  /// by other traces; `progress` is called every million requests, without a seed for a file.
  package static func prepare(
    _ workload: Workload, taken: Set<String> = [], only keys: Set<TraceKey>? = nil,
    names: [TraceKey: String] = [:], shelf: StoredShelf? = nil,
    progress: @escaping (_ seed: UInt64?, _ requests: Int) throws -> Void = { _, _ in }
  ) throws -> WorkloadTraces {
    let needsNextUse = workload.usesNextUse
    var traces = WorkloadTraces()
    // The traces of a source, one per seed, share one name.
    var owners: [String: Int] = Dictionary(taken.map { ($0, -1) }) { first, _ in first }
    for key in workload.traceKeys where keys?.contains(key) ?? true {
      let source = workload.sources[key.source]
      var trace =
        try shelf?.trace(key)
        ?? open(source, of: workload, seed: key.seed) { try progress(key.seed, $0) }
      if needsNextUse { trace = try trace.withNextUses() }
      let others = Set(owners.filter { $0.value != key.source }.map(\.key))
      let name =
        names[key]
        ?? TraceNames.distinct(trace.name, path: source.path ?? trace.name, taken: others)
      owners[name] = key.source
      traces.table.add(trace, named: name, seed: key.seed)
      traces.facts.append(TraceFacts(trace, named: name, seed: key.seed))
    }
    return traces
  }

  private static func open(
    _ source: SourceSpec, of workload: Workload, seed: UInt64?,
    progress: @escaping PreparedTrace.Progress
  ) throws -> PreparedTrace {
    if case .trace(let reference) = source, reference.sizes == nil {
      return try PreparedTrace.load(
        workload.resolved(reference), keeping: workload.neededColumns, progress: progress)
    }
    let records = try source.makeSource(seed: seed ?? 0) { reference in
      try FileSource(workload.resolved(reference))
    }
    let trace = try PreparedTrace.prepare(
      source: records, name: source.displayName, keeping: workload.neededColumns,
      progress: progress)
    if trace.requests.count == 0 {
      throw TraceError("has no requests", in: trace.name, advice: "a workload needs at least one")
    }
    return trace
  }
}

extension TraceFacts {
  package init(_ trace: PreparedTrace, named name: String? = nil, seed: UInt64? = nil) {
    let sampling = trace.sampling
    self.init(
      name: name ?? trace.name, seed: seed,
      requests: sampling.represented(UInt64(trace.requests.count)),
      objects: sampling.represented(UInt64(trace.requests.objects)),
      footprintBytes: trace.hasSizes ? sampling.represented(trace.footprintBytes) : nil)
    samplingRate = sampling.isPart ? sampling.rate : nil
    if trace.storableObjects < trace.requests.objects {
      storableObjects = sampling.represented(UInt64(trace.storableObjects))
    }
  }
}

extension Workload {
  package func resolved(_ reference: TraceReference) -> TraceReference {
    var resolved = reference
    resolved.path = path(of: reference)
    resolved.morePaths = reference.morePaths?.map { path(of: TraceReference(path: $0)) }
    return resolved
  }

  package func neededColumns(of available: TraceColumns) -> TraceColumns {
    // Advice reads all columns.
    if advise != nil { return available }
    var needed = available
    let tiersExpire = configurations.contains {
      $0.memory.timeToLiveSeconds != nil || $0.disk.timeToLiveSeconds != nil
    }
    let isExecuted = modes.contains(.execute)
    var followsTimes = usesPolicy { $0.followsTime }
    if isExecuted, case .trace = execution?.load { followsTimes = true }
    let takesTime = configurations.contains { $0.time?.clock == .trace }
    let transfers = configurations.contains { $0.time?.bytesPerSecond != nil }
    if !tiersExpire, !followsTimes, !takesTime, !available.contains(.ttl),
      !configurations.contains(where: countsTime)
    {
      needed.remove(.time)
    }
    if !configurations.contains(where: { $0.prefix != nil }) { needed.remove(.prompt) }
    if unit == .objects, latency == nil, !isExecuted, !transfers { needed.remove(.size) }
    return needed
  }

  /// True if bytes written are reported by time: a life of the drive, or a limit of a day.
  func countsTime(of configuration: ConfigurationSpec) -> Bool {
    configuration.drive?.enduranceBytes != nil
      || configuration.kind != .memory
        && requirements.contains { $0.limits.contains { $0.figure == .bytesWrittenPerDay } }
  }

  var usesNextUse: Bool { usesPolicy { $0.description.needs.contains(.nextUse) } }

  private func usesPolicy(_ condition: (RegisteredPolicy) -> Bool) -> Bool {
    let named = configurations.flatMap { [$0.memory.policy, $0.disk.policy] }.compactMap { $0 }
    return (policies + named).contains { spec in
      PolicyRegistry.registered(spec.name).map(condition) ?? false
    }
  }
}

extension WorkloadTraces {
  package var notes: [String] {
    facts.flatMap { facts in
      (table[facts.name, facts.seed]?.notes ?? []).map { "\(facts.name): \($0)" }
    }
  }
}

extension SourceSpec {
  fileprivate var path: String? {
    guard case .trace(let reference) = self else { return nil }
    return reference.path
  }

  package var displayName: String {
    switch self {
    case .trace(let reference):
      return reference.path.split(separator: "/").last.map(String.init) ?? reference.path
    case .generator(let spec): return spec.component.name
    case .phases(let parts, _): return parts.map(\.displayName).joined(separator: ", then ")
    case .mix(let parts, _, _): return parts.map(\.source.displayName).joined(separator: " with ")
    }
  }
}

/// Facts about a trace, for reports.
public struct TraceFacts: Sendable, Hashable, Codable {
  /// Name of the trace or generator.
  public var name: String
  /// Seed of the generator, nil for a file.
  public var seed: UInt64?
  /// Number of requests of all operations, in all the traffic.
  public var requests: UInt64
  /// Number of distinct objects, in all the traffic.
  public var objects: UInt64
  /// Total size of the objects that a cache may store; nil if the trace has no sizes.
  public var footprintBytes: UInt64?
  /// Share of the objects that the trace has, from which the other figures are estimated; nil for
  /// all.
  public var samplingRate: Double?
  /// Number of distinct objects that a cache may store; nil for all.
  public var storableObjects: UInt64?

  package init(
    name: String, seed: UInt64? = nil, requests: UInt64, objects: UInt64, footprintBytes: UInt64?
  ) {
    self.name = name
    self.seed = seed
    self.requests = requests
    self.objects = objects
    self.footprintBytes = footprintBytes
  }
}

/// Identifies a trace of a workload before it is read: its source and its seed.
package struct TraceKey: Hashable, Sendable {
  package var source = 0
  package var seed: UInt64?
}

extension Workload {
  package var traceKeys: [TraceKey] {
    sources.enumerated().flatMap { place, source -> [TraceKey] in
      guard source.dependsOnSeed else { return [TraceKey(source: place, seed: nil)] }
      var seen: Set<UInt64> = []
      return seeds.filter { seen.insert($0).inserted }.map { TraceKey(source: place, seed: $0) }
    }
  }
}

package struct TraceTable: Sendable {
  package private(set) var all: [PreparedTrace] = []
  private var places: [Key: Int] = [:]

  private struct Key: Hashable {
    var name: String
    var seed: UInt64?
  }

  package init() {}

  package init(_ trace: PreparedTrace) { add(trace, named: trace.name, seed: nil) }

  package mutating func add(_ trace: PreparedTrace, named name: String, seed: UInt64?) {
    places[Key(name: name, seed: seed)] = all.count
    all.append(trace)
  }

  package subscript(name: String, seed: UInt64?) -> PreparedTrace? {
    let place = places[Key(name: name, seed: seed)] ?? places[Key(name: name, seed: nil)]
    return place.map { all[$0] }
  }

  package subscript(cell: Cell) -> PreparedTrace? { self[cell.trace, cell.seed] }
}

/// Unique names of traces in results, which identify traces by name.
package enum TraceNames {
  package static func distinct(_ name: String, path: String, taken: Set<String>) -> String {
    var distinct = name
    var number = 1
    while taken.contains(distinct) {
      distinct = number == 1 ? path : "\(name) (\(number))"
      number += 1
    }
    return distinct
  }
}

extension TraceSampling {
  package func scaled(_ tier: TierSetup) throws(PolicyError) -> TierSetup {
    var tier = tier
    tier.policy = try tier.policy.scaled(by: rate)
    if isPart, let filter = tier.admission {
      let parameters = AdmissionRegistry.description(of: filter)?.parameters ?? []
      tier.admission = try filter.scaled(by: rate, parameters) { spec throws(PolicyError) in
        try AdmissionRegistry.validate(spec)
      }
    }
    tier.capacity = scaled(tier.capacity)
    tier.objectsMax = tier.objectsMax.map { scaled($0) }
    return tier
  }

  package func scaled(_ arrangement: Arrangement) throws(PolicyError) -> Arrangement {
    switch arrangement {
    case .memory(let tier): .memory(try scaled(tier))
    case .disk(let tier): .disk(try scaled(tier))
    case .hybrid(let memory, let disk, let rules):
      .hybrid(memory: try scaled(memory), disk: try scaled(disk), rules: rules)
    }
  }
}

extension TraceFacts {
  package var sampling: TraceSampling { TraceSampling(rate: samplingRate ?? 1) }

  package static func changes(from before: [TraceFacts], to after: [TraceFacts]) -> [String] {
    func described(_ facts: TraceFacts) -> String {
      "\(facts.requests) requests, \(facts.objects) objects"
        + (facts.footprintBytes.map { ", \($0) bytes" } ?? "")
    }
    return after.compactMap { facts in
      let title = facts.name + (facts.seed.map { ", seed \($0)" } ?? "")
      let same = before.filter { $0.seed == facts.seed }
      let old = same.first { $0.name == facts.name } ?? (same.count == 1 ? same[0] : nil)
      guard let old, old != facts else { return nil }
      let was = old.name == facts.name ? "" : "\(old.name), "
      return "\(title): was \(was)\(described(old)); is \(described(facts))"
    }
  }
}
