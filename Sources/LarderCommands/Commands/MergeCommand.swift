import ArgumentParser
import Foundation
import LarderReports
import LarderSimulation
import LarderStore
import LarderSystem
import LarderWorkloads

/// `larder merge`: the results of a workload whose parts are all in a store.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Write the results of a workload that was run in parts.",
    discussion: """
      Computes nothing: takes every cell from the store and writes what 'larder run' writes. The \
      counts and what the report says of them are the same, byte for byte; timings keep the \
      machine on which they were measured.

      Exits with 1 and lists the cells if some are missing, if two records of a cell differ, or if \
      they were counted under other rules, by a larder that counts differently.

      Examples:
        larder merge Workloads/zipf.yaml --store /shared/store --output /tmp/zipf
        larder merge Workloads/zipf.yaml --store /shared/store

      docs/clusters.md explains how a workload is run on many machines.
      """)

  @Argument(help: "The workload file (YAML; see docs/workloads.md).", completion: .file())
  var workload: String

  @OptionGroup var store: RequiredStoreOption

  @Option(
    help: "Folder for the files. By default Results/<workload>/<date-time>.",
    completion: .directory)
  var output: String?

  @Flag(help: "Do not print progress and notes on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    let workload = try WorkloadDecoder().decode(contentsOf: self.workload)
    try PartRun.check(workload, self.workload)
    let formats = try workload.reports.map { try ReportRegistry.format(named: $0.rawValue) }
    let progress = ProgressLine(isQuiet: quiet)
    let merging = Merging(
      file: self.workload, workload: workload, store: try store.open(makes: false),
      progress: progress)
    let results = try merging.results()
    let standard = RunDirectory.standard(workload: workload.name)
    let directory = output ?? RunDirectory.claim(standard)
    let writer = ReportWriter(directory: directory, formats: formats)
    try writer.prepare()
    try writer.write(results)
    Output.text(ComparisonTable.text(of: results, colour: Output.usesColour))
    Output.flush()
    progress.end("\(NumberText.counted(results.records.count, "cell")) from \(merging.store.path)")
    for format in formats { progress.note("\(directory)/\(format.fileName)") }
  }
}
