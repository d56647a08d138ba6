import Foundation

/// Random configurations of all caches, in processes of their own, so that a trap is noticed and
/// told with its seed.
enum Configurations {
  static let name = "configurations"
  /// The first argument of a process that runs rounds: then come the first seed, how many, and the
  /// folder to work in.
  static let childArgument = "configurations-child"

  private static var roundsInChild: UInt64 { 50 }

  /// What came of a number of rounds.
  private struct Tally {
    var passed = 0
    var refused = 0
    var failures: [String] = []
    var rounds: Int { passed + refused + failures.count }
  }

  /// Runs rounds from a seed on until there were so many or so many seconds have gone by. Prints
  /// what it found, and says whether nothing was wrong.
  static func run(rounds: Int, seconds: Double, seed: UInt64) throws -> Bool {
    let start = ContinuousClock.now
    var tally = Tally()
    var next = seed
    while tally.rounds < rounds, ContinuousClock.now - start < .seconds(seconds) {
      let count = min(roundsInChild, UInt64(rounds - tally.rounds))
      next = try runChild(from: next, count: count, &tally)
    }
    for failure in tally.failures { print(failure) }
    print(
      "\(name): \(tally.rounds) rounds from seed \(seed): \(tally.passed) passed, "
        + "\(tally.refused) refused with an error, \(tally.failures.count) failed")
    return tally.failures.isEmpty
  }

  /// The other side: runs rounds and prints a line before and after each.
  static func runAsChild(_ arguments: [String]) async {
    guard arguments.count == 3, let first = UInt64(arguments[0]),
      let count = UInt64(arguments[1])
    else { return say("\(childArgument): expected seed, count, folder") }
    for seed in first..<first + count {
      say("seed \(seed)")
      var round = ConfigurationRound(seed: seed, folder: arguments[2] + "/\(seed)")
      do {
        switch try await round.run() {
        case .passed: say("passed")
        case .refused(let line): say("refused \(line)")
        }
      } catch {
        say("failed \(error)")
      }
    }
  }

  /// Prints a line at once: the next may be the last that the process does.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Runs seeds in another process up to the first at which it ends, and returns the next seed.
  private static func runChild(
    from first: UInt64, count: UInt64, _ tally: inout Tally
  ) throws -> UInt64 {
    let memory = "/dev/shm"
    let root =
      FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    let folder = root + "/larder-configurations-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [childArgument, "\(first)", "\(count)", folder]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // A round that hangs must not hang all of them.
    let watchdog = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watchdog)
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    watchdog.cancel()
    var seed: UInt64?
    for line in text.split(separator: "\n") {
      if line.hasPrefix("seed ") {
        seed = UInt64(line.dropFirst(5))
        continue
      }
      let running = seed ?? first
      if line == "passed" { tally.passed += 1 }
      if line.hasPrefix("refused ") { tally.refused += 1 }
      if line.hasPrefix("failed ") {
        tally.failures.append("seed \(running): \(line.dropFirst(7))")
      }
      seed = nil
    }
    guard let crashed = seed else {
      guard process.terminationStatus == 0, text.contains("seed ") else {
        throw TortureFailure("a process ended with \(process.terminationStatus) before any round")
      }
      return first + count
    }
    let how = process.terminationReason == .uncaughtSignal ? "signal" : "status"
    tally.failures.append("seed \(crashed): ended with \(how) \(process.terminationStatus)")
    return crashed + 1
  }
}
