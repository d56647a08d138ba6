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

  /// The log states misses: the store that follows is the end of the get, and one after a hit is a
  /// request.
  @Test func storeAfterAMissIsPartOfTheGet() throws {
    let text = """
      ts=1.1 gid=1 type=item_get key=abc status=not_found clsid=0 cfd=25
      ts=1.2 gid=2 type=item_get key=abc status=not_found clsid=0 cfd=26
      ts=1.3 gid=3 type=item_store key=abc status=stored cmd=set ttl=30 clsid=1 cfd=26 size=5
      ts=1.4 gid=4 type=item_get key=abc status=found clsid=1 cfd=25 size=5
      ts=1.5 gid=5 type=item_get key=d status=found clsid=1 cfd=25 size=7
      ts=1.6 gid=6 type=item_get key=abc status=found clsid=1 cfd=26 size=5
      ts=1.7 gid=7 type=item_store key=abc status=stored cmd=set ttl=0 clsid=1 cfd=26 size=9
      ts=1.8 gid=8 type=item_store key=abc status=stored cmd=set ttl=4294880897 cfd=26 size=9

      """
    let folder = try TestFolder()
    let trace = try PreparedTrace.load(path: try folder.write(text, to: "a.log"))
    #expect(trace.requests.count == 5, "\(trace.notes)")
    #expect((0..<4).map { trace.requests.sizes?[$0] } == [5, 5, 7, 9])
    #expect((0..<5).map { trace.requests.ttls?[$0] } == [30, 30, 0, 0, 0])
    // A store that has expired is a delete.
    #expect((0..<5).map { trace.requests.operations?[$0] } == [0, 0, 0, 1, 2])
    #expect(trace.reading.outcomes.hits == 2 && trace.reading.outcomes.misses == 1)
    let notes = trace.notes.joined(separator: "\n")
    #expect(notes.contains("hit ratio of 66.7 %: 2 of 3 gets."), "\(notes)")
    #expect(notes.contains("keys have 3 bytes on average"))
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
