import ArgumentParser
import Foundation

/// Options of commands that replay requests.
struct SpeedOptions: ParsableArguments {
  @Option(
    help: """
      Number of cells to simulate at the same time, and of threads that prepare large binary \
      traces. Does not affect counts.
      """)
  var threads: Int = ProcessInfo.processInfo.activeProcessorCount

  @Flag(help: "Do not print progress and notes on standard error.")
  var quiet = false

  func validate() throws {
    guard (1...1024).contains(threads) else {
      throw ValidationError("--threads expects a number from 1 to 1024, found \(threads)")
    }
  }
}
