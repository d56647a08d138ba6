import LarderEngine
import Testing

@testable import LarderTraces

/// Local times whose clock goes back an hour at the end of summer time.
@Suite
struct LocalClockTests {
  /// The hour before three o'clock on the last Sunday of October 2026, twice, and `more` seconds.
  private func lines(
    day: Int = 25, zone: String = "", step: Int = 5, second: Int = 3600
  ) -> [String] {
    let first = stride(from: 0, to: 3600, by: step).map { ($0, "a") }
    let again = stride(from: 0, to: second, by: step).map { ($0, "b") }
    return (first + again).map { time, name in
      let clock = [time / 60, time % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
      return
        "192.0.2.1 - - [\(day)/Oct/2026:02:\(clock)\(zone)] \"GET /\(name) HTTP/1.1\" 200 1\n"
    }
  }

  private func records(
    _ lines: [String]
  ) throws -> (names: [UInt64], times: [UInt64], notes: [String]) {
    let folder = try TestFolder()
    let source = try FileSource(path: folder.write(lines.joined(), to: "a.log"))
    let all = try allRecords(source)
    return (all.map(\.key), all.map(\.time), source.reading.notes(objects: 2))
  }

  private static let note = "The clock goes back an hour"

  /// Requests keep the file's order; a last few after the step suffice.
  @Test(arguments: [3600, 100, 15], [5, 60])
  func stepKeepsTheOrderOfTheFile(_ second: Int, _ step: Int) throws {
    guard second / step > 2 else { return }
    let lines = lines(step: step, second: second)
    let (names, times, notes) = try records(lines)
    #expect(names == lines.map { KeyHash.hash($0.contains("/a ") ? "/a" : "/b") })
    #expect(notes.count == 1 && notes[0].hasPrefix(Self.note))
    #expect(times == times.sorted())
    let first = 3600 / step
    #expect(times[first] == times[0] + 3_600_000_000)
  }

  @Test func timesWithAZoneAndOtherNightsAreSorted() throws {
    for lines in [lines(zone: " +0000"), lines(zone: " +0200"), lines(day: 23)] {
      let (names, _, notes) = try records(lines)
      #expect(names.prefix(2) == [KeyHash.hash("/a"), KeyHash.hash("/b")])
      #expect(notes == ["719 requests were out of order and were sorted by time."])
    }
  }

  /// A response of an hour is written late, and is no step.
  @Test func longResponseIsSorted() throws {
    var lines = lines(second: 0)
    lines.append("\(lines.remove(at: 3).replacing("/a ", with: "/b "))")
    let (names, _, notes) = try records(lines)
    #expect(names[3] == KeyHash.hash("/b") && notes.count == 1 && notes[0].contains("out of order"))
  }

  /// A request from before the step that ends after it keeps its time.
  @Test func lateRequestAfterTheStepIsSorted() throws {
    var lines = lines()
    lines.insert(lines.remove(at: 718), at: 750)
    let (names, times, _) = try records(lines)
    #expect(names == (0..<1440).map { KeyHash.hash($0 < 720 ? "/a" : "/b") })
    #expect(times == times.sorted() && times[719] < times[720])
  }

  /// Times of joined files are not shifted, because later files continue in local time.
  @Test func joinedFilesKeepTheirOrderAndTimes() throws {
    let folder = try TestFolder()
    let next = "192.0.2.1 - - [25/Oct/2026:03:00:00] \"GET /c HTTP/1.1\" 200 1\n"
    let paths = [
      try folder.write(lines().joined(), to: "a.log"), try folder.write(next, to: "b.log"),
    ]
    let source = try FileSource(TraceReference(path: paths[0], morePaths: [paths[1]]))
    let keys = try allRecords(source).map(\.key)
    #expect(
      keys == (0..<720).map { _ in KeyHash.hash("/a") }
        + (0..<720).map { _ in KeyHash.hash("/b") } + [KeyHash.hash("/c")])
    #expect(source.reading.notes(objects: 3).contains { $0.contains("until it comes again") })
  }

  @Test func latestTimeIsNoStep() throws {
    var times: [UInt64] = []
    let window = TimeWindow(hasLocalTimes: true) {
      times += $0.map(\.time)
      return true
    }
    let records = [TraceRecord(key: 1), TraceRecord(key: 2, time: .max)]
    _ = try records.withUnsafeBufferPointer { try window.add($0) }
    try window.finish()
    #expect(!window.hasStep && times == [0, .max])
  }

  @Test(arguments: [
    ("[25/Oct/2026:02:00:00]", true), ("[25/Oct/2026:02:00:00.250] x", true),
    ("2026-10-25 02:00:00,000 +01", false), ("2026-10-25T02:00:00,k,1", true),
    ("2026/10/25 02:00:00 - GET", true), ("2026-10-25T02:00:00.5Z", false),
    ("2026-10-25 02:00:00 UTC", false), ("[25/Oct/2026:02:00:00 +0100]", false),
    ("2026-10-25T02:00:00+00:00 lb haproxy: [25/Oct/2026:02:00:00.000]", true),
    ("Oct 25 02:00:00 web1 x", false), ("#Fields: date time", false),
  ])
  func zonesAreFound(_ line: String, _ isLocal: Bool) {
    #expect(LogTime.isLocal([ArraySlice(line.utf8)]) == isLocal)
  }
}
