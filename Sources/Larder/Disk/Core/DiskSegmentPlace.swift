import LarderEngine

/// Where a value begins in a segment. Rows name it by a number that no file of a single value has.
struct DiskSegmentPlace: Hashable {
  /// The largest number of a segment that is taken for one, far from where counting ends.
  static var segmentMax: UInt64 { 1 << 39 }
  private static var flag: UInt64 { 1 << 61 }
  private static var pageBits: UInt64 { 20 }

  var segment: UInt64
  /// A multiple of `SegmentLedger.pageBytes`.
  var offset: UInt64

  init(segment: UInt64, offset: UInt64) {
    self.segment = segment
    self.offset = offset
  }

  /// Nil for the number of a file of a single value.
  init?(_ number: UInt64) {
    guard number & Self.flag != 0 else { return nil }
    segment = (number ^ Self.flag) >> Self.pageBits
    offset = (number & (1 << Self.pageBits - 1)) * SegmentLedger.pageBytes
  }

  var number: UInt64 { Self.flag | segment << Self.pageBits | offset / SegmentLedger.pageBytes }
}
