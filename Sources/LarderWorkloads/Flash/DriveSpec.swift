import LarderEngine

/// A flash drive as a workload describes it: assumptions that reports compute with.
package struct DriveSpec: Sendable, Hashable {
  /// Bytes that may be written to the device in its life; nil where nobody says so.
  package var enduranceBytes: UInt64?
  /// The part of the device that is in use, on which its own write amplification depends.
  package var utilisation: Share

  /// A drive.
  package init(
    enduranceBytes: UInt64? = nil, utilisation: Share = DriveSpec.defaultUtilisation
  ) {
    self.enduranceBytes = enduranceBytes
    self.utilisation = utilisation
  }

  /// The utilisation unless somebody says otherwise.
  package static let defaultUtilisation = Share(percent: 80)
}
