import ArgumentParser
import LarderExperiments
import LarderHarness

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure the memory that a server takes, for its simulation.",
    discussion: """
      Starts the server found on PATH, stores values of two sizes, and prints what they take by \
      its own statistics, what a simulation assumes, and a workload's line that simulates it.

      Example:
        larder calibrate redis
      """)

  @Argument(help: "The server.")
  var server: CacheServer

  func run() throws { for line in try ServerCalibration(server).lines { Output.line(line) } }
}

extension CacheServer: ExpressibleByArgument {}
