import ArgumentParser
import Foundation

/// How a run of the command ends when it does not end well: what is printed, and the exit code.
struct Failure {
  /// The text for a person.
  private let message: String
  private let code: Int32
  private let isHelp: Bool

  /// Sorts an error by its type: see `UserFacingError`.
  init(_ error: any Error, parser: (some ParsableCommand).Type) {
    if let error = error as? any UserFacingError {
      (message, code, isHelp) = ("larder: \(error)", error.exitCode, false)
    } else if let error = error as? CocoaError {
      let text = Self.singleLine(error.localizedDescription)
      (message, code, isHelp) = ("larder: \(text)", 2, false)
    } else if !Self.isOfParser(error) {
      let text = Self.singleLine("\(error)")
      (message, code, isHelp) = ("larder: a fault of larder, please report it: \(text)", 70, false)
    } else {
      isHelp = parser.exitCode(for: error) == .success
      code = isHelp ? 0 : 2
      message =
        isHelp
        ? parser.fullMessage(for: error)
        : "larder: \(Self.singleLine(parser.message(for: error))) "
          + "('\(Self.commandName(parser)) --help' for details)"
    }
  }

  /// True for what is wrong with the words of a command, and for requests for help.
  private static func isOfParser(_ error: any Error) -> Bool {
    String(reflecting: type(of: error)).hasPrefix("ArgumentParser.")
  }

  private static func singleLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: " ")
  }

  /// The command that was meant, as far as it was typed right.
  private static func commandName(_ parser: any ParsableCommand.Type) -> String {
    var command = parser
    var words = [parser.configuration.commandName ?? "larder"]
    for argument in CommandLine.arguments.dropFirst() {
      let named = command.configuration.subcommands.first {
        $0.configuration.commandName == argument
      }
      guard let named else { break }
      command = named
      words.append(argument)
    }
    return words.joined(separator: " ")
  }

  /// Puts the message where it belongs and returns the exit code.
  func report() -> Int32 {
    if isHelp {
      Output.line(message)
    } else if !message.isEmpty {
      Notes.line(message)
    }
    return code
  }
}

/// A request that cannot be served, found by a command itself.
struct UsageError: UserFacingError, CustomStringConvertible {
  /// One line for a person.
  let description: String

  /// An error with its line.
  init(_ description: String) { self.description = description }
}

/// The user pressed Ctrl-C.
struct Interrupted: UserFacingError, CustomStringConvertible {
  var exitCode: Int32 { 130 }
  /// What remains.
  let description: String
}
