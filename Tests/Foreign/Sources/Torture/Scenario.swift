import Foundation

/// A kind of torture of a cache. Rounds are independent: a round is reproduced by its number and
/// the seed.
protocol Scenario: Sendable {
  static var name: String { get }
  static var summary: String { get }
  static var rounds: Int { get }
  static func launch(_ program: String, _ arguments: [String]) -> Launch
  /// Runs one round; throws `Failure` if something is wrong. Its counts are added to the summary.
  static func round(_ random: inout Random, _ counts: inout Counts) throws
}

extension Scenario {
  static func launch(_ program: String, _ arguments: [String]) -> Launch {
    Launch(program: program, arguments: arguments, note: nil)
  }
}

/// A command to run.
struct Launch {
  var program: String
  var arguments: [String]
  var note: String?
}

/// A violated guarantee.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws if a condition does not hold.
func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
  if !holds { throw Failure(message()) }
}

/// Writes a line immediately: another process reads it, and this one may crash.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

typealias Counts = [String: Int]
