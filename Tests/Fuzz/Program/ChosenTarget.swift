import Foundation
import FuzzTargets
import Synchronization

/// The target of this process, for a C callback without context.
enum ChosenTarget {
  private static let chosen = Mutex<FuzzTarget?>(nil)

  static func choose(_ target: FuzzTarget) { chosen.withLock { $0 = target } }

  /// Runs an input; a finding traps, so that libFuzzer keeps the input.
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
