import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// Recordings of servers, written request by request.
@Suite
struct RecordedTraceFileTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private static let records: [TraceRecord] = [
    TraceRecord(key: 7, time: 5_000_000, size: 0, isSizeKnown: false),
    TraceRecord(key: 7, time: 5_000_100, size: 44, ttl: 30, operation: .set),
    TraceRecord(key: 9, time: 4_999_999, size: 8, operation: .modify),
    TraceRecord(key: 7, time: 5_000_200, size: 0, operation: .delete, isSizeKnown: false),
    TraceRecord(key: 9, time: 5_000_300, size: 3, operation: .bypass),
  ]

  @Test func requestsAreReadBackWithPrivateKeys() throws {
    let path = folder.path("a.recorded")
    let file = try RecordedTraceFile(path: path)
    try file.add(Self.records)
    try file.finish()
    let read = try allRecords(FileSource(path: path))
    // Early requests are sorted, but not before the beginning of the recording.
    let expected = Self.records
    #expect(read.count == 5)
    #expect(Set(read.map(\.operation)) == Set(expected.map(\.operation)))
    let sets = read.filter { $0.operation == 1 }
    #expect(sets.map(\.size) == [44] && sets.map(\.ttl) == [30] && sets.map(\.time) == [5_000_100])
    #expect(Set(read.map(\.key)).count == 2 && Set(read.map(\.key)).isDisjoint(with: [7, 9]))
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.notes.allSatisfy { !$0.contains("stopped") })
  }

  /// A system that accepts no bytes and returns no error.
  @Test func writesWithoutProgressFail() throws {
    let disk = SmallDisk(room: 0, failure: nil)
    #expect(throws: TraceError.self) {
      let file = try RecordedTraceFile(path: folder.path("a.recorded"), files: disk)
      try file.add(Self.records)
      try file.finish()
    }
    let spill = try SpillFile(in: folder.path, files: disk)
    let said = message { try spill.extend(to: 2) }
    #expect(said.contains("Input/output error"))
  }

  @Test func nothingFollowsAnErrorOfTheSink() throws {
    var passed = 0
    let batch = RecordBatch(skipsZeroSizes: false) {
      passed += $0.count
      throw TraceError("full", in: "disk")
    }
    _ = try batch.append(Self.records[0])
    #expect(throws: TraceError.self) { try batch.flush() }
    _ = try batch.append(Self.records[1])
    #expect(try !batch.flush() && passed == 1)
  }

  /// Requests that the server dropped are in the file, and do not reduce its gets.
  @Test func lostRequestsAreReported() throws {
    let path = folder.path("a.recorded")
    let file = try RecordedTraceFile(path: path)
    try file.add(Self.records)
    file.lost = 17
    try file.finish()
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.notes.contains { $0.hasPrefix("17 operations were lost") })
    // The get, and the request that bypassed the cache.
    #expect(trace.sampling.gets == 2)
  }

  @Test func expiriesAreReadBack() throws {
    let path = folder.path("a.recorded")
    let file = try RecordedTraceFile(path: path)
    try file.add([
      TraceRecord(key: 7, time: 1, size: 4, operation: .set),
      TraceRecord(key: 7, time: 2, size: 0, ttl: 9, operation: .expire, isSizeKnown: false),
      TraceRecord(key: 7, time: 3, size: 0, ttl: 8, isSizeKnown: false),
    ])
    try file.finish()
    let read = try allRecords(FileSource(path: path))
    #expect(read.map(\.ttl) == [0, 9, 8])
    #expect(read.map(\.operation) == [1, Operation.expire.rawValue, 0])
  }

  @Test func flushedBlocksAreReadableWithoutEnd() throws {
    let path = folder.path("a.recorded")
    do {
      let file = try RecordedTraceFile(path: path)
      try file.add(Self.records)
      try file.flush()
    }
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.requests.count == 5 && trace.notes.contains { $0.contains("was not closed") })
  }

  @Test func sampleOfKeysIsRecorded() throws {
    let path = folder.path("a.recorded")
    let file = try RecordedTraceFile(path: path, sampling: 0.2)
    for key in 0..<5000 {
      try file.add([TraceRecord(key: UInt64(key), time: 1), TraceRecord(key: UInt64(key), time: 2)])
    }
    try file.finish()
    #expect(file.gets == 10_000 && (1600...2400).contains(file.requests))
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.requests.count == file.requests)
    #expect(trace.requests.objects * 2 == file.requests && trace.sampling.gets == 10_000)
  }

  @Test func uncreatableFilesAreErrors() throws {
    let path = try folder.write("precious", to: "a.recorded")
    #expect(message { _ = try RecordedTraceFile(path: path) }.contains("exists"))
    #expect(message { _ = try RecordedTraceFile(path: folder.path("no/a")) }.contains("written"))
    for rate in [0, 1.1, Double.nan] {
      #expect(
        message { _ = try RecordedTraceFile(path: folder.path("b"), sampling: rate) }
          .contains("out of range"))
    }
    #expect(folder.names == ["a.recorded"])
  }

  @Test func emptyRecordingHasNoRequests() throws {
    let path = folder.path("a.recorded")
    try RecordedTraceFile(path: path).finish()
    #expect(message { _ = try PreparedTrace.load(path: path) }.contains("has no requests"))
  }
}
