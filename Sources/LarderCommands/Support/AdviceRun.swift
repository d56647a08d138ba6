import Foundation
import LarderAdvice
import LarderReports
import LarderTraces
import LarderWorkloads

/// Makes advice for traces that are prepared, and writes it.
struct AdviceRun {
  /// What is asked for.
  let settings: AdviceSettings
  let progress: ProgressLine

  /// The settings of a workload file.
  ///
  /// - Throws: `AdviceError` or an error of the file with prices.
  static func settings(of spec: AdviseSpec, in workload: Workload, threads: Int) throws
    -> AdviceSettings
  {
    var settings = AdviceSettings(
      spec, unit: workload.unit, seed: workload.seeds.first ?? 1, threads: threads)
    settings.prefix = workload.prefix?.order
    if let prices = spec.prices {
      let path = workload.path(of: TraceReference(path: prices))
      settings.prices = try Prices(yaml: try InputFile.bytes(path), file: path)
    }
    return settings
  }

  /// The advice for a trace that results know by `name`.
  ///
  /// - Throws: `AdviceError`; `Interrupted` when the user stopped it.
  func advice(for trace: PreparedTrace, named name: String) throws -> Advice {
    let start = ContinuousClock.now
    var advisor = try Advisor(
      trace: trace, settings: settings, cancellation: Interrupts.cancellation)
    advisor.began = { [progress] title, requests in progress.begin(title, total: requests) }
    advisor.replayed = { [progress] in progress.advance($0) }
    do {
      var advice = try advisor.make()
      advice.trace.name = name
      progress.end(
        "\(advice.candidates) designs at \(advice.capacities.count) "
          + "\(advice.capacities.count == 1 ? "capacity" : "capacities") in "
          + SecondsText.since(start))
      return advice
    } catch AdviceError.cancelled {
      throw Interrupted(description: "stopped; no advice was written")
    }
  }

  /// The advice for each trace of a workload, for the first seed of a generator's.
  func advice(for traces: WorkloadTraces) throws -> [Advice] {
    var seen: Set<String> = []
    return try traces.facts.filter { seen.insert($0.name).inserted }.compactMap { facts in
      try traces.table[facts.name, facts.seed].map { try advice(for: $0, named: facts.name) }
    }
  }

  /// Writes advice.html, advice.md with its charts, and advice.json, or what `formats` has of it;
  /// into a folder for each trace where it is one of several.
  func write(_ advice: Advice, into folder: String, isOneOfSeveral: Bool) throws {
    let own = isOneOfSeveral ? "\(folder)/\(RunDirectory.safe(advice.trace.name))" : folder
    try ReportWriter(directory: own, formats: []).write(try AdviceReport.files(of: advice))
    progress.note("\(own)/advice.html, advice.md and advice.json")
  }

  /// Prints a screen, with the trace's name if it is one of several.
  func print(_ advice: Advice, isOneOfSeveral: Bool) {
    if isOneOfSeveral { Output.line("\(NoteText.line(advice.trace.name))\n") }
    Output.text(AdviceText.text(of: advice, width: Output.pictureTerminal.width))
    if isOneOfSeveral { Output.line("") }
  }
}
