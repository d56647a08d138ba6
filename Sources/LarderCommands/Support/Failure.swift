import ArgumentParser
import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderSupport
import LarderTraces

struct Failure {
  private let message: String
  private let code: Int32
  private let isHelp: Bool

  init(_ error: any Error, parser: (some ParsableCommand).Type) {
    if let error = error as? any UserFacingError {
      (message, code, isHelp) = ("larder: \(error)", error.exitCode, false)
    } else if let error = error as? CocoaError {
      let text = Self.singleLine(error.localizedDescription)
      (message, code, isHelp) = ("larder: \(text)", 2, false)
    } else if !Self.isOfParser(error) {
      let text = Self.singleLine("\(error)")
      (message, code, isHelp) = ("larder: internal error, please report it: \(text)", 70, false)
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

  private static func commandName(_ parser: any ParsableCommand.Type) -> String {
    var command = parser
    var words = [parser.configuration.commandName ?? "larder"]
    for argument in LarderCommand.words {
      let named = command.configuration.subcommands.first {
        $0.configuration.commandName == argument
      }
      guard let named else { break }
      command = named
      words.append(argument)
    }
    return words.joined(separator: " ")
  }

  func report() -> Int32 {
    if isHelp {
      Output.line(message)
    } else if !message.isEmpty {
      Notes.line(message)
    }
    return code
  }
}

struct UsageError: UserFacingError, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

struct Interrupted: UserFacingError, CustomStringConvertible {
  var exitCode: Int32 { 130 }
  let description: String
}

/// An error whose cause is the user's to change. One that does not conform is a fault of the
/// program and ends it with exit code 70: a test asks each type of error.
protocol UserFacingError: Error {
  var exitCode: Int32 { get }
}

extension UserFacingError {
  var exitCode: Int32 { 2 }
}

// Errors of modules that know nothing of commands.
extension AdviceError: UserFacingError {}
extension BaselineError: UserFacingError {}
extension BoostingError: UserFacingError {}
extension CapacityError: UserFacingError {}
extension ComponentError: UserFacingError {}
extension ContenderError: UserFacingError {}
extension CurveError: UserFacingError {}
extension DiskCacheError: UserFacingError {}
extension MemoryCacheError: UserFacingError {}
extension PartError: UserFacingError {}
extension PlanError: UserFacingError {}
extension PlanFormatError: UserFacingError {}
extension PolicyError: UserFacingError {}
extension ProcessCacheError: UserFacingError {}
extension ReportError: UserFacingError {}
extension StoreError: UserFacingError {}
extension TraceError: UserFacingError {}
extension WorkloadError: UserFacingError {}

extension CheckOutcome: UserFacingError {
  var exitCode: Int32 { code }
}

extension TimingError: UserFacingError {
  /// 130 where the user wants it to end.
  var exitCode: Int32 { self == .interrupted ? 130 : 2 }
}

extension SweepError: UserFacingError {
  /// 1 for wrong values, 2 for a cache that cannot be run as it was asked for, 70 for our faults.
  var exitCode: Int32 {
    switch self {
    case .execution(_, _, .wrongValues): 1
    case .execution, .training: 2
    case .notDeterministic, .traceMissing, .driverMissing: 70
    }
  }
}

struct CheckOutcome: Error, CustomStringConvertible {
  let description: String
  let code: Int32
}

enum Interrupts {
  static let cancellation = Cancellation()

  static func listen() {
    let handler: @convention(c) (Int32) -> Void = { _ in
      if Interrupts.cancellation.isRequested {
        ChildProcesses.killAll()
        _exit(130)
      }
      Interrupts.cancellation.request()
    }
    // Touched here, so that the handler does not have to make it.
    _ = cancellation.isRequested
    ChildProcesses.remove(-1)
    signal(SIGINT, handler)
    signal(SIGTERM, handler)
    // Signals may be blocked by the parent, as threads of Dispatch block them.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
  }
}

/// Ends the process with a sentence when a file that is mapped into memory was shortened: a read
/// beyond the new end is SIGBUS.
enum MappingFaults {
  private static let sentence: StaticString = """
    larder: a file was truncated while in use: a prepared trace (.larder), or a file of an \
    executed cache; do not modify files while a command uses them; run it again

    """

  static func listen() {
    signal(SIGBUS) { _ in
      // Signal handlers may make system calls only.
      let text = MappingFaults.sentence
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(2)
    }
  }
}
