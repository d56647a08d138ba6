import LarderEngine
import LarderSystem
import LarderTraces

/// The rules by which the engine counts: part of the name of every record, so that a store never
/// mixes results of two engines that count differently.
package struct StoreRules: Hashable, Sendable, CustomStringConvertible {
  /// The rules as file names have them: letters, digits and hyphens.
  package let description: String

  /// Rules with a name.
  package init(_ description: String) { self.description = description }

  /// Raised when counts change in a way that no golden count shows.
  static let version = 1

  /// The first digits of the SHA-256 over all golden counts. `StoreRulesTests` fails when it is
  /// not: whoever changes a count must change this, and no record from before is used any more.
  static let goldenCounts = "3687a30a3a397fd9"

  /// The rules of this program.
  ///
  /// A program whose sources are not those of a commit, or which adds policies of its own, may
  /// count otherwise than golden counts show. Its rules hold the digest of the program, so that it
  /// shares results with itself alone, on whatever machine.
  package static func current() throws(StoreError) -> StoreRules {
    let rules = "\(version)-\(goldenCounts)"
    let addsPolicies = PolicyRegistry.all.count != PolicyRegistry.standard.count
    guard addsPolicies || !ProgramIdentity.isCommit else { return StoreRules(rules) }
    return StoreRules("\(rules)-\(try ProgramIdentity.digest().short)")
  }
}
