import Foundation

/// Rounds in one child process. Each ends with a line: `ok ROUND NAME=COUNT ...` or `fail ROUND
/// MESSAGE`. A round without one has crashed, or hangs.
enum Batch {
  static func run(_ scenario: any Scenario.Type, _ rounds: Range<Int>, seed: UInt64) -> Int32 {
    for round in rounds {
      var random = Random(seed: seed, round: round)
      var counts: Counts = [:]
      do {
        try scenario.round(&random, &counts)
        let words = counts.sorted { $0.key < $1.key }
          .map { "\($0.key.replacingOccurrences(of: " ", with: "_"))=\($0.value)" }
        say("ok \(round) \(words.joined(separator: " "))")
      } catch {
        say("fail \(round) \("\(error)".replacingOccurrences(of: "\n", with: " "))")
        return 1
      }
    }
    return 0
  }
}
