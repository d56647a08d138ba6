import Foundation
import LarderEngine
import LarderReports
import LarderSupport

/// Standard output: results and nothing else. Kept until `finish`, so that a command that fails on
/// its way leaves nothing half-printed.
enum Output {
  private static let pending = Locked<[UInt8]>([])
  private static let failure = Locked<Int32?>(nil)

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// True if output has colour: on a terminal, unless it is declined
  /// (https://no-color.org).
  static var usesColour: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isTerminal && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  static func line(_ text: String) { self.text(text + "\n") }

  static func text(_ text: String) { pending.withLock { $0 += text.utf8 } }

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
  private static let hasStatus = Locked(false)
  private static let clearLine = "\r\u{1B}[K"

  static var isTerminal: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  static func line(_ text: String) {
    hasStatus.withLock { hasStatus in
      raw((hasStatus ? clearLine : "") + NoteText.line(text) + "\n")
      hasStatus = false
    }
  }

  static func status(_ text: String) {
    hasStatus.withLock { hasStatus in
      raw(clearLine + NoteText.line(text).prefix(max(1, Output.width(of: STDERR_FILENO) - 1)))
      hasStatus = true
    }
  }

  private static func raw(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

/// Errors and notes as lines. They quote names, keys and fields from files, which may be of any
/// length and hold anything.
enum NoteText {
  static let scalarsMax = 1000
  /// Scalars of the end that are kept: errors end with advice.
  private static let endMax = 250

  /// The text on one line, with control characters replaced, and its middle left out where it is
  /// too long. Linear in its length.
  static func line(_ text: String) -> String {
    let text = TextSafety.singleLine(text)
    // A text has at most as many scalars as bytes.
    guard text.utf8.count > scalarsMax else { return text }
    let scalars = text.unicodeScalars
    let count = scalars.count
    guard count > scalarsMax else { return text }
    let beginning = String(String.UnicodeScalarView(scalars.prefix(scalarsMax - endMax - 50)))
    let end = String(String.UnicodeScalarView(scalars.suffix(endMax)))
    let left = count - beginning.unicodeScalars.count - endMax
    return "\(beginning)… [\(left) characters omitted] …\(end)"
  }
}

/// Progress on standard error: one line that is written over and over for a terminal, and a line
/// every ten seconds for a log. Safe to call from any thread.
final class ProgressLine: Sendable {
  private struct State {
    var title = ""
    var done = 0
    var total = 0
    var share: Double?
    var started = ContinuousClock.now
    var lastShown: ContinuousClock.Instant?
  }

  private let state = Locked(State())
  private let isQuiet: Bool
  private let isTerminal = Notes.isTerminal

  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  func begin(_ title: String, total: Int = 0) {
    state.withLock { state in
      state = State()
      state.title = title
      state.total = total
      if isTerminal { show(&state, force: true) } else { note(title) }
    }
  }

  func retitle(_ title: String) {
    state.withLock { state in
      state.title = title
      if isTerminal { show(&state) }
    }
  }

  func set(_ done: Int, share: Double? = nil) {
    state.withLock { state in
      state.done = done
      state.share = share
      show(&state)
    }
  }

  func advance(_ requests: Int) {
    state.withLock { state in
      state.done += requests
      show(&state)
    }
  }

  func end(_ text: String) { note(text) }

  func note(_ text: String) { if !isQuiet { Notes.line(text) } }

  private func show(_ state: inout State, force: Bool = false) {
    guard !isQuiet else { return }
    let now = ContinuousClock.now
    let interval: Duration = isTerminal ? .milliseconds(100) : .seconds(10)
    if !force, now - (state.lastShown ?? state.started) < interval { return }
    state.lastShown = now
    let text = line(state, elapsed: now - state.started)
    if isTerminal { Notes.status(text) } else { Notes.line(text) }
  }

  private func line(_ state: State, elapsed: Duration) -> String {
    let isTotalKnown = state.total > 0
    let share = isTotalKnown ? Double(state.done) / Double(state.total) : state.share
    var text = "\(state.title): \(Self.millions(state.done))"
    if isTotalKnown { text += " of \(Self.millions(state.total))" }
    text += " M requests"
    guard let share else { return text }
    text += ", \(Int(share * 100)) %"
    if share > 0.01, share < 1 {
      text += ", \((elapsed / share * (1 - share)).components.seconds + 1) s left"
    }
    return text
  }

  private static func millions(_ requests: Int) -> String {
    NumberText.fixed(Double(requests) / 1e6, decimals: 1) ?? "–"
  }
}

enum SecondsText {
  static func since(_ start: ContinuousClock.Instant) -> String {
    text(ContinuousClock.now - start)
  }

  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
  }
}

enum ShellText {
  static func command(_ words: [String]) -> String {
    words.map(ShellWord.quoted).joined(separator: " ")
  }

  static func check(_ workload: String, baseline: String) -> String {
    "\(command([LarderProgram.name, "check"])) \(ShellWord.path(workload)) --baseline "
      + ShellWord.path(baseline)
  }
}

extension Output {
  static var pictureTerminal: CurvePicture.Terminal {
    CurvePicture.Terminal(
      width: width(of: STDOUT_FILENO), hasColour: usesColour, hasUnicode: hasUnicode)
  }

  fileprivate static func width(of terminal: Int32) -> Int {
    var size = winsize()
    let known = ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return known ? Int(size.ws_col) : 80
  }

  private static var hasUnicode: Bool {
    let environment = ProcessInfo.processInfo.environment
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    return name.contains("utf-8") || name.contains("utf8")
  }
}
