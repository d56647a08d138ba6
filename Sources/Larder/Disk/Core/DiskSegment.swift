/// What is known of one segment file.
struct DiskSegment {
  /// Where the next value begins.
  var end: UInt64 = 0
  /// Bytes of the file in whole pages: a recycled one may be longer than what it holds.
  var size: UInt64 = 0
  /// Bytes of the pages of values that count.
  var live: UInt64 = 0
  /// Values that count, those of the open transaction among them.
  var values = 0
  /// Whether it was recycled and something stayed: it is not chosen again.
  var isSpent = false
}
