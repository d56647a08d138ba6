import Foundation
import Synchronization

/// Standard output: results and nothing else. Kept until `finish`, so that a command that fails on
/// its way leaves nothing half-printed.
enum Output {
  private static let pending = Mutex<[UInt8]>([])

  /// Whether results go to a person's terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether to use colour: only for a person, and only where it is not declined
  /// (https://no-color.org).
  static var usesColour: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isTerminal && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  /// Prints a line.
  static func line(_ text: String) { self.text(text + "\n") }

  /// Prints text as it is.
  static func text(_ text: String) { pending.withLock { $0 += text.utf8 } }

  /// Writes out what was printed, and says why not when it could not: 0, or the system's error. A
  /// reader who has gone away is no error.
  static func finish() -> Int32 {
    let bytes = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    var start = 0
    while start < bytes.count {
      let written = bytes[start...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if written > 0 {
        start += written
      } else if errno != EINTR {
        return errno == EPIPE ? 0 : errno
      }
    }
    return 0
  }
}

/// Standard error: progress, notes and errors.
enum Notes {
  /// Whether somebody watches.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Prints a line.
  static func line(_ text: String) { raw(text + "\n") }

  /// Prints text at once.
  static func raw(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
