import Foundation
import Testing

@testable import LarderTraces

/// Real traces are decoded to the requests that other programs count in them.
@Suite(.enabled(if: ReferenceTraces.areAvailable, "LARDER_TRACES is not set"))
struct ReferenceTraceTests {
  /// Counted by other programs (for ARC and LIRS also printed in the papers).
  struct Facts: Sendable, CustomTestStringConvertible {
    var file: String
    var format: String
    var requests: Int
    var objects: Int
    var bytes: UInt64?
    var testDescription: String { file }
  }

  static let all = [
    Facts(file: "arc/OLTP.lis.zst", format: "arc", requests: 914_145, objects: 186_880),
    Facts(file: "arc/P3.lis.zst", format: "arc", requests: 3_912_296, objects: 762_543),
    Facts(file: "lirs/multi1.trace.gz", format: "lirs", requests: 15_858, objects: 2606),
    Facts(file: "lirs/multi2.trace.gz", format: "lirs", requests: 26_311, objects: 5684),
    Facts(file: "lirs/sprite.trace.gz", format: "lirs", requests: 133_996, objects: 7075),
    Facts(file: "lirs/gli.trace.gz", format: "lirs", requests: 6015, objects: 2529),
    Facts(file: "lirs/cpp.trace.gz", format: "lirs", requests: 9047, objects: 1223),
    Facts(file: "lirs/2_pools.trace.gz", format: "lirs", requests: 100_000, objects: 9939),
    Facts(file: "lirs/loop.trace.gz", format: "lirs", requests: 505_500, objects: 1011),
    Facts(
      file: "cloudPhysicsIO.oracleGeneral.zst", format: "oracle-general", requests: 113_872,
      objects: 48_974, bytes: 4_368_040_448),
    Facts(
      file: "cloudPhysicsIO.csv.zst", format: "csv", requests: 113_872, objects: 48_974,
      bytes: 4_205_978_112),
    Facts(
      file: "cloudPhysicsIO.vscsi.zst", format: "vscsi", requests: 113_872, objects: 48_974,
      bytes: 4_205_978_112),
    Facts(file: "webcachesim_test.tr", format: "adapt-size", requests: 10_492, objects: 960),
    Facts(
      file: "cache2k/orm-busy.trace.xz", format: "cache2k", requests: 5_000_000, objects: 76_349),
    Facts(file: "cache2k/web07.trace.xz", format: "cache2k", requests: 76_118, objects: 20_484),
    Facts(file: "web/nasa_19950801.tr.zst", format: "adapt-size", requests: 27_824, objects: 1731),
    Facts(file: "web/nasa_19950801.csv.zst", format: "csv", requests: 30_873, objects: 2088),
  ]

  @Test(arguments: all)
  func countsEqualThoseOfOtherPrograms(_ facts: Facts) throws {
    let path = ReferenceTraces.path(facts.file)
    #expect(try FileSource(path: path).format.name == facts.format)
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.requests.count == facts.requests)
    #expect(trace.requests.objects == facts.objects)
    if let bytes = facts.bytes { #expect(TraceAnalysis(trace).bytesRequested == bytes) }
  }

  @Test func theSameTraceInTwoFormatsHasTheSameRequests() throws {
    let csv = try allRecords(FileSource(path: ReferenceTraces.path("cloudPhysicsIO.csv.zst")))
    let vscsi = try allRecords(FileSource(path: ReferenceTraces.path("cloudPhysicsIO.vscsi.zst")))
    #expect(csv.map(\.key) == vscsi.map(\.key))
    #expect(csv.map(\.size) == vscsi.map(\.size))
  }

  @Test func nextUsesEqualThoseOfLibCacheSim() throws {
    let path = ReferenceTraces.path("cloudPhysicsIO.oracleGeneral.zst")
    let reader = ByteReader(try Compression.open(try FileBytes(path: path)), path: path)
    let size = BinaryFormat.oracleGeneralSize
    var theirs: [UInt32] = []
    while try reader.fill(atLeast: size) {
      let next = reader.unread.loadUnaligned(fromByteOffset: 16, as: Int64.self)
      // libCacheSim counts requests from 1.
      theirs.append(next < 0 || next == .max ? .max : UInt32(next - 1))
      reader.consume(size)
    }
    let trace = try PreparedTrace.load(path: path).withNextUses().requests
    let ours = UnsafeBufferPointer(start: trace.nextUses, count: trace.count)
    #expect(theirs.count == ours.count)
    #expect(zip(theirs, ours).allSatisfy { $0 == $1 })
  }
}
