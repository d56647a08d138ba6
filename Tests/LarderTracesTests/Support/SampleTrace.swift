import LarderEngine
import Testing

@testable import LarderTraces

/// A small trace of our own in every format, with its expected records. The files in
/// `Workloads/samples` are generated from it.
struct SampleTrace: Sendable, CustomTestStringConvertible {
  var format: String
  var file: String
  var bytes: [UInt8]
  var records: [TraceRecord]

  var testDescription: String { file }

  /// Requests of most samples: seconds, object, bytes. Hits, one-hit wonders, a size that changes,
  /// a size of 0, and sizes on both sides of 20 KiB.
  static let requests: [(time: UInt32, id: UInt64, size: UInt32)] = [
    (100, 7, 4096), (100, 9, 512), (101, 7, 4096), (103, 12, 30_000), (103, 7, 8192), (104, 9, 512),
    (110, 4_000_000_000, 1), (111, 12, 30_000), (111, 15, 0), (112, 7, 4096), (112, 15, 0),
    (120, 21, 65_536), (121, 9, 512), (130, 12, 30_000), (131, 33, 100), (131, 7, 4096),
  ]

  static let all: [SampleTrace] =
    [
      oracleGeneral, csv, csvWithOperations, txt, arc, lirs, vscsi1, vscsi2, adaptSize, cache2k,
      lcs, lcsOlder, twitter, metaKV, msrCambridge, spc, alibabaBlock, tencentBlock, metaBlock,
      ibmObjects, fiu, blkparse, fio2, fio3, biosnoop, larder, recorded,
    ] + logs

  private static let timed = requests.map {
    TraceRecord(key: $0.id, time: UInt64($0.time) * 1_000_000, size: $0.size)
  }
  private static let bare = requests.map { TraceRecord(key: $0.id) }

  /// The number, from 1, of the next request of the same object, or -1.
  private static func next(_ index: Int) -> Int64 {
    let later = requests[(index + 1)...].firstIndex { $0.id == requests[index].id }
    return later.map { Int64($0) + 1 } ?? -1
  }

  static let oracleGeneral = SampleTrace(
    format: "oracle-general", file: "sample.oracleGeneral",
    bytes: requests.indices.flatMap { index in
      let request = requests[index]
      return joined(
        little(request.time), little(request.id), little(request.size), little(next(index)))
    },
    records: timed)

  static let csv = SampleTrace(
    format: "csv", file: "sample.csv",
    bytes: text(
      ["timestamp,object,bytes"] + requests.map { "\($0.time).25,/news/\($0.id),\($0.size)" }),
    records: requests.map {
      TraceRecord(
        key: KeyHash.hash("/news/\($0.id)"), time: UInt64($0.time) * 1_000_000 + 250_000,
        size: $0.size)
    })

  static let csvWithOperations = SampleTrace(
    format: "csv", file: "sample-operations.csv",
    bytes: text([
      "time,id,size,op,ttl,cost", "1,1,10,get,60,1.5", "2,2,20,set,0,1.0", "3,1,10,delete,0,1.0",
      "3.5,2,20,modify,0,1.0", "4,1,0,get,60,0.25",
    ]),
    records: [
      TraceRecord(key: 1, time: 1_000_000, size: 10, ttl: 60, cost: 1.5),
      TraceRecord(key: 2, time: 2_000_000, size: 20, operation: .set),
      TraceRecord(key: 1, time: 3_000_000, size: 10, operation: .delete),
      TraceRecord(key: 2, time: 3_500_000, size: 20, operation: .modify),
      TraceRecord(key: 1, time: 4_000_000, size: 0, ttl: 60, cost: 0.25),
    ])

  static let txt = SampleTrace(
    format: "txt", file: "sample.txt",
    bytes: text(requests.map { "\($0.id)" } + ["", "front-page.html", "front-page.html"]),
    records: bare
      + [String](repeating: "front-page.html", count: 2).map {
        TraceRecord(key: KeyHash.hash($0))
      })

