import Foundation

/// Ends the process with a sentence when a file that is mapped into memory was shortened.
///
/// The system answers a read beyond the new end with SIGBUS. Prepared traces are mapped where they
/// are too large to be read, and so is SQLite's index of its log.
enum MappingFaults {
  private static let sentence: StaticString = """
    larder: a file was truncated while in use: a prepared trace (.larder), or a file of an \
    executed cache; leave the files alone until the command ends, and run it again

    """

  /// Begins to listen.
  static func listen() {
    signal(SIGBUS) { _ in
      // Nothing but system calls is allowed here.
      let text = MappingFaults.sentence
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(2)
    }
  }
}
