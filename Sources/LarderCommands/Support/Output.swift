import Foundation
import LarderEngine
import LarderSystem

/// Standard output: results and nothing else. Kept until `finish`, so that a command that fails on
/// its way leaves nothing half-printed.
enum Output {
  private static let pending = Locked<[UInt8]>([])
  private static let failure = Locked<Int32?>(nil)

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

  /// Writes out what was printed so far, for what comes on standard error to stand below it.
  static func flush() {
    let bytes = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFault) in try SystemFiles().writeAll(bytes, to: STDOUT_FILENO) }
    }
    if case .failure(let fault) = result { failure.withLock { $0 = $0 ?? fault.code } }
  }

  /// Writes out the rest, and says why not when something could not be written: 0, or the system's
  /// error. A reader who has gone away is no error.
  static func finish() -> Int32 {
    flush()
    let reason = failure.withLock { $0 } ?? 0
    return reason == EPIPE ? 0 : reason
  }
}

/// Standard error: progress, notes and errors, each on a line of its own whatever it quotes from
/// files: see `NoteText`.
enum Notes {
  /// Whether a status line is on the terminal.
  private static let hasStatus = Locked(false)
  private static let clearLine = "\r\u{1B}[K"

  /// Whether somebody watches, on a terminal that can write over a line.
  static var isTerminal: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Prints a line, in the place of a status.
  static func line(_ text: String) {
    hasStatus.withLock { hasStatus in
      raw((hasStatus ? clearLine : "") + NoteText.line(text) + "\n")
      hasStatus = false
    }
  }

  /// Shows a line until the next status or line comes, cut to the width of the terminal.
  static func status(_ text: String) {
    hasStatus.withLock { hasStatus in
      raw(clearLine + NoteText.line(text).prefix(max(1, width - 1)))
      hasStatus = true
    }
  }

  /// Columns of the terminal.
  private static var width: Int {
    var size = winsize()
    let known = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return known ? Int(size.ws_col) : 80
  }

  private static func raw(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
