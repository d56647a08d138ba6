import LarderEngine

/// A recording of what an app asks of a cache, which `larder advise` and every other command reads.
///
/// ```swift
/// let recording = try cache.record(to: path, sampling: 0.01)
/// // ... a day later
/// let statistics = recording.stop()
/// ```
///
/// It goes on until `stop()`, or until the cache is destroyed, whether or not somebody keeps this
/// object. What was written a second ago is in the file if the process is killed.
public final class CacheRecording: Sendable {
  /// The file.
  public let path: String
  /// The share of the keys that is recorded: what was asked for, as exactly as 32 bits can say.
  public let sampling: Double

  let writer: RecordingWriter
  private let point: RecordPoint

  init(_ path: String, threshold: UInt64, _ writer: RecordingWriter, _ point: RecordPoint) {
    self.path = path
    sampling = Double(threshold) / Double(RecordedHeader.wholeThreshold)
    self.writer = writer
    self.point = point
  }

  /// What was recorded so far, and what was lost.
  public var statistics: RecordingStatistics { writer.statistics }

  /// Waits until the writer has taken what was noted so far: for whoever asks faster than an app
  /// does, and must lose nothing.
  package func catchUp() { writer.catchUp() }

  /// Ends the recording, and waits until everything is in the file and the file is on the disk and
  /// closed. Later calls change nothing.
  ///
  /// - Returns: what was recorded in all. `error` says what was wrong with the file, if something
  ///   was.
  @discardableResult
  public func stop() -> RecordingStatistics {
    point.end(self)
    writer.wait()
    return statistics
  }
}
