import LarderEngine

@testable import LarderTraces

/// Samples of formats with operations, sizes and TTLs.
extension SampleTrace {
  /// The header of 8192 bytes and records of version 3.
  static let lcs = SampleTrace(
    format: "lcs", file: "sample.lcs",
    records: [
      TraceRecord(key: 7, time: 100_000_000, size: 4096),
      TraceRecord(key: 9, time: 101_000_000, size: 512, ttl: 60, operation: .set),
      TraceRecord(key: 7, time: 101_000_000, size: 4096),
      TraceRecord(key: 9, time: 102_000_000, size: 512, operation: .delete),
      TraceRecord(key: 12, time: 103_000_000, size: 0),
    ])

  /// The older header of 1024 bytes with a format string.
  static let lcsOlder = SampleTrace(
    format: "lcs", file: "sample-older.lcs",
    records: [
      TraceRecord(key: 7, time: 100_000_000, size: 4096),
      TraceRecord(key: 7, time: 101_000_000, size: 0, operation: .set),
    ])

  /// A miss in production (value 0) before the set that filled it, and one after.
  static let twitter = SampleTrace(
    format: "twitter", file: "sample.twitter",
    records: [
      TraceRecord(key: KeyHash.hash("user:7"), time: 100_000_000, size: 6),
      TraceRecord(
        key: KeyHash.hash("user:7"), time: 100_000_000, size: 100, ttl: 3600, operation: .set),
      TraceRecord(key: KeyHash.hash("user:7"), time: 101_000_000, size: 100),
      TraceRecord(key: KeyHash.hash("user:7"), time: 105_000_000, size: 100),
      TraceRecord(
        key: KeyHash.hash("user:7"), time: 106_000_000, size: 100, operation: .delete),
      TraceRecord(key: KeyHash.hash("empty"), time: 107_000_000, size: 0),
    ])

  /// Rows that represent several requests, and columns in another order than Meta's.
  static let metaKV = SampleTrace(
    format: "meta-kv", file: "sample.meta-kv",
    records: [
      TraceRecord(key: KeyHash.hash("a54f"), time: 100_000_000, size: 10),
      TraceRecord(key: KeyHash.hash("a54f"), time: 100_000_000, size: 10),
      TraceRecord(
        key: KeyHash.hash("a54f"), time: 101_000_000, size: 100, ttl: 7200, operation: .set),
      TraceRecord(key: KeyHash.hash("a54f"), time: 102_000_000, size: 100),
      TraceRecord(key: 17, time: 103_000_000, size: 0),
      TraceRecord(
        key: KeyHash.hash("a54f"), time: 104_000_000, size: 100, operation: .delete),
    ])

  /// A read of three blocks, a skipped write, and an empty read.
  static let msrCambridge = SampleTrace(
    format: "msr-cambridge", file: "sample.msr",
    records: [(0, 1, 12_816_637_200_306_162), (0, 2, 12_816_637_200_306_162)].map(block)
      + [(0, 3, 12_816_637_200_306_162), (1, 2, 12_816_637_202_638_224)].map(block))

  /// Addresses and times of the requests of block traces.
  private static let accesses: [(device: String, sector: UInt64, size: UInt32)] = [
    ("1", 8, 4096), ("2", 8, 8192), ("1", 8, 4096), ("1", 16, 8192),
  ]

  private static func accesses(
    sector: UInt64, time: UInt64, step: UInt64, before: String = "", after: String = ""
  ) -> [TraceRecord] {
    accesses.enumerated().map { number, access in
      let device = before + access.device + after
      return TraceRecord(
        key: BlockRun.key(device: KeyHash.hash(device), access.sector * sector),
        time: time + UInt64(number) * step, size: access.size)
    }
  }

  static let spc = SampleTrace(
    format: "spc", file: "sample.spc",
    records: accesses(sector: 1, time: 0, step: 250_000))

  static let alibabaBlock = SampleTrace(
    format: "alibaba-block", file: "sample.alibaba.csv",
    records: accesses(sector: 512, time: 1_577_808_000_000_000, step: 250))

  static let tencentBlock = SampleTrace(
    format: "tencent-block", file: "sample.tencent.csv",
    records: accesses(sector: 1, time: 1_538_323_200_000_000, step: 1_000_000))

  static let metaBlock = SampleTrace(
    format: "meta-block", file: "sample.meta-block",
    records: accesses(sector: 512, time: 1_772_359_200_000_000, step: 250_000))

  static let ibmObjects: SampleTrace = {
    func record(
      _ time: UInt64, _ key: String, _ size: UInt32?, _ operation: Operation = .get
    ) -> TraceRecord {
      TraceRecord(
        key: KeyHash.hash(key), time: time, size: size ?? 0, operation: operation,
        isSizeKnown: size != nil)
    }
    return SampleTrace(
      format: "ibm-cos", file: "sample.ibm-cos",
      records: [
        record(1_219_008_000, "8d4fcda3d675bac9", 1056, .set),
        record(1_221_974_000, "39d177fb735ac5df", 528),
        record(1_232_437_000, "8d4fcda3d675bac9", 1056),
        record(1_232_488_000, "5c6f60f24b9bf2ce", 0),
        record(1_234_545_000, "8d4fcda3d675bac9", nil, .delete),
      ])
  }()

  static let fiu = SampleTrace(
    format: "fiu", file: "sample.fiu",
    records: accesses(sector: 1, time: 1, step: 250, before: "6 "))

  static let blkparse = SampleTrace(
    format: "blkparse", file: "sample.blkparse",
    records: accesses(sector: 1, time: 0, step: 250_000, before: "8,"))

  static let fio2 = SampleTrace(
    format: "fio-iolog2", file: "sample.iolog2",
    records: accesses(sector: 512, time: 0, step: 0, before: "/dev/"))

  static let fio3 = SampleTrace(
    format: "fio-iolog3", file: "sample.iolog3",
    records: accesses(sector: 512, time: 878, step: 10, before: "/dev/"))

  static let biosnoop = SampleTrace(
    format: "biosnoop", file: "sample.biosnoop",
    records: accesses(sector: 1, time: 0, step: 250_000, before: "sd"))

  private static func block(_ disk: Int, _ number: UInt64, _ time: UInt64) -> TraceRecord {
    TraceRecord(
      key: KeyHash.hash("usr,\(disk)") &+ number &* 0x9E37_79B9_7F4A_7C15, time: time, size: 512)
  }
}
