import LarderEngine

@testable import LarderTraces

/// Samples of formats with operations, sizes and TTLs.
extension SampleTrace {
  private static let mark: UInt64 = 0x1234_5678_9abc_def0

  /// The header of 8192 bytes and records of version 3.
  static let lcs: SampleTrace = {
    func record(_ time: UInt32, _ id: UInt64, _ size: Int64, _ op: UInt32, _ ttl: UInt32) -> [UInt8]
    {
      // The tenant is in the bits above the operation.
      little(time) + little(id) + little(size) + little(op | 9 << 8) + little(ttl)
        + little(Int64(-1))
    }
    var bytes = little(mark) + little(UInt64(3)) + [UInt8](repeating: 0, count: 8192 - 24)
    bytes += little(mark)
    bytes += record(100, 7, 4096, 1, 0) + record(101, 9, 512, 3, 60) + record(101, 7, 4096, 2, 0)
    bytes += record(102, 9, 512, 9, 0) + record(103, 12, 0, 255, 0)
    return SampleTrace(
      format: "lcs", file: "sample.lcs", bytes: bytes,
      records: [
        TraceRecord(key: 7, time: 100_000_000, size: 4096),
        TraceRecord(key: 9, time: 101_000_000, size: 512, ttl: 60, operation: .set),
        TraceRecord(key: 7, time: 101_000_000, size: 4096),
        TraceRecord(key: 9, time: 102_000_000, size: 512, operation: .delete),
        TraceRecord(key: 12, time: 103_000_000, size: 0),
      ])
  }()

  /// The older header of 1024 bytes with a format string.
  static let lcsOlder: SampleTrace = {
    var bytes = little(mark) + Array("<QIhB".utf8) + [UInt8](repeating: 0, count: 235)
    bytes += [1, 2, 3, 0, 0, 4, 0, 0, 0] + [UInt8](repeating: 0, count: 231 + 64 * 8)
    bytes += little(UInt32(4)) + little(UInt32(15)) + little(UInt64(0)) + little(mark)
    bytes += little(UInt64(7)) + little(UInt32(4096)) + little(Int16(100)) + [1]
    bytes += little(UInt64(7)) + little(UInt32(0)) + little(Int16(101)) + [3]
    return SampleTrace(
      format: "lcs", file: "sample-older.lcs", bytes: bytes,
      records: [
        TraceRecord(key: 7, time: 100_000_000, size: 4096),
        TraceRecord(key: 7, time: 101_000_000, size: 0, operation: .set),
      ])
  }()

  /// A miss in production (value 0) before the set that filled it, and one after.
  static let twitter = SampleTrace(
    format: "twitter", file: "sample.twitter",
    bytes: lines([
      "100,user:7,6,0,1,get,0", "100,user:7,6,94,1,set,3600", "101,user:7,6,94,2,gets,0",
      "105,user:7,6,0,2,get,0", "106,user:7,6,0,2,delete,0", "107,empty,0,0,2,get,0",
    ]),
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
    bytes: lines([
      "op_time,key,key_size,op,op_count,size,cache_hits,ttl", "100,a54f,10,GET,2,0,0,0",
      "101,a54f,10,SET,1,90,0,7200", "102,a54f,10,GET_LEASE,1,90,1,0", "103,17,0,GET,1,0,0,",
      "104,a54f,10,DELETE,1,0,0,0",
    ]),
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
    bytes: lines([
      "128166372003061629,usr,0,Read,1000,1024,41286",
      "128166372016382155,usr,0,Write,4096,512,1963",
      "128166372026382245,usr,1,Read,1024,512,1",
      "128166372036382245,usr,1,Read,1024,0,1",
    ]),
    records: [(0, 1, 12_816_637_200_306_162), (0, 2, 12_816_637_200_306_162)].map(block)
      + [(0, 3, 12_816_637_200_306_162), (1, 2, 12_816_637_202_638_224)].map(block))

  /// Addresses and times of the requests of `spc`, `alibabaBlock` and `tencentBlock`.
  private static let accesses: [(device: String, sector: UInt64, size: UInt32)] = [
    ("1", 8, 4096), ("2", 8, 8192), ("1", 8, 4096), ("1", 16, 8192),
  ]

  private static func accesses(sector: UInt64, time: UInt64, step: UInt64) -> [TraceRecord] {
    accesses.enumerated().map { number, access in
      TraceRecord(
        key: BlockRun.key(device: KeyHash.hash(access.device), access.sector * sector),
        time: time + UInt64(number) * step, size: access.size)
    }
  }

  static let spc = SampleTrace(
    format: "spc", file: "sample.spc",
    bytes: lines([
      "1,8,4096,R,0.000000", "2,8,8192,w,0.250000", "1,8,4096,r,0.500000", "1,16,8192,W,0.750000",
    ]),
    records: accesses(sector: 1, time: 0, step: 250_000))

  static let alibabaBlock = SampleTrace(
    format: "alibaba-block", file: "sample.alibaba.csv",
    bytes: lines([
      "1,R,4096,4096,1577808000000000", "2,W,4096,8192,1577808000000250",
      "1,R,4096,4096,1577808000000500", "1,W,8192,8192,1577808000000750",
    ]),
    records: accesses(sector: 512, time: 1_577_808_000_000_000, step: 250))

  static let tencentBlock = SampleTrace(
    format: "tencent-block", file: "sample.tencent.csv",
    bytes: lines([
      "1538323200,8,8,0,1", "1538323201,8,16,1,2", "1538323202,8,8,0,1", "1538323203,16,16,1,1",
    ]),
    records: accesses(sector: 1, time: 1_538_323_200_000_000, step: 1_000_000))

  private static func block(_ disk: Int, _ number: UInt64, _ time: UInt64) -> TraceRecord {
    TraceRecord(
      key: KeyHash.hash("usr,\(disk)") &+ number &* 0x9E37_79B9_7F4A_7C15, time: time, size: 512)
  }

  private static func lines(_ lines: [String]) -> [UInt8] {
    lines.flatMap { Array("\($0)\n".utf8) }
  }
}
