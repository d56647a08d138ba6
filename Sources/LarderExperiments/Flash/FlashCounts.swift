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

/// What is assumed of a flash drive: reports compute with it, counts do not depend on it.
public struct DriveModel: Sendable, Hashable, Codable {
  /// Bytes that may be written to the device in its life; nil where nobody says so.
  public var enduranceBytes: UInt64?
  /// The part of the device that is in use, from 0 to 1.
  public var utilisation: Double

  /// A drive.
  public init(enduranceBytes: UInt64? = nil, utilisation: Double = 0.8) {
    self.enduranceBytes = enduranceBytes
    self.utilisation = utilisation
  }

  /// Device write amplification of random writes by utilisation; see docs/flash.md.
  private static let table: [(utilisation: Double, amplification: Double)] = [
    (0.25, 1.143), (0.50, 1.239), (0.66, 1.594), (0.80, 2.088), (0.90, 3.383), (0.99, 9.551),
  ]

  /// Bytes that the device writes for each byte written to it: linear between the points of a
  /// table, and constant beyond its ends.
  public var amplification: Double {
    let table = Self.table
    guard utilisation > table[0].utilisation else { return table[0].amplification }
    for (low, high) in zip(table, table.dropFirst()) where utilisation <= high.utilisation {
      let part = (utilisation - low.utilisation) / (high.utilisation - low.utilisation)
      return low.amplification + part * (high.amplification - low.amplification)
    }
    return table[table.count - 1].amplification
  }

  /// Bytes that the device writes.
  public func deviceBytes(of flash: FlashCounts) -> Double {
    Double(flash.writtenBytes) * amplification
  }

  /// Years until the endurance is used up at the rate of the counted requests; nil where the rate
  /// or the endurance is not known, or nothing was written.
  public func years(of flash: FlashCounts) -> Double? {
    guard let enduranceBytes, let microseconds = flash.microseconds, microseconds > 0,
      flash.writtenBytes > 0
    else { return nil }
    let perSecond = deviceBytes(of: flash) / (Double(microseconds) * 1e-6)
    return Double(enduranceBytes) / perSecond / 31_557_600
  }
}
