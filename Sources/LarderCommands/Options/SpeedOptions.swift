import ArgumentParser
import Foundation

/// Options of commands that replay requests.
struct SpeedOptions: ParsableArguments {
  @Option(help: "Cells to simulate at the same time. Counts do not depend on it.")
  var threads: Int = ProcessInfo.processInfo.activeProcessorCount

  @Flag(help: "No progress and no notes on standard error.")
  var quiet = false

  func validate() throws {
    guard (1...1024).contains(threads) else {
      throw ValidationError("--threads expects a number from 1 to 1024, found \(threads)")
    }
  }
}
