import Dispatch
import Foundation
import Synchronization

/// Random configurations of all caches and random calls: see `ConfigurationRound`.
enum ConfigurationsScenario: Scenario {
  static let name = "configurations"
  static let summary = "random configurations and calls, senseless numbers among them"
  static let rounds = 2_000

  static func round(_ random: inout Random, _ counts: inout Counts) throws {
    let folder = try Scratch()
    let seed = random.next()
    // The rounds of other scenarios run on this thread; these have asynchronous calls.
    let outcome = Mutex<Result<ConfigurationRound.Outcome, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let path = folder.path + "/cache"
    Task {
      var round = ConfigurationRound(seed: seed, folder: path)
      do {
        let result = try await round.run()
        outcome.withLock { $0 = .success(result) }
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      isDone.signal()
    }
    isDone.wait()
    switch try outcome.withLock({ $0 })?.get() {
    case .passed: counts["passed", default: 0] += 1
    case .refused: counts["refused", default: 0] += 1
    case nil: throw TortureFailure("the round has no outcome")
    }
  }
}
