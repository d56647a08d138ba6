import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderTraces

/// Several files as one trace, and requests out of order.
@Suite(.endsInTime)
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
    #expect(trace.notes.contains("1 request was out of order and was sorted by time."))
    #expect(trace.notes.contains("\(empty) is empty."))
  }

  @Test func filesOfDifferentFormatsAreRejected() throws {
    let folder = try TestFolder()
    let log = try folder.write(line(1, "a"), to: "access.log")
    let table = try folder.write("time,id\n1,2\n", to: "t.csv")
    let text = message { _ = try FileSource(TraceReference(path: log, morePaths: [table])) }
    #expect(text.contains("t.csv: is csv, but") && text.contains("access.log is combined"))
    let twice = message { _ = try FileSource(TraceReference(path: log, morePaths: [log])) }
    #expect(twice.contains("is given twice"))
  }

  /// A table of requests, each a time in seconds and an id.
  private func table(_ rows: [(time: UInt64, id: Int)]) -> String {
    "time,id\n" + rows.map { "\($0.time),\($0.id)\n" }.joined()
  }

  private func reference(_ paths: [String], _ format: String? = nil) -> TraceReference {
    TraceReference(
      path: paths[0], morePaths: Array(paths.dropFirst()),
      format: format.map { ComponentSpec(name: $0) })
  }

  private func ids(_ source: FileSource) throws -> [UInt64] { try allRecords(source).map(\.key) }

  private func notes(_ paths: [String]) throws -> [String] {
    try PreparedTrace.load(reference(paths)).notes
  }

  @Test func concurrentServersAreMergedByTime() throws {
    let folder = try TestFolder()
    let paths = try [0, 2].map { delay in
      let lines = (0..<5000).map { line($0 / 50 + delay, "o/\($0)") }.joined()
      return try folder.write(lines, to: "lb\(delay).log")
    }
    let trace = try PreparedTrace.load(reference(paths))
    #expect(trace.requests.count == 10_000 && trace.requests.objects == 5000)
    let times = (0..<10_000).map { trace.requests.times?[$0] ?? 0 }
    #expect(times == times.sorted() && trace.timesRaised == 0)
    #expect(trace.reading.timesSorted == 0)
    #expect(trace.notes.contains("2 of 2 files overlap in time and were merged by time."))
    #expect(!trace.notes.contains { $0.contains("out of order") })
    // An object is requested again two seconds later, from the other server.
    let places = (0..<10_000).filter { trace.requests.ids[$0] == 101 }
    #expect(places == [100, 350])
  }

  /// Expected result of a merge: each file sorted by time, and all of them merged, with files in
  /// the order of their first times.
  private func merged(_ files: [[(time: UInt64, id: Int)]]) -> [UInt64] {
    let sorted = files.map { rows in
      rows.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        .map(\.element)
    }
    let order = sorted.indices.sorted {
      (sorted[$0].first?.time ?? .max, $0) < (sorted[$1].first?.time ?? .max, $1)
    }
    let all = order.flatMap { sorted[$0] }
    return all.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map { UInt64($0.element.id) }
  }

  @Test(arguments: 0..<12)
  func mergedFilesEqualSortedRequests(_ seed: UInt64) throws {
    var random = SeededRandom(state: seed)
    let folder = try TestFolder()
    var next = 1
    let files = (0..<Int(2 + random.next() % 5)).map { _ in
      let (start, gap) = (random.next() % 3000, 1 + random.next() % 3)
      return (0..<Int(random.next() % 6000)).map { place in
        next += 1
        // Ten digits, so that they are seconds in every file.
        return (
          time: 1_700_000_000 + start + UInt64(place) / 3 * gap + random.next() % 5, id: next
        )
      }
    }.filter { !$0.isEmpty }
    let paths = try files.enumerated().map { number, rows in
      try folder.write(table(rows), to: "\(number).csv")
    }
    #expect(try ids(FileSource(reference(paths))) == merged(files))
    let trace = try PreparedTrace.load(reference(paths))
    #expect(trace.timesRaised == 0)
    let alone = try paths.map { try PreparedTrace.load(path: $0).reading.timesSorted }
    #expect(trace.reading.timesSorted == alone.reduce(0, +))
  }

  @Test func overlappingFileIsMergedAndRotatedOneIsNot() throws {
    let folder = try TestFolder()
    let outer = try folder.write(table([(100, 1), (200, 2), (900, 3)]), to: "outer.csv")
    let inner = try folder.write(table([(300, 4), (400, 5)]), to: "inner.csv")
    let later = try folder.write(table([(900, 6), (950, 7)]), to: "later.csv")
    let last = try folder.write(table([(990, 8)]), to: "last.csv")
    let paths = [last, later, inner, outer]
    #expect(try ids(FileSource(reference(paths))) == [1, 2, 4, 5, 3, 6, 7, 8])
    #expect(try notes(paths) == ["2 of 4 files overlap in time and were merged by time."])
    #expect(try notes([outer, later, last]).isEmpty)
  }

  @Test func timesBeyondWindowAreCountedAsInOneFile() throws {
    let folder = try TestFolder()
    let length = UInt64(3 * TimeWindow.length)
    let back = (0..<length).map { (time: 1000 + $0, id: Int($0)) } + [(time: 1500, id: 7)]
    let paths = [
      try folder.write(table(back), to: "back.csv"),
      try folder.write(table((0..<length).map { (time: 1000 + $0, id: 9) }), to: "good.csv"),
    ]
    let alone = try PreparedTrace.load(path: paths[0])
    let joined = try PreparedTrace.load(reference(paths))
    #expect(alone.timesRaised == 1 && joined.timesRaised == 1)
    #expect(alone.reading.timesSorted == 0 && joined.reading.timesSorted == 0)
    #expect(joined.requests.count == Int(2 * length) + 1)
  }

  @Test func badLinesAreCountedOverAllFiles() throws {
    let folder = try TestFolder()
    let good = (0..<3000).map { line($0 / 100, "a\($0)") }.joined()
    let long = try folder.write(good, to: "long.log")
    let short = try folder.write(
      line(1, "x") + "half a li\n" + line(2, "y"), to: "short.log")
    let trace = try PreparedTrace.load(reference([short, long], "combined"))
    #expect(trace.requests.count == 3002)
    #expect(trace.reading.badLines == 1 && trace.reading.lines == 3003)
    #expect(trace.notes.contains { $0.contains("1 of 3003 lines could not be read: \(short):2") })
    let rubbish = String(repeating: "rubbish\n", count: 40)
    let some = (0..<100).map { line(1, "b\($0)") }.joined()
    let bad = try folder.write(some + rubbish, to: "bad.log")
    let text = message { _ = try PreparedTrace.load(reference([long, bad], "combined")) }
    #expect(
      text.contains("bad.log:101: expected") && text.contains("40 of 3140 lines"), "\(text)")
  }

  @Test func damageInAFileIsAnErrorWithItsName() throws {
    let folder = try TestFolder()
    let rows = (0..<100_000).map { (time: UInt64($0), id: $0 * 7919 % 100_003) }
    var packed = Compression.gzip.compress(Array(table(rows).utf8))
    packed.removeLast(packed.count / 2)
    let cut = try folder.write(packed, to: "cut.csv.gz")
    let whole = try folder.write(table(rows), to: "whole.csv")
    let text = message { _ = try PreparedTrace.load(reference([whole, cut])) }
    #expect(text.contains("cut.csv.gz: byte") && text.contains("truncated"), "\(text)")
  }

  @Test func manyRotatedFilesAreOpenedTwoAtATime() throws {
    let folder = try TestFolder()
    let paths = try (0..<1200).map { number in
      try folder.write(
        table([(UInt64(number * 10), number), (UInt64(number * 10), 1)]), to: "\(number).csv")
    }
    let source = try FileSource(reference(paths.reversed()))
    var openMax = 0
    var count = 0
    try source.records { batch in
      count += batch.count
      #if os(Linux)
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let open = files.filter {
          let file = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\($0)")
          return file?.hasPrefix(folder.path) ?? false
        }
        openMax = max(openMax, open.count)
      #endif
      return true
    }
    #expect(count == 2400 && openMax <= 3)
  }

  @Test func filesWithoutTimesAreReadAsGiven() throws {
    let folder = try TestFolder()
    let paths = [
      try folder.write("3\n1\n", to: "b.txt"), try folder.write("2\n3\n", to: "a.txt"),
    ]
    #expect(try ids(FileSource(reference(paths))) == [3, 1, 2, 3])
    #expect(
      try notes(paths) == [
        "\(paths[0]) has no times: the files were read one after another, in the order given."
      ])
  }

  @Test func sizesFromOneFileApplyToOthers() throws {
    let folder = try TestFolder()
    let first = try folder.write("10,k,1,99,c,get,0\n30,k,1,0,c,get,0\n", to: "1.twitter")
    let second = try folder.write("20,k,1,0,c,get,0\n40,n,1,0,c,get,0\n", to: "2.twitter")
    let source = try FileSource(reference([second, first]))
    #expect(try allRecords(source).map(\.size) == [100, 100, 100, 1])
  }

  @Test func pipesAreMergedByTime() throws {
    let folder = try TestFolder()
    let tables = [table([(10, 1), (40, 4)]), table([(20, 2), (30, 3)])]
    let paths = tables.indices.map { folder.path("\($0).csv") }
    for path in paths { #expect(mkfifo(path, 0o600) == 0) }
    for (path, table) in zip(paths, tables) {
      Thread.detachNewThread { try? table.write(toFile: path, atomically: false, encoding: .utf8) }
    }
    #expect(try ids(FileSource(reference(paths))) == [1, 2, 3, 4])
  }

  @Test func stoppedMergeSendsNoMoreRecords() throws {
    let folder = try TestFolder()
    let rows = (0..<20_000).map { (time: UInt64($0), id: $0) }
    let paths = try ["a", "b", "c"].map { try folder.write(table(rows), to: "\($0).csv") }
    var calls = 0
    try FileSource(reference(paths)).records { _ in
      calls += 1
      return false
    }
    #expect(calls == 1)
  }

  @Test func preparedTracesAreNotJoined() throws {
    let folder = try TestFolder()
    let source = try folder.write(table([(1, 7), (2, 8)]), to: "a.csv")
    let paths = [folder.path("a.larder"), folder.path("b.larder")]
    for path in paths { try TraceWriter.larder.write(PreparedTrace.load(path: source), to: path) }
    let text = message { _ = try FileSource(reference(paths)) }
    #expect(text.contains("has private keys") && text.contains("converted from"), "\(text)")
  }

  @Test(arguments: [1, 7, 100])
  func windowSortsRequestsWithinReach(_ length: Int) throws {
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
