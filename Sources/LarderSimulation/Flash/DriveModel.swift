import LarderWorkloads

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
