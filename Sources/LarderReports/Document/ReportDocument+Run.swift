import LarderSimulation
import LarderSystem
import LarderWorkloads

extension ReportDocument {
  /// What was run and how to run it again.
  static func run(_ results: RunResults) -> [Block] {
    var blocks: [Block] = [
      .code(results.command)
    ]
    var facts: [[Inline]] = [
      [.text("Started \(results.started), finished \(orUnknown(results.finished)).")],
      [
        .text(
          "Cells: \(results.records.count) of \(results.plannedCells) planned"
            + (executedCells(results).map { "; \($0)." } ?? "."))
      ],
      [.text("Warm-up: \(results.warmUp)")],
    ]
    if let model = results.latencyModel {
      facts.append([
        .text("Access times are computed from this latency model, not measured: \(model)")
      ])
    }
    facts += [
      [.text("Machine: \(results.machine.summary). Threads of the sweep: \(results.threads).")],
      [
        .text("larder \(results.machine.larder), Swift \(results.machine.swiftVersion), "),
        .text("\(results.machine.build) build."),
      ],
    ]
    blocks.append(.list(facts))
    if !results.traces.isEmpty { blocks.append(.table(traces(results.traces))) }
    if !results.notes.isEmpty {
      blocks += [.heading(3, ["Remarks"]), .list(results.notes.map { [.text($0)] })]
    }
    blocks.append(
      .paragraph([
        "The data of this report is in ", .code("counts.csv"),
        " (the same in every run), ", .code("timings.csv"), " (measured) and ",
        .code("results.json"), " (everything).",
      ]))
    return blocks
  }

  /// How many cells were executed; nil where none was to be.
  static func executedCells(_ results: RunResults) -> String? {
    results.execution.map { execution in
      let done = results.records.count { !($0.executions ?? []).isEmpty }
      return "\(done) of \(execution.cells) executed"
    }
  }

  private static func orUnknown(_ text: String) -> String { text.isEmpty ? "not yet" : text }

  private static func traces(_ traces: [TraceFacts]) -> Table {
    var table = Table(titles: ["trace", "seed", "requests", "objects", "footprint"])
    for trace in traces {
      table.rows.append([
        .text(trace.name),
        trace.seed.map { .text(String($0)) } ?? Table.none,
        .text(NumberText.grouped(trace.requests)),
        .text(NumberText.grouped(trace.objects)),
        trace.footprintBytes.map { .text(NumberText.bytes($0)) } ?? Table.none,
      ])
    }
    return table
  }
}
