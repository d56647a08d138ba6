import Foundation
import LarderSystem

/// Turns the first Ctrl-C (or SIGTERM) into a request to stop; the second ends the process.
enum Interrupts {
  /// Set by the first signal.
  static let cancellation = Cancellation()

  /// Begins to listen.
  static func listen() {
    let handler: @convention(c) (Int32) -> Void = { _ in
      if Interrupts.cancellation.isRequested { _exit(130) }
      Interrupts.cancellation.request()
    }
    // Touched here, so that the handler does not have to make it.
    _ = cancellation.isRequested
    signal(SIGINT, handler)
    signal(SIGTERM, handler)
    // Whoever started this process may have kept them away, as threads of Dispatch do.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
  }
}
