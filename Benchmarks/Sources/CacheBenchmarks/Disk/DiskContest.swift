import ArgumentParser
import Foundation

/// `cache-benchmarks disk`: the disk cache, SQLite's C API and plain files, in turns.
struct DiskContest: ParsableCommand {
  /// What is measured, each on its own.
  enum Part: String, CaseIterable, ExpressibleByArgument {
    case small, large, written, opening, threads
  }

  static let configuration = CommandConfiguration(
    commandName: "disk", abstract: "A disk cache, SQLite and plain files.",
    discussion: """
      The page cache is warm, and one thread works but in 'threads'. FOLDER is filled and left \
      as it is: deleting much between runs makes new files slow for minutes.

      Examples:
        cache-benchmarks disk /var/tmp/bench
        cache-benchmarks disk /var/tmp/bench --rounds 100 small large
      """)

  @Argument(help: "A folder on the file system to measure.")
  var folder: String
  @Argument(help: "Parts to measure; all unless named.")
  var parts: [Part] = []
  @Option(help: "Number of rounds.")
  var rounds = 40

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be above 0") }
  }

  func run() throws {
    let bench = try Workbench(folder: folder + "/run-\(UUID().uuidString)")
    for part in Part.allCases where parts.isEmpty || parts.contains(part) {
      for line in try measure(part, bench) { print(line) }
    }
  }

  private func measure(_ part: Part, _ bench: Workbench) throws -> [String] {
    switch part {
    case .small: try bench.measureSmall(rounds: rounds)
    case .large: try bench.measureLarge(rounds: rounds)
    case .written: try bench.measureWriteAmplification(rounds: rounds)
    case .opening: try bench.measureOpening()
    case .threads: try bench.measureThreads(rounds: rounds)
    }
  }
}
