#if LARDER_SCHEDULES
  import Foundation
  import Larder
  import ScheduleSimulation

  struct ScheduleCommand {
    private let options: ScheduleOptions
    private let start = DispatchTime.now().uptimeNanoseconds

    init(_ options: ScheduleOptions) { self.options = options }

    private var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    func run() -> Int32 {
      // Orders of sets and dictionaries are part of a schedule.
      guard ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil else {
        say("SWIFT_DETERMINISTIC_HASHING must be set: a seed would not be the same schedule twice")
        return 2
      }
      CrashSeed.watch()
      return options.replay.map(replay) ?? runSeeds()
    }

    private func replay(_ seed: UInt64) -> Int32 {
      var run = ScheduleRun()
      let isFailed = run.run(seed) { say($0) }
      for failure in run.failures { say("seed \(seed): \(failure.message)") }
      say(run.summary(seconds: seconds))
      return isFailed ? 1 : 0
    }

    private func runSeeds() -> Int32 {
      var run = ScheduleRun()
      for seed in options.seed..<options.seed + options.schedules {
        if run.run(seed), let failure = run.failures.last {
          say("seed \(seed): \(failure.message)")
          if run.failures.count >= options.failures { break }
        }
        if run.done % 100_000 == 0 { say(run.summary(seconds: seconds)) }
      }
      if let failure = run.failures.first { say("again: Schedules --replay \(failure.seed)") }
      say(run.summary(seconds: seconds))
      return run.failures.isEmpty ? 0 : 1
    }
  }
#endif
