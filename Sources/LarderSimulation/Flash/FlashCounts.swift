/// What a cache wrote to flash. A pure function of workload, configuration and seed, like `Counts`,
/// from the end of the warm-up on. Bytes are those of the objects and of the buckets; the device
/// may write more.
public struct FlashCounts: Sendable, Hashable, Codable {
  /// Objects stored because a request asked for it.
  public var inserted: UInt64 = 0
  /// Their bytes.
  public var insertedBytes: UInt64 = 0
  /// Objects written to the log again when their region was reclaimed.
  public var reinserted: UInt64 = 0
  /// Their bytes.
  public var reinsertedBytes: UInt64 = 0
  /// Objects moved from a log to sets.
  public var moved: UInt64 = 0
  /// Buckets written.
  public var bucketWrites: UInt64 = 0
  /// Bytes written altogether.
  public var writtenBytes: UInt64 = 0
  /// Microseconds between the first and the last request that were counted; nil where the trace has
  /// no times.
  public var microseconds: UInt64?

  /// Nothing has happened yet.
  public init() {}

  /// The first contradiction in counts that were read from a file, or nil.
  package var fault: String? {
    insertedBytes > writtenBytes || reinsertedBytes > writtenBytes
      ? "more bytes inserted than written" : nil
  }
}
