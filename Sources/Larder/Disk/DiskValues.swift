/// Where a disk cache stores values above `DiskConfiguration.inlineBytesMax`.
///
/// A cache opens folders written with either choice: values stay where they are and new ones are
/// stored as configured.
public enum DiskValues: Sendable, Hashable {
  /// Each in a file of its own.
  case files
  /// Appended to segment files of up to so many bytes, from `segmentBytesMin` to
  /// `segmentBytesLargest`, which need neither to be created nor to be renamed for each value.
  /// A value that is larger than a segment is stored in a file of its own.
  ///
  /// Replaced and removed values leave dead bytes. When these exceed a third of the live bytes plus
  /// one segment, the segment with the smallest live share is recycled: its live values are copied
  /// to the open segment, never evicted, so hit ratios are those of separate files. In addition to
  /// that bound, the folder holds the open segment, up to two empty ones to write over, and the
  /// end of each segment in which the next value had no room. Values take whole pages of 4 KiB.
  case segments(bytes: Int)

  /// The smallest segment.
  public static var segmentBytesMin: Int { 4 << 10 }
  /// The largest segment.
  public static var segmentBytesLargest: Int { 1 << 30 }

  /// Bytes of a segment, 0 for none.
  var segmentBytes: Int {
    switch self {
    case .files: 0
    case .segments(let bytes): bytes
    }
  }
}
