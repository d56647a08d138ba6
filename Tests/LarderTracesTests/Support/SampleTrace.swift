import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// A small trace of our own in every format, with its expected records. Its bytes are those of the
/// file in `Workloads/samples`.
struct SampleTrace: Sendable, CustomTestStringConvertible {
  var format: String
  var file: String
  let bytes: [UInt8]
  var records: [TraceRecord]

  init(format: String, file: String, records: [TraceRecord]) {
    self.format = format
    self.file = file
    self.records = records
    bytes = Array(FileManager.default.contents(atPath: "\(Repository.samples)/\(file)") ?? Data())
  }

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

  static let oracleGeneral = SampleTrace(
    format: "oracle-general", file: "sample.oracleGeneral", records: timed)

  static let csv = SampleTrace(
    format: "csv", file: "sample.csv",
    records: requests.map {
      TraceRecord(
        key: KeyHash.hash("/news/\($0.id)"), time: UInt64($0.time) * 1_000_000 + 250_000,
        size: $0.size)
    })

  static let csvWithOperations = SampleTrace(
    format: "csv", file: "sample-operations.csv",
    records: [
      TraceRecord(key: 1, time: 1_000_000, size: 10, ttl: 60, cost: 1.5),
      TraceRecord(key: 2, time: 2_000_000, size: 20, operation: .set),
      TraceRecord(key: 1, time: 3_000_000, size: 10, operation: .delete),
      TraceRecord(key: 2, time: 3_500_000, size: 20, operation: .modify),
      TraceRecord(key: 1, time: 4_000_000, size: 0, ttl: 60, cost: 0.25),
    ])

  static let txt = SampleTrace(
    format: "txt", file: "sample.txt",
    records: bare
      + [String](repeating: "front-page.html", count: 2).map {
        TraceRecord(key: KeyHash.hash($0))
      })

  static let arc = SampleTrace(
    format: "arc", file: "sample.lis",
    records: [10, 20, 21, 22, 23, 10, 11, 22].map { TraceRecord(key: $0) })

  static let lirs = SampleTrace(
    format: "lirs", file: "sample.trc", records: bare)

  static let vscsi1 = SampleTrace(
    format: "vscsi", file: "sample.vscsi", records: timed)

  static let vscsi2 = SampleTrace(
    format: "vscsi", file: "sample-version-2.vscsi", records: timed)

  static let adaptSize = SampleTrace(
    format: "adapt-size", file: "sample.tr", records: timed)

  static let cache2k = SampleTrace(
    format: "cache2k", file: "sample.trace", records: bare)

  static let larder = SampleTrace(
    format: "larder", file: "sample.larder",
    records: zip([1, 2, 1, 3, 1, 2, 4, 3, 5, 1, 5, 6, 2, 3, 7, 1], timed).map {
      TraceRecord(key: $0, time: $1.time, size: $1.size)
    })

  /// The bytes of a number, the lowest first.
  static func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
