import LarderTraces

/// Reads traces for commands: with progress, and stopped by Ctrl-C.
enum TraceReading {
  /// A prepared trace; with a folder to spill to, one that is only read in order.
  static func prepare(
    _ source: FileSource, _ progress: ProgressLine, spillingTo folder: String? = nil
  ) throws -> PreparedTrace {
    try PreparedTrace.load(source, spillingTo: folder, progress: check(progress, source))
  }

  /// Shows progress, and throws once Ctrl-C was pressed.
  /// Of a file it shows how much is left.
  static func check(
    _ progress: ProgressLine, _ source: FileSource? = nil
  ) -> PreparedTrace.Progress {
    { requests in
      if Interrupts.cancellation.isRequested {
        throw Interrupted(description: "stopped; nothing was written")
      }
      progress.set(requests, share: source?.shareRead)
    }
  }
}