  static let arc = SampleTrace(
    format: "arc", file: "sample.lis",
    bytes: text(["10 1 0 0", "20 4 0 1", "10 2 0 2", "22 1 0 3"]),
    records: [10, 20, 21, 22, 23, 10, 11, 22].map { TraceRecord(key: $0) })

  static let lirs = SampleTrace(
    format: "lirs", file: "sample.trc",
    bytes: text(
      requests.prefix(8).map { "\($0.id)" } + ["*", ""] + requests.dropFirst(8).map { "\($0.id)" }),
    records: bare)

  static let vscsi1 = SampleTrace(
    format: "vscsi", file: "sample.vscsi",
    bytes: requests.enumerated().flatMap { index, request in
      joined(
        little(UInt32(index)), little(request.size), little(UInt32(1)), little(UInt16(0x28)),
        little(UInt16(0x0100)), little(request.id), little(UInt64(request.time) * 1_000_000))
    },
    records: timed)

  static let vscsi2 = SampleTrace(
    format: "vscsi", file: "sample-version-2.vscsi",
    bytes: requests.enumerated().flatMap { index, request in
      joined(
        little(UInt16(0x2A)), little(UInt16(0x0200)), little(UInt32(index)), little(request.size),
        little(UInt32(1)), little(request.id), little(UInt64(request.time) * 1_000_000),
        little(UInt64(250)))
    },
    records: timed)

  static let adaptSize = SampleTrace(
    format: "adapt-size", file: "sample.tr",
    bytes: text(requests.map { "\($0.time) \($0.id) \($0.size)" }), records: timed)

  static let cache2k = SampleTrace(
    format: "cache2k", file: "sample.trace",
    bytes: requests.flatMap { little(UInt32($0.id).byteSwapped) }, records: bare)

  /// Written by hand, not by the writer, so that the two verify each other.
  static let larder: SampleTrace = {
    let dense: [UInt32] = [1, 2, 1, 3, 1, 2, 4, 3, 5, 1, 5, 6, 2, 3, 7, 1]
    let ids = dense.flatMap { little($0) }
    let sizes = requests.flatMap { little($0.size) }
    let times = timed.flatMap { little($0.time) }
    let columns: [(kind: UInt32, element: UInt32, bytes: [UInt8])] = [
      (1, 4, ids), (2, 4, sizes), (3, 8, times),
    ]
    let name = Array("sample".utf8)
    // First sizes of 7, 9, 12, 4000000000, 15, 21, 33.
    let footprint: UInt64 = 4096 + 512 + 30_000 + 1 + 0 + 65_536 + 100
    var offset = 192
    var directory: [UInt8] = []
    var body: [UInt8] = []
    for column in columns {
      directory += joined(little(column.kind), little(column.element), little(UInt64(offset)))
      directory += little(UInt64(column.bytes.count))
      directory += little(column.bytes.withUnsafeBytes { LarderChecksum.of($0) })
      body += column.bytes
      offset += column.bytes.count
    }
    var header = joined([0x89], Array("LARDER\n".utf8), little(UInt32(1)))
    header += joined(little(UInt32(72 + 32 * 3 + name.count)), little(UInt64(192 + body.count)))
    header += joined(little(UInt64(16)), little(UInt64(7)), little(footprint), little(UInt64(0)))
    header += joined(
      little(UInt32(3)), little(UInt32(name.count)), little(UInt64(0)), directory, name)
    let checksum = header.withUnsafeBytes { LarderChecksum.of($0) }
    header.replaceSubrange(64..<72, with: little(checksum))
    let padding = [UInt8](repeating: 0, count: 192 - header.count)
    return SampleTrace(
      format: "larder", file: "sample.larder", bytes: header + padding + body,
      records: zip(dense, timed).map {
        TraceRecord(key: UInt64($0), time: $1.time, size: $1.size)
      })
  }()

  /// The bytes of a number, the lowest first.
  static func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

  private static func text(_ lines: [String]) -> [UInt8] { lines.flatMap { Array("\($0)\n".utf8) } }
}
