/// Counts of a cache's writes to flash. A pure function of workload, configuration and seed, like
/// `Counts`, from the end of the warm-up on. Bytes are those of the objects and of the buckets; the
/// device may write more.
public struct FlashCounts: Sendable, Hashable, Codable {
  /// Number of objects stored for requests.
  public var inserted: UInt64 = 0
  /// Bytes of the inserted objects.
  public var insertedBytes: UInt64 = 0
  /// Number of objects rewritten to the log when their region was reclaimed.
  public var reinserted: UInt64 = 0
  /// Bytes of the reinserted objects.
  public var reinsertedBytes: UInt64 = 0
  /// Number of objects moved from a log to sets.
  public var moved: UInt64 = 0
  /// Number of buckets written.
  public var bucketWrites: UInt64 = 0
  /// Total bytes written.
  public var writtenBytes: UInt64 = 0
  /// Microseconds between the first and the last counted request; nil if the trace has no times.
  public var microseconds: UInt64?

  /// Creates counts of zero.
  public init() {}

  package var fault: String? {
    insertedBytes > writtenBytes || reinsertedBytes > writtenBytes
      ? "more bytes inserted than written" : nil
  }
}

/// Assumptions about a flash drive, for reports only: counts do not depend on them.
public struct DriveModel: Sendable, Hashable, Codable {
  /// Bytes that may be written to the device in its lifetime; nil if unknown.
  public var enduranceBytes: UInt64?
  /// Share of the device that is in use, from 0 to 1.
  public var utilisation: Double

  /// Creates a model of a drive.
  public init(enduranceBytes: UInt64? = nil, utilisation: Double = 0.8) {
    self.enduranceBytes = enduranceBytes
    self.utilisation = utilisation
  }

  private static let table: [(utilisation: Double, amplification: Double)] = [
    (0.25, 1.143), (0.50, 1.239), (0.66, 1.594), (0.80, 2.088), (0.90, 3.383), (0.99, 9.551),
  ]

  /// Bytes that the device writes per byte written to it: interpolated linearly between the points
  /// of a table, and constant beyond its ends.
  public var amplification: Double {
    let table = Self.table
    guard utilisation > table[0].utilisation else { return table[0].amplification }
    for (low, high) in zip(table, table.dropFirst()) where utilisation <= high.utilisation {
      let part = (utilisation - low.utilisation) / (high.utilisation - low.utilisation)
      return low.amplification + part * (high.amplification - low.amplification)
    }
    return table[table.count - 1].amplification
  }

  /// Total bytes that the device writes, including write amplification.
  public func deviceBytes(of flash: FlashCounts) -> Double {
    Double(flash.writtenBytes) * amplification
  }

  /// Years until the endurance is used up at the rate of the counted requests; nil if the rate or
  /// the endurance is unknown, or nothing was written.
  public func years(of flash: FlashCounts) -> Double? {
    guard let enduranceBytes, let microseconds = flash.microseconds, microseconds > 0,
      flash.writtenBytes > 0
    else { return nil }
    let perSecond = deviceBytes(of: flash) / (Double(microseconds) * 1e-6)
    return Double(enduranceBytes) / perSecond / 31_557_600
  }
}
