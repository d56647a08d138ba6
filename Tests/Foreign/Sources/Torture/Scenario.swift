import Foundation

/// One way to torture a cache. Rounds do not depend on each other: a round is repeated by its
/// number and the seed.
protocol Scenario: Sendable {
  /// What the command line calls it.
  static var name: String { get }
  /// One line for the usage.
  static var summary: String { get }
  /// Rounds where nobody says another number.
  static var rounds: Int { get }
  /// How the child that does the rounds is started, and a note on that for the summary.
  static func launch(_ program: String, _ arguments: [String]) -> Launch
  /// Does one round; throws `Failure` when something is wrong. What it counts goes into the
  /// summary.
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

/// Something that must not be.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws when something does not hold.
func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
  if !holds { throw Failure(message()) }
}

/// Writes a line at once: another process reads it, and this one may crash.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// What rounds count, by name.
typealias Counts = [String: Int]
