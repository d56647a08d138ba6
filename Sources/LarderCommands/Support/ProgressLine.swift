import Foundation
import LarderEngine

/// Progress on standard error: one line that is written over and over for a terminal, and a line
/// every ten seconds for a log. Safe to call from any thread.
final class ProgressLine: Sendable {
  private struct State {
    var title = ""
    var done = 0
    var total = 0
    /// How much is done where the total is not known, from 0 to 1.
    var share: Double?
    var started = ContinuousClock.now
    var lastShown: ContinuousClock.Instant?
  }

  private let state = Locked(State())
  private let isQuiet: Bool
  private let isTerminal = Notes.isTerminal

  /// Progress that says nothing when `isQuiet`.
  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// Begins a piece of work of `total` requests; 0 when that is not known.
  func begin(_ title: String, total: Int = 0) {
    state.withLock { state in
      state = State()
      state.title = title
      state.total = total
      if isTerminal { show(&state, force: true) } else { note(title) }
    }
  }

  /// The piece of work comes to another part, which the next line names.
  func retitle(_ title: String) {
    state.withLock { state in
      state.title = title
      if isTerminal { show(&state) }
    }
  }

  /// So many requests are done: this share of all, where it is known.
  func set(_ done: Int, share: Double? = nil) {
    state.withLock { state in
      state.done = done
      state.share = share
      show(&state)
    }
  }

  /// So many more requests are done.
  func advance(_ requests: Int) {
    state.withLock { state in
      state.done += requests
      show(&state)
    }
  }

  /// Ends the piece of work, with a last line.
  func end(_ text: String) { note(text) }

  /// A line of its own.
  func note(_ text: String) {
    if !isQuiet { Notes.line(text) }
  }

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
    var text = "\(state.title): \(Self.millions(state.done))"
    if state.total > 0 {
      let share = Double(state.done) / Double(state.total)
      text += " of \(Self.millions(state.total)) M requests, \(Int(share * 100)) %"
      if share > 0.01, share < 1 {
        let left = elapsed / share * (1 - share)
        text += ", \(left.components.seconds + 1) s left"
      }
    } else {
      text += " M requests"
      if let share = state.share {
        text += ", \(Int(share * 100)) %"
        if share > 0.01, share < 1 {
          let left = elapsed / share * (1 - share)
          text += ", \(left.components.seconds + 1) s left"
        }
      }
    }
    return text
  }

  private static func millions(_ requests: Int) -> String {
    String(format: "%.1f", Double(requests) / 1e6)
  }
}
