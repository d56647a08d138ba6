import ArgumentParser
import Foundation
import LarderAdvice
import LarderChecks
import LarderEngine
import LarderReports
import LarderSimulation
import LarderStore
import LarderTraces
import LarderWorkloads

/// How a run of the command ends when it does not end well: what is printed, and the exit code.
struct Failure {
  /// The text for a person.
  private let message: String
  private let code: Int32
  private let isHelp: Bool

  /// Sorts an error: what the user can change has exit code 2, and what is our fault 70.
  init(_ error: any Error, parser: (some ParsableCommand).Type) {
    switch error {
    case let stop as Interrupted:
      (message, code, isHelp) = ("larder: \(stop)", 130, false)
    case let outcome as CheckOutcome:
      (message, code, isHelp) = ("larder: \(outcome)", outcome.code, false)
    case is ServerError:
      (message, code, isHelp) = ("larder: \(error)", 1, false)
    case TimingError.interrupted:
      (message, code, isHelp) = ("larder: \(error)", 130, false)
    case is PolicyError, is CapacityError, is PlanError, is WorkloadError, is TraceError,
      is ComponentError, is ReportError, is CurveError, is AdviceError, is UsageError,
      is BaselineError, is StoreError, is PartError, is PlanFormatError,
      is TimingError:
      (message, code, isHelp) = ("larder: \(error)", 2, false)
    case SweepError.execution(_, _, .wrongValues):
      (message, code, isHelp) = ("larder: \(error)", 1, false)
    case SweepError.execution:
      (message, code, isHelp) = ("larder: \(error)", 2, false)
    case let fault as SweepError:
      (message, code, isHelp) = ("larder: \(fault)", 70, false)
    default:
      isHelp = parser.exitCode(for: error) == .success
      code = isHelp ? 0 : 2
      message =
        isHelp
        ? parser.fullMessage(for: error)
        : "larder: \(Self.singleLine(parser.message(for: error))) "
          + "('\(Self.commandName(parser)) --help' for details)"
    }
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
struct UsageError: Error, CustomStringConvertible {
  /// One line for a person.
  let description: String

  /// An error with its line.
  init(_ description: String) { self.description = description }
}

/// The user pressed Ctrl-C.
struct Interrupted: Error, CustomStringConvertible {
  /// What remains.
  let description: String
}
