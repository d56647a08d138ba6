import Testing

@testable import LarderTraces

/// Several files as one trace, and requests out of order.
@Suite
struct JoinedFilesTests {
  private func line(_ second: Int, _ path: String) -> String {
    let clock = "10:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)"
    return "h - - [01/Mar/2026:\(clock) +0000] \"GET /\(path) HTTP/1.1\" 200 5\n"
  }

  @Test func rotatedFilesAreReadInTheOrderOfTheirTimes() throws {
    let folder = try TestFolder()
    let new = try folder.write(line(5, "e") + line(4, "d"), to: "access.log")
    let middle = try folder.write(line(2, "c"), to: "access.log.1")
    let old = line(0, "a") + line(1, "b")
    let packed = try folder.write(
      Compression.gzip.compress(Array(old.utf8)), to: "access.log.2.gz")
    let empty = try folder.write([], to: "access.log.3")
    let trace = try PreparedTrace.load(
      TraceReference(path: new, morePaths: [packed, middle, empty]))
    #expect(trace.name == "access.log+2")
    let times = (0..<trace.requests.count).compactMap { trace.requests.times?[$0] }
    #expect(times.map { ($0 - times[0]) / 1_000_000 } == [0, 1, 2, 4, 5])
    #expect(trace.timesRaised == 0 && trace.reading.timesSorted == 1)
    #expect(trace.notes.contains("1 request was out of order and was moved to its time."))
    #expect(trace.notes.contains("\(empty) is empty."))
  }

  @Test func filesOfDifferentFormatsAreNoTrace() throws {
    let folder = try TestFolder()
    let log = try folder.write(line(1, "a"), to: "access.log")
    let table = try folder.write("time,id\n1,2\n", to: "t.csv")
    let text = message { _ = try FileSource(TraceReference(path: log, morePaths: [table])) }
    #expect(text.contains("t.csv: is csv, but") && text.contains("access.log is combined"))
    let twice = message { _ = try FileSource(TraceReference(path: log, morePaths: [log])) }
    #expect(twice.contains("is given twice"))
  }

  @Test(arguments: [1, 7, 100])
  func theWindowSortsWhatItReaches(_ length: Int) throws {
    var random = SeededRandom(state: 3)
    let records = (0..<2000).map { index in
      TraceRecord(key: UInt64(index), time: UInt64(index) + random.next() % UInt64(length))
    }
    var sorted: [TraceRecord] = []
    let window = TimeWindow(length: length) { batch in
      sorted += batch
      return true
    }
    try records.withUnsafeBufferPointer { _ = try window.add($0) }
    try window.finish()
    #expect(sorted == records.sorted { ($0.time, $0.key) < ($1.time, $1.key) })
    #expect((window.late == 0) == (length == 1))
  }
}
