import Larder
import LarderEngine

extension WorkloadKeys {
  /// How a disk tier writes.
  static let layoutKeys: [Key<TierEntry>] = [
    Key(
      "layout", .choice(), \.layout,
      "how objects are arranged on flash, which also decides what is evicted: `log`, `sets` or "
        + "`kangaroo`, see [flash](flash.md). Only for a simulated `disk` whose capacity is in "
        + "bytes", default: "none; the policy decides, and each object is written once",
      example: "log"),
    Key(
      "region", .bytes(FlashLayout.regions, such: "16MiB"), \.parts.region,
      "layouts `log` and `kangaroo`: bytes of a region of the log",
      default: "`16MiB`; `256KiB` for `kangaroo`", example: "16MiB"),
    Key(
      "reinsert-hits", .whole(0...FlashLayout.thresholds.upperBound), \.parts.reinsertHits,
      "layouts `log` and `kangaroo`: hits since an object was written from which it is written to "
        + "the log again when its region is reclaimed; 0 for never",
      default: "`0`; `1` for `kangaroo`", example: "1"),
    Key(
      "log", .share, \.parts.log, "layout `kangaroo`: the log's share of the capacity",
      default: "`5%`", example: "5%"),
    Key(
      "threshold", .whole(FlashLayout.thresholds), \.parts.threshold,
      "layout `kangaroo`: objects of a bucket that must be in the log to be moved to the bucket",
      default: "`2`", example: "2"),
    Key(
      "segment",
      .bytes(
        UInt64(DiskValues.segmentBytesMin)...UInt64(DiskValues.segmentBytesLargest), such: "64MiB"),
      \.spec.segmentBytes,
      "appends values above `inline` (see `execute`) to segment files of this size, which are "
        + "recycled: see [flash](flash.md). Only for a `disk` whose capacity is in bytes; policies "
        + "apply", default: "none; a file for each large value", example: "64MiB"),
    Key(
      "drive", .map(drive, into: DriveSpec()), \.spec.drive,
      "the drive, for the report's estimates of device writes and life: see [flash](flash.md)",
      default: "80% in use, unknown endurance", example: "{endurance: 600TB, utilisation: 80%}"),
  ]

  /// A flash drive.
  static let drive = Section<DriveSpec>(
    "drive", "A flash drive.", expected: "a map such as {endurance: 600TB, utilisation: 80%}",
    keys: [
      Key(
        "endurance", .bytes(1...(1 << 60), such: "600TB"), \.enduranceBytes,
        "bytes that may be written to the drive in its life (TBW), as its data sheet says",
        default: "none; the report estimates no life", example: "600TB"),
      Key(
        "utilisation", .share, \.utilisation,
        "the part of the drive that is in use; the fuller it is, the more the device writes itself",
        default: "`80%`", example: "50%"),
    ])
}
