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

  static let metaBlock = SampleTrace(
    format: "meta-block", file: "sample.meta-block",
    bytes: lines([
      "op_time block_id block_id_size io_size io_offset user_name op_name op_count host_name",
      "1772359200.000 1 8388608 4096 4096 7 getChunkData.NotInitialized 1 3",
      "1772359200.250 2 8388608 8192 4096 7 putChunk.Permanent 1 3",
      "1772359200.500 1 8388608 4096 4096 7 getChunkData.Permanent 1 3",
      "1772359200.750 1 8388608 8192 8192 7 getChunkData.Permanent 1 3",
    ]),
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
      bytes: lines([
        "1219008 REST.PUT.OBJECT 8d4fcda3d675bac9 1056",
        "1221974 REST.HEAD.OBJECT 39d177fb735ac5df 528",
        "1232437 REST.GET.OBJECT 8d4fcda3d675bac9 1056 0 527",
        "1232488 REST.GET.OBJECT 5c6f60f24b9bf2ce 0", "1234545 REST.DELETE.OBJECT 8d4fcda3d675bac9",
      ]),
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
    bytes: lines(
      [
        "1000 4892 syslogd 8 8 W 6 1", "251000 20782 tmux: server 8 16 R 6 2",
        "501000 20782 gzip 8 8 R 6 1", "751000 20782 gzip 16 16 R 6 1",
      ].map { "\($0) 531e779d6e33acd85bc4b8e2bd4b1d0a" }),
    records: accesses(sector: 1, time: 1, step: 250, before: "6 "))

  static let blkparse = SampleTrace(
    format: "blkparse", file: "sample.blkparse",
    bytes: lines([
      "  8,1    0        1     0.000000000  4711  Q   W 8 + 8 [fio]",
      "  8,1    0        2     0.000010000  4711  G   W 8 + 8 [fio]",
      "  8,1    0        3     0.000030000  4711  P   N [fio]",
      "  8,1    0        4     0.000200000  4711  D   W 8 + 8 [fio]",
      "  8,2    3        5     0.250000000   697  Q  RA 8 + 16 [tmux: server]",
      "  8,1    0        6     0.400000000     0  C   W 8 + 8 [0]",
      "  8,1    1        7     0.500000000  4711  Q FWS 8 + 8 [fio]",
      "  8,1    1        8     0.600000000  4711  Q FWS [fio]",
      "  8,1    1        9     0.750000000  4711  Q  WS 16 + 16 [fio]", "CPU0 (8,1):",
      " Reads Queued:           1,        8KiB\t Writes Queued:           3,       16KiB",
    ]),
    records: accesses(sector: 1, time: 0, step: 250_000, before: "8,"))

  static let fio2 = SampleTrace(
    format: "fio-iolog2", file: "sample.iolog2",
    bytes: lines([
      "fio version 2 iolog", "/dev/1 add", "/dev/1 open", "/dev/1 write 4096 4096",
      "/dev/2 read 4096 8192", "/dev/1 datasync 0 0", "/dev/1 read 4096 4096",
      "/dev/1 write 8192 8192", "/dev/1 trim 0 4096", "/dev/1 close",
    ]),
    records: accesses(sector: 512, time: 0, step: 0, before: "/dev/"))

  static let fio3 = SampleTrace(
    format: "fio-iolog3", file: "sample.iolog3",
    bytes: lines([
      "fio version 3 iolog", "2 /dev/1 add", "872 /dev/1 open", "878 /dev/1 write 4096 4096",
      "888 /dev/2 read 4096 8192", "890 /dev/1 datasync 0 0", "898 /dev/1 read 4096 4096",
      "908 /dev/1 write 8192 8192", "10001677 /dev/1 close",
    ]),
    records: accesses(sector: 512, time: 878, step: 10, before: "/dev/"))

  static let biosnoop = SampleTrace(
    format: "biosnoop", file: "sample.biosnoop",
    bytes: lines([
      "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  LAT(ms)",
      "0.000000    kworker/u16:4  100     sd1       W 8          4096      0.10",
      "0.250000    tmux: server   101     sd2       R 8          8192      1.10",
      "0.400000    jbd2/sda1-8    102     sd1       W -1         0         0.50",
      "0.500000    postgres       102     sd1      RA 8          4096      2.10",
      "0.750000    postgres       102     sd1      WS 16         8192      2.10",
    ]),
    records: accesses(sector: 1, time: 0, step: 250_000, before: "sd"))

  private static func block(_ disk: Int, _ number: UInt64, _ time: UInt64) -> TraceRecord {
    TraceRecord(
      key: KeyHash.hash("usr,\(disk)") &+ number &* 0x9E37_79B9_7F4A_7C15, time: time, size: 512)
  }

  private static func lines(_ lines: [String]) -> [UInt8] {
    lines.flatMap { Array("\($0)\n".utf8) }
  }
}
