import ArgumentParser
import Foundation
import LarderSystem

/// The command. `run` is our own, so that exit codes are those the README promises.
struct LarderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "larder",
    abstract: "Simulate, compare and check caches.",
    discussion: """
      Examples:
        larder run Workloads/news-feed.yaml
        larder run Workloads/news-feed.yaml --store /shared/store --part 3/10
        larder merge Workloads/news-feed.yaml --store /shared/store
        larder simulate trace.csv --policy lru,sieve,s3-fifo --capacity 1%,10%
        larder mrc trace.csv --policy lru,s3-fifo
        larder advise trace.csv
        larder tune trace.csv --policy s4-fifo --capacity 1%
        larder trace info trace.csv
        larder policies
        larder admissions
        larder caches

      Exit codes:
        0 done; 1 a check failed; 2 the request was wrong; 3 timing inconclusive (--strict);
        130 stopped by Ctrl-C; others: a fault in larder
      """,
    version:
      "larder \(LarderVersion.current) (\(LarderVersion.revision ?? "commit not known"), "
      + "\(LarderVersion.build) build)",
    subcommands: [
      RunCommand.self, PlanCommand.self, MergeCommand.self, StoreCommand.self,
      SimulateCommand.self, MRCCommand.self, AdviseCommand.self,
      TuneCommand.self, TraceCommand.self,
      PoliciesCommand.self, AdmissionsCommand.self, CachesCommand.self, CheckCommand.self,
      CompareCommand.self, ReportCommand.self, IndexCommand.self, TimeWorkerCommand.self,
      AdviseRegretCommand.self,
    ])

  /// Does what the process was asked, and exits.
  static func runAndExit() -> Never {
    var code: Int32 = 0
    MappingFaults.listen()
    do {
      if CommandLine.arguments.dropFirst().contains("") {
        throw UsageError("an argument is empty; is a shell variable unset?")
      }
      var command = try parseAsRoot()
      try command.run()
    } catch {
      code = Failure(error, parser: LarderCommand.self).report()
    }
    let reason = Output.finish()
    if reason != 0 {
      Notes.line("larder: cannot write standard output: \(String(cString: strerror(reason)))")
      code = 2
    }
    Foundation.exit(code)
  }
}
