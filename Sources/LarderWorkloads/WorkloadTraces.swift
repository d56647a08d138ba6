import LarderEngine
import LarderTraces

/// The traces of a workload, prepared: of each source one for each seed, or a single one where the
/// seed changes nothing.
package struct WorkloadTraces: Sendable {
  /// The traces, by the names in `facts`.
  package private(set) var table = TraceTable()
  /// What reports say of them, in the order of the sources and of the seeds.
  package private(set) var facts: [TraceFacts] = []

  /// Reads or generates everything.
  ///
  /// - Parameters:
  ///   - taken: names that other traces of the same results have: results know traces by name.
  ///   - progress: told the seed (nil for a file) and the requests so far, every million.
  /// - Throws: `TraceError` and `ComponentError` from the sources; whatever `progress` throws.
  package static func prepare(
    _ workload: Workload, taken: Set<String> = [],
    progress: @escaping (_ seed: UInt64?, _ requests: Int) throws -> Void = { _, _ in }
  ) throws -> WorkloadTraces {
    let needsNextUse = workload.usesNextUse
    var traces = WorkloadTraces()
    var taken = taken
    for source in workload.sources {
      var seen: Set<UInt64?> = []
      var names: Set<String> = []
      let seeds: [UInt64?] = source.dependsOnSeed ? workload.seeds : [nil]
      for seed in seeds where seen.insert(seed).inserted {
        var trace = try open(source, of: workload, seed: seed) { try progress(seed, $0) }
        if needsNextUse { trace = try trace.withNextUses() }
        let name = TraceNames.distinct(trace.name, path: source.path ?? trace.name, taken: taken)
        names.insert(name)
        traces.table.add(trace, named: name, seed: seed)
        traces.facts.append(TraceFacts(trace, named: name, seed: seed))
      }
      taken.formUnion(names)
    }
    return traces
  }

  private static func open(
    _ source: SourceSpec, of workload: Workload, seed: UInt64?,
    progress: @escaping PreparedTrace.Progress
  ) throws -> PreparedTrace {
    if case .trace(let reference) = source {
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
  /// The facts of a prepared trace; of a sample, those of all the traffic.
  package init(_ trace: PreparedTrace, named name: String? = nil, seed: UInt64? = nil) {
    let sampling = trace.sampling
    self.init(
      name: name ?? trace.name, seed: seed,
      requests: sampling.represented(UInt64(trace.requests.count)),
      objects: sampling.represented(UInt64(trace.requests.objects)),
      footprintBytes: trace.hasSizes ? sampling.represented(trace.footprintBytes) : nil)
    samplingRate = sampling.isPart ? sampling.rate : nil
  }
}

extension Workload {
  /// A reference whose paths are relative to nothing but the working directory.
  func resolved(_ reference: TraceReference) -> TraceReference {
    var resolved = reference
    resolved.path = path(of: reference)
    resolved.morePaths = reference.morePaths?.map { path(of: TraceReference(path: $0)) }
    return resolved
  }

  /// What running the workload reads of the columns there are: times only where something expires
  /// or requests are made at them, sizes only where bytes count or values are stored.
  func neededColumns(of available: TraceColumns) -> TraceColumns {
    // Advice looks at everything.
    if advise != nil { return available }
    var needed = available
    let tiersExpire = configurations.contains {
      $0.memory.timeToLiveSeconds != nil || $0.disk.timeToLiveSeconds != nil
    }
    let isExecuted = modes.contains(.execute)
    var followsTimes = false
    if isExecuted, case .trace = execution?.load { followsTimes = true }
    let takesTime = configurations.contains { $0.time?.clock == .trace }
    let transfers = configurations.contains { $0.time?.bytesPerSecond != nil }
    if !tiersExpire, !followsTimes, !takesTime, !available.contains(.ttl) { needed.remove(.time) }
    if unit == .objects, latency == nil, !isExecuted, !transfers { needed.remove(.size) }
    return needed
  }

  /// Whether any policy of the workload must know the future.
  var usesNextUse: Bool {
    let named = configurations.flatMap { [$0.memory.policy, $0.disk.policy] }.compactMap { $0 }
    return (policies + named).contains { spec in
      (try? PolicyRegistry.policy(named: spec))?.description.needs.contains(.nextUse) ?? false
    }
  }
}

extension WorkloadTraces {
  /// What a reader of the results must know of the traces.
  package var notes: [String] {
    facts.flatMap { facts in
      (table[facts.name, facts.seed]?.notes ?? []).map { "\(facts.name): \($0)" }
    }
  }
}

extension SourceSpec {
  /// The path of a trace file, the first of several; nil for anything else.
  fileprivate var path: String? {
    guard case .trace(let reference) = self else { return nil }
    return reference.path
  }

  /// A short name for results: the file's, or the generators'.
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
