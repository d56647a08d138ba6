import Testing

@testable import LarderTraces

/// Real traces decode to exactly the requests that others count in them.
@Suite(.enabled(if: ReferenceTraces.areAvailable, "LARDER_TRACES is not set"))
struct ReferenceTraceTests {
  struct Facts: Sendable, CustomTestStringConvertible {
    var file: String
    var requests: Int
    var objects: Int
    var testDescription: String { file }
  }

  static let all = [
    Facts(file: "arc/OLTP.lis.zst", requests: 914_145, objects: 186_880),
    Facts(file: "arc/P3.lis.zst", requests: 3_912_296, objects: 762_543),
    Facts(file: "cloudPhysicsIO.oracleGeneral.zst", requests: 113_872, objects: 48_974),
  ]

  @Test(arguments: all)
  func hasTheRequestsAndObjectsThatOthersCount(_ facts: Facts) throws {
    let trace = try PreparedTrace.load(path: ReferenceTraces.path(facts.file))
    #expect(trace.requests.count == facts.requests)
    #expect(trace.requests.objects == facts.objects)
  }
}
