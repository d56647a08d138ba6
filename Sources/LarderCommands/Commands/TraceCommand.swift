import ArgumentParser

/// `larder trace`: everything about traces that is not simulation.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Inspect, convert, generate and record traces.",
    discussion: """
      Examples:
        larder trace info OLTP.lis.zst
        larder trace head web.csv --count 5
        larder trace convert OLTP.lis.zst oltp.larder
        larder trace generate zipf:objects=100000:exponent=0.9 --requests 1000000 zipf.larder
        larder trace record --redis localhost:6379 --for 60s traffic.recorded
      """,
    subcommands: [
      TraceInfoCommand.self, TraceHeadCommand.self, TraceConvertCommand.self,
      TraceGenerateCommand.self, TraceRecordCommand.self, TraceFormatsCommand.self,
      TraceGeneratorsCommand.self,
    ])
}
