import Foundation
import LarderSupport

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
    // Whoever started this process may have kept them away, as threads of Dispatch do.
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
