import Foundation
import FuzzTargets
import Synchronization

/// The target of this process, for a callback in C, which knows nothing of its caller.
enum ChosenTarget {
  private static let chosen = Mutex<FuzzTarget?>(nil)

  /// Chooses a target.
  static func choose(_ target: FuzzTarget) { chosen.withLock { $0 = target } }

  /// Tries an input; a finding ends the process as a trap does, so that the input is kept.
  static func run(_ input: [UInt8]) {
    guard let target = chosen.withLock({ $0 }) else { return }
    do {
      try target.run(input)
    } catch {
      FileHandle.standardError.write(Data("FINDING \(target.name): \(error)\n".utf8))
      abort()
    }
  }
}
