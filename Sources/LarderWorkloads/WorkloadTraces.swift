import LarderEngine
import LarderTraces

/// The traces of a workload, prepared: one for each seed, or a single one where the seed changes
/// nothing.
package struct WorkloadTraces: Sendable {
  /// By seed; under nil the one that serves all.
  package let bySeed: [UInt64?: PreparedTrace]
  /// What reports say of them, in the order of the seeds.
  package let facts: [TraceFacts]

  /// Reads or generates everything.
  ///
  /// - Parameters:
  ///   - seeds: of which seeds to prepare the trace, nil standing for a file; nil for all.
  ///   - shelf: where traces that were prepared before are found.
  ///   - progress: told the seed (nil for a file) and the requests so far, every million.
  /// - Throws: `TraceError` and `ComponentError` from the sources; whatever `progress` throws.
  package static func prepare(
    _ workload: Workload, only seeds: Set<UInt64?>? = nil, shelf: (any TraceShelf)? = nil,
    progress: @escaping (_ seed: UInt64?, _ requests: Int) throws -> Void = { _, _ in }
  ) throws -> WorkloadTraces {
    let needsNextUse = workload.usesNextUse
    var bySeed: [UInt64?: PreparedTrace] = [:]
    var facts: [TraceFacts] = []
    for seed in workload.traceSeeds where seeds?.contains(seed) ?? true {
      var trace =
        try shelf?.trace(seed: seed) ?? open(workload, seed: seed) { try progress(seed, $0) }
      if needsNextUse { trace = try trace.withNextUses() }
      bySeed[seed] = trace
      facts.append(TraceFacts(trace, seed: seed))
    }
    return WorkloadTraces(bySeed: bySeed, facts: facts)
  }

  private static func open(
    _ workload: Workload, seed: UInt64?, progress: @escaping PreparedTrace.Progress
  ) throws -> PreparedTrace {
    if case .trace(let reference) = workload.source {
      return try PreparedTrace.load(
        workload.resolved(reference), keeping: workload.neededColumns, progress: progress)
    }
    let source = try workload.source.makeSource(seed: seed ?? 0) { reference in
      try FileSource(workload.resolved(reference))
    }
    let trace = try PreparedTrace.prepare(
      source: source, name: workload.source.displayName, keeping: workload.neededColumns,
      progress: progress)
    if trace.requests.count == 0 {
      throw TraceError("has no requests", in: trace.name, advice: "a workload needs at least one")
    }
    return trace
  }
}

extension TraceFacts {
  /// The facts of a prepared trace.
  package init(_ trace: PreparedTrace, seed: UInt64? = nil) {
    self.init(
      name: trace.name, seed: seed, requests: UInt64(trace.requests.count),
      objects: UInt64(trace.requests.objects),
      footprintBytes: trace.hasSizes ? trace.footprintBytes : nil)
  }
}

/// Where traces that were prepared before are found again.
package protocol TraceShelf: Sendable {
  /// The trace of a seed, nil under which a file is; nil where it is not there. It may lack the
  /// remarks of its reading, and has no next uses.
  func trace(seed: UInt64?) throws -> PreparedTrace?
}

extension Workload {
  /// The seeds of the traces, each once; nil for the one of a file.
  package var traceSeeds: [UInt64?] {
    guard sourceDependsOnSeed else { return [nil] }
    var seen: Set<UInt64> = []
    return seeds.filter { seen.insert($0).inserted }
  }

  /// A reference whose paths are relative to nothing but the working directory.
  package func resolved(_ reference: TraceReference) -> TraceReference {
    var resolved = reference
    resolved.path = path(of: reference)
    resolved.morePaths = reference.morePaths?.map { path(of: TraceReference(path: $0)) }
    return resolved
  }

  /// What running the workload reads of the columns there are: times only where something expires
  /// or requests are made at them, sizes only where bytes count or values are stored.
  package func neededColumns(of available: TraceColumns) -> TraceColumns {
    var needed = available
    let tiersExpire = configurations.contains {
      $0.memory.timeToLiveSeconds != nil || $0.disk.timeToLiveSeconds != nil
    }
    let isExecuted = modes.contains(.execute)
    var followsTimes = false
    if isExecuted, case .trace = execution?.load { followsTimes = true }
    if !tiersExpire, !followsTimes, !available.contains(.ttl) { needed.remove(.time) }
    if unit == .objects, latency == nil, !isExecuted { needed.remove(.size) }
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
    let traces = bySeed.sorted { ($0.key ?? 0) < ($1.key ?? 0) }.map(\.value)
    return traces.flatMap { trace in trace.notes.map { "\(trace.name): \($0)" } }
  }
}

extension SourceSpec {
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
