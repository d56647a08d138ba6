import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderTraces

struct RunPlan {
  let cells: [PlannedCell]
  let facts: [TraceFacts]
  let notes: [String]
  let traces: WorkloadTraces?
  let records: StoredRecords?

  func sweep(of workload: Workload, threads: Int) -> Sweep {
    var sweep = Sweep(cells: cells, traces: traces?.table ?? TraceTable(), threads: threads)
    (sweep.warmUp, sweep.repetitions) = (workload.warmUp, workload.repetitions)
    (sweep.latency, sweep.execution) = (workload.latency, workload.execution ?? ExecutionSpec())
    sweep.driver = HarnessDriver()
    sweep.store = records
    return sweep
  }

  var stored: Int { cells.count { !$0.isExecuted && records?.record(of: $0) != nil } }
}

/// Plans what a command runs, and prepares the traces that this takes: with a store, none of those
/// whose cells it has.
struct RunPlanner {
  let workload: Workload
  let store: ResultStore?
  let threads: Int
  var mustKeep = false
  let progress: ProgressLine

  /// The cells of a part, and the traces of those that are not in the store; if `isTrusted` is
  /// false, every trace is read, whatever the store knows of it.
  func plan(part: PartNumber? = nil, isTrusted: Bool = true) throws -> RunPlan {
    guard let store else {
      let traces = try prepare()
      return RunPlan(
        cells: try workload.cells(over: traces), facts: traces.facts, notes: traces.notes,
        traces: traces, records: nil)
    }
    let (known, prepared) = try traces(in: store, isTrusted: isTrusted)
    let all = try workload.cells(facts: known.facts)
    let cells = part.map { division(all, known, parts: $0.count).cells(of: $0) } ?? all
    let records = records(cells, known, store)
    tell(records, cells)
    let missing = cells.filter { $0.isExecuted || records.record(of: $0) == nil }
    var traces = prepared
    if traces == nil, !missing.isEmpty {
      let some = try prepare(
        only: known.keys(of: missing), names: known.names, shelf: store.shelf(of: known))
      guard known.agrees(with: some) else {
        progress.note(
          "a trace differs from the store's entry for its name, size and times; reading it again")
        return try plan(part: part, isTrusted: false)
      }
      traces = some
    }
    if let traces { try workload.check(missing, over: traces) }
    return RunPlan(
      cells: cells, facts: known.facts, notes: known.notes, traces: traces, records: records)
  }

  func division(_ cells: [PlannedCell], _ known: StoredTraces, parts: Int) -> PartDivision {
    PartDivision(cells, traces: known, count: parts)
  }

  func records(
    _ cells: [PlannedCell], _ known: StoredTraces, _ store: ResultStore
  ) -> StoredRecords {
    StoredRecords(
      store, cells: cells, of: workload, identities: known.identity(of:), machine: .current(),
      threads: threads, mustKeep: mustKeep)
  }

  func traces(
    in store: ResultStore, isTrusted: Bool = true
  ) throws -> (known: StoredTraces, prepared: WorkloadTraces?) {
    let stamps = try TraceStamps(of: workload)
    if isTrusted, let known = store.traces(stamps, of: workload) {
      for facts in known.facts { progress.note("\(facts.text), known from the store") }
      return (known, nil)
    }
    tell(store.takeDamages())
    let traces = try prepare()
    return (try store.remember(traces, of: workload, before: stamps), traces)
  }

  func tell(_ damages: [StoreDamage]) {
    for damage in damages { progress.note("damaged, ignored: \(damage)") }
  }

  private func tell(_ records: StoredRecords, _ cells: [PlannedCell]) {
    tell(records.damaged(in: cells))
    for (_, files) in records.conflicts(in: cells) {
      progress.note("records of one cell differ, ignored: \(files.joined(separator: ", "))")
    }
  }

  func prepare(
    only keys: Set<TraceKey>? = nil, names: [TraceKey: String] = [:],
    shelf: StoredShelf? = nil
  ) throws -> WorkloadTraces {
    try progress.prepare(
      workload, title: "Preparing \(workload.name)", only: keys, names: names, shelf: shelf)
  }
}

/// Plans that say the file and the line of a fault, where one is known.
extension Workload {
  private func explained<Result>(
    _ body: () throws(PlanError) -> Result
  ) throws(UsageError) -> Result {
    do throws(PlanError) {
      return try body()
    } catch {
      throw UsageError(message(for: error))
    }
  }

  func cells(facts: [TraceFacts]) throws(UsageError) -> [PlannedCell] {
    try explained { () throws(PlanError) in try Plan.cells(of: self, facts: facts) }
  }

  func check(_ cells: [PlannedCell], over traces: WorkloadTraces) throws(UsageError) {
    try explained { () throws(PlanError) in try Plan.check(cells, of: self, over: traces.table) }
  }

  func cells(over traces: WorkloadTraces) throws(UsageError) -> [PlannedCell] {
    let cells = try cells(facts: traces.facts)
    try check(cells, over: traces)
    return cells
  }
}
