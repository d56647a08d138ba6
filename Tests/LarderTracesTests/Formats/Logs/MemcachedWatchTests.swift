import LarderEngine
import Testing

@testable import LarderTraces

@Suite struct MemcachedWatchTests {
  private static let events = """
    ts=1772359200.1 gid=1 type=item_get key=a status=found clsid=1 cfd=25 size=5
    skipped=17
    ts=1772359201.2 gid=2 type=item_get key=b status=found clsid=1 cfd=25 size=5
    skipped=18446744073709551615

    """

  /// Events that the server dropped are reported, and are not bad lines.
  @Test func skippedEventsAreCounted() throws {
    let folder = try TestFolder()
    let trace = try PreparedTrace.load(path: try folder.write(Self.events, to: "a.log"))
    #expect(trace.requests.count == 2 && trace.reading.badLines == 0)
    #expect(trace.reading.eventsSkipped == .max)
    #expect(trace.notes.contains { $0.hasPrefix("The server skipped 18446744073709551615 events") })
  }

  @Test func otherLinesOfThatNameAreBad() throws {
    let folder = try TestFolder()
    let text =
      String(repeating: Self.events, count: 50) + "skipped=x\nskipped=18446744073709551616\n"
    let trace = try PreparedTrace.load(path: try folder.write(text, to: "a.log"))
    #expect(trace.reading.badLines == 2)
  }

  @Test func tablesAreBounded() throws {
    let small = MemoryBudget { 1000 }
    var growth = GrowthLimit("the keys", bytesEach: 32, from: 4, memory: small)
    try growth.check(3, in: "file")
    #expect(throws: TraceError.self) { try growth.check(4, in: "file") }
    var wide = GrowthLimit("the keys", bytesEach: 32, from: 4, memory: MemoryBudget { 1 << 40 })
    for count in 0..<100 { try wide.check(count, in: "file") }
  }
}
