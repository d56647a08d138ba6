import LarderEngine
import LarderExperiments
import LarderSupport
import LarderTraces

/// Reading and running with progress, stopped by Ctrl-C.
extension ProgressLine {
  /// Shows requests that were read, and throws once Ctrl-C was pressed. Of a file it shows how much
  /// is left.
  func reading(
    _ source: FileSource? = nil, orStop text: String = "stopped; nothing was written"
  ) -> PreparedTrace.Progress {
    { requests in
      if Interrupts.cancellation.isRequested { throw Interrupted(description: text) }
      self.set(requests, share: source?.shareRead)
    }
  }

  /// The traces of a workload.
  func prepare(
    _ workload: Workload, title: String, only keys: Set<TraceKey>? = nil,
    names: [TraceKey: String] = [:], shelf: StoredShelf? = nil, taken: Set<String> = []
  ) throws -> WorkloadTraces {
    begin(title)
    let read = reading(orStop: "stopped before any cell was run; nothing was written")
    let traces = try WorkloadTraces.prepare(
      workload, taken: taken, only: keys, names: names, shelf: shelf
    ) { try read($1) }
    for facts in traces.facts { end(facts.text) }
    return traces
  }

  /// A trace, with the columns that `keeping` keeps.
  func load(
    _ reference: TraceReference, keeping: (TraceColumns) -> TraceColumns = { $0 }
  ) throws -> PreparedTrace {
    let source = try FileSource(reference)
    begin("Reading \(source.name)")
    let trace = try PreparedTrace.load(source, keeping: keeping, progress: reading(source))
    end("\(trace.name): \(trace.requests.count) requests, \(trace.requests.objects) objects")
    for text in trace.notes { note(text) }
    return trace
  }

  /// The records of a sweep; fewer than its cells if it was interrupted. `end` is the last line for
  /// a complete one.
  func run(
    _ sweep: Sweep, finished: (@Sendable (() -> [Record]) throws -> Void)? = nil,
    end text: ([Record]) -> String = { NumberText.counted($0.count, "cell") }
  ) throws -> [Record] {
    begin(
      "Running \(NumberText.counted(sweep.cells.count, "cell"))", total: sweep.totalRequests)
    let start = ContinuousClock.now
    var observer = Sweep.Observer(
      began: { self.retitle($0.description) }, replayed: { self.advance($0) })
    if let finished { observer.finished = finished }
    let records = try sweep.run(cancellation: Interrupts.cancellation, observer: observer)
    end("\(text(records)) in \(SecondsText.since(start))")
    return records
  }
}

extension TraceFacts {
  var text: String {
    "\(name)\(seed.map { ", seed \($0)" } ?? ""): \(requests) requests, \(objects) objects"
  }
}
