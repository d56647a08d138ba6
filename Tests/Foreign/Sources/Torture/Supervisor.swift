import Foundation

/// Runs rounds in child processes, so that crashes and hangs are detected, and reports the result.
struct Supervisor {
  private static let batchRounds = 25
  /// Time limit in seconds after which a round counts as hanging.
  private static let hangSeconds = 60.0

  let scenario: any Scenario.Type
  let options: Options

  /// Returns true if no round failed.
  func run() -> Bool {
    let start = Date()
    var totals: Counts = [:]
    var note: String?
    var done = 0
    let rounds = options.round.map { $0..<($0 + 1) } ?? 0..<(options.rounds ?? scenario.rounds)
    var next = rounds.lowerBound
    func isOver() -> Bool { -start.timeIntervalSinceNow > options.seconds ?? .infinity }
    while next < rounds.upperBound, !isOver() {
      let batch = next..<min(next + Self.batchRounds, rounds.upperBound)
      let result = run(batch, isOver: isOver) { counts in
        totals.merge(counts) { $0 + $1 }
        done += 1
      }
      note = result.note
      if let failure = result.failure {
        summarize(done, start, totals, note, "FAILED")
        say("  round \(failure.round): \(failure.message)")
        say("  repeat it: Torture \(scenario.name) --seed \(options.seed) --round \(failure.round)")
        return false
      }
      next = batch.upperBound
    }
    summarize(done, start, totals, note, "no failure")
    return true
  }

  private func summarize(
    _ done: Int, _ start: Date, _ totals: Counts, _ note: String?, _ verdict: String
  ) {
    let counts = totals.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    let seconds = String(format: "%.0f", -start.timeIntervalSinceNow)
    let parts = [note.map { "(\($0))" }, counts.joined(separator: ", ")].compactMap { $0 }
    say(
      "\(scenario.name): \(verdict); \(done) rounds in \(seconds) s, seed \(options.seed); "
        + parts.joined(separator: " "))
  }

  private struct Result {
    var failure: (round: Int, message: String)?
    var note: String?
  }

  private func run(
    _ rounds: Range<Int>, isOver: () -> Bool, _ isDone: (Counts) -> Void
  ) -> Result {
    let program = ChildProcess.ownProgram
    let launch = scenario.launch(
      program,
      [
        scenario.name, "--seed", "\(options.seed)", "--batch",
        "\(rounds.lowerBound)-\(rounds.upperBound)",
      ])
    var result = Result(failure: nil, note: launch.note)
    guard let child = ChildProcess(launch.program, launch.arguments) else {
      result.failure = (rounds.lowerBound, "cannot start \(launch.program)")
      return result
    }
    defer { child.end() }
    for round in rounds {
      if isOver() { return result }
      var heard: [String] = []
      while true {
        switch child.line(within: Self.hangSeconds) {
        case .line(let line) where line.hasPrefix("ok \(round) ") || line == "ok \(round)":
          isDone(Self.counts(line))
        case .line(let line) where line.hasPrefix("fail \(round) "):
          result.failure = (round, String(line.dropFirst("fail \(round) ".count)))
          return result
        case .line(let line):
          heard.append(line)
          continue
        case .timeout:
          result.failure = (round, "hangs for \(Int(Self.hangSeconds)) s")
          return result
        case .end:
          let last = heard.suffix(5).joined(separator: " | ")
          result.failure = (round, "the process ended: \(child.end()) \(last)")
          return result
        }
        break
      }
    }
    return result
  }

  private static func counts(_ line: String) -> Counts {
    var counts: Counts = [:]
    for word in line.split(separator: " ") {
      let parts = word.split(separator: "=")
      if parts.count == 2, let count = Int(parts[1]) {
        counts[parts[0].replacingOccurrences(of: "_", with: " ")] = count
      }
    }
    return counts
  }
}
