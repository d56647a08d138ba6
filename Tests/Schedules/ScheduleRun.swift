#if LARDER_SCHEDULES
  import Foundation
  import Larder
  import ScheduleSimulation

  struct ScheduleRun {
    private var scheduler = Scheduler()
    private(set) var done: UInt64 = 0
    private(set) var failures: [(seed: UInt64, message: String)] = []
    private(set) var sum = ScheduleRound.Outcome()

    mutating func run(_ seed: UInt64, trace: ((String) -> Void)? = nil) -> Bool {
      CrashSeed.note(seed)
      let outcome = ScheduleRound.run(scheduler, seed: seed, trace: trace)
      done += 1
      sum.steps += outcome.steps
      sum.switches += outcome.switches
      sum.calls += outcome.calls
      sum.loads += outcome.loads
      sum.keysTooLarge += outcome.keysTooLarge
      sum.fingerprint = (sum.fingerprint ^ outcome.fingerprint) &* 0x100_0000_01B3
      guard let failure = outcome.failure else { return false }
      failures.append((seed, failure))
      // Threads of the failed schedule may be stopped midway.
      scheduler = Scheduler()
      return true
    }

    func summary(seconds: Double) -> String {
      let processor = Double(clock()) / Double(CLOCKS_PER_SEC)
      return "\(done) schedules, \(failures.count) failures: \(sum.calls) calls, "
        + "\(sum.loads) loads, \(sum.steps) steps, \(sum.switches) switches, "
        + "\(sum.keysTooLarge) keys too large to check; "
        + String(
          format: "%.1f s, %.1f s of CPU time, %.0f schedules/s; fingerprint %016llx", seconds,
          processor, Double(done) / max(seconds, 0.001), sum.fingerprint)
    }
  }

  /// Reports the schedule in which a crash occurs: a continuation that is resumed twice ends the
  /// process.
  enum CrashSeed {
    nonisolated(unsafe) private static var seed: UInt64 = 0

    static func note(_ seed: UInt64) { Self.seed = seed }

    static func watch() {
      for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
        signal(number) { number in
          var text = Array("schedule with the following seed crashed: \0".utf8)
          text.removeLast()
          text += Array(String(CrashSeed.seed).utf8) + [10]
          _ = text.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
          signal(number, SIG_DFL)
          raise(number)
        }
      }
    }
  }
#endif
