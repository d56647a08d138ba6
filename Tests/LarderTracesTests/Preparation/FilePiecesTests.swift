import Foundation
import LarderEngine
import Synchronization
import TestSupport
import Testing

@testable import LarderTraces

/// Files of fixed-width records are prepared by several threads as by one.
@Suite(.endsInTime)
struct FilePiecesTests {
  /// Parameters of dividing the work.
  private struct Division {
    var threads = 2
    var records = 100
  }

  private func prepare(
    _ source: FileSource, _ division: Division, keeping columns: TraceColumns? = nil,
    spillingTo folder: String? = nil, each: (Int) throws -> Void = { _ in }
  ) throws -> PreparedTrace {
    let pieces = try #require(
      try source.pieces(threads: division.threads, records: division.records, bytesMinimum: 0))
    var builder = try TraceBuilder(
      columns: columns ?? source.columns, keyLimit: nil, spillingTo: folder, every: 50)
    let shared = builder.sharedKeys()
    let keys = try #require(shared)
    try pieces.read(keys) { piece in
      try builder.add(piece)
      try each(builder.count)
    }
    return try builder.finish(name: source.name, reading: source.reading)
  }

  private func oracle(_ records: [TraceRecord]) -> [UInt8] {
    records.flatMap { record in
      Self.little(UInt32(record.time / 1_000_000)) + Self.little(record.key)
        + Self.little(record.size) + Self.little(Int64(-1))
    }
  }

  private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private func records(_ random: inout SeededRandom, _ count: Int, keys: UInt64) -> [TraceRecord] {
    let spread = random.next() | 1
    return (0..<count).map { index in
      let key = min(random.next() % keys, random.next() % keys)
      return TraceRecord(
        key: key &* spread, time: (UInt64(index) / 4 + random.next() % 3) * 1_000_000,
        size: UInt32(truncatingIfNeeded: random.next() % 50))
    }
  }

  private func elements<Element>(_ start: UnsafePointer<Element>?, _ count: Int) -> [Element] {
    Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  @Test(arguments: 0..<8)
  func idsEqualThoseOfADictionary(_ part: Int) throws {
    let folder = try TestFolder()
    for seed in 0..<TestEffort.rounds(250) {
      var random = SeededRandom(state: UInt64(part * 1000 + seed))
      let count = 1 + Int(random.next() % (seed % 10 == 0 ? 40_000 : 700))
      let records = records(&random, count, keys: 1 + random.next() % UInt64(2 * count))
      let naive = PreparationTests.Naive(records)
      let path = try folder.write(oracle(records), to: "a.oracleGeneral")
      let division = Division(
        threads: 2 + Int(random.next() % 4),
        records: 1 + Int(random.next() % (seed % 3 == 0 ? UInt64(count) + 2 : 90)))
      let trace = try prepare(FileSource(path: path), division)
      let label: Comment = "part \(part), seed \(seed), \(division)"
      #expect(trace.requests.count == count && trace.requests.objects == naive.objects, label)
      #expect(elements(trace.requests.ids, count) == naive.ids, label)
      #expect(elements(trace.requests.times, count) == naive.times, label)
      #expect(elements(trace.requests.sizes, count) == records.map(\.size), label)
      #expect(trace.footprintBytes == naive.footprint, label)
    }
  }

  @Test func keysAreAddedDuringLookups() throws {
    let folder = try TestFolder()
    for seed in 0..<6 {
      var random = SeededRandom(state: UInt64(seed))
      // The table grows many times during look-ups from other threads.
      let records = records(&random, 150_000, keys: seed % 2 == 0 ? 1 << 40 : 90_000)
      let naive = PreparationTests.Naive(records)
      let path = try folder.write(oracle(records), to: "a.oracleGeneral")
      let trace = try prepare(
        FileSource(path: path), Division(threads: 4, records: 64), spillingTo: folder.path)
      #expect(elements(trace.requests.ids, records.count) == naive.ids, "seed \(seed)")
    }
  }

  @Test(arguments: SampleTrace.all.map(\.file))
  func allFixedWidthFormatsAreSupported(_ file: String) throws {
    let sample = try #require(SampleTrace.all.first { $0.file == file })
    let folder = try TestFolder()
    let path = try folder.write(sample.bytes, to: sample.file)
    let source = try FileSource(path: path, format: ComponentSpec(name: sample.format))
    let isFixed = ["oracle-general", "lcs", "cache2k", "vscsi"].contains(sample.format)
    #expect(try (source.pieces(threads: 2, bytesMinimum: 0) != nil) == isFixed)
    guard isFixed else { return }
    #expect(try source.pieces(threads: 1, bytesMinimum: 0) == nil, "one thread")
    #expect(try source.pieces(threads: 2) == nil, "a small file")
    for records in [1, 3, 100] {
      let trace = try prepare(source, Division(records: records))
      let count = sample.records.count
      #expect(elements(trace.requests.ids, count) == PreparationTests.Naive(sample.records).ids)
      if trace.requests.sizes != nil {
        #expect(elements(trace.requests.sizes, count) == sample.records.map(\.size))
      }
      if trace.requests.operations != nil {
        #expect(elements(trace.requests.operations, count) == sample.records.map(\.operation))
      }
    }
  }

  @Test(arguments: ["oracle-general", "lcs", "vscsi", "cache2k"])
  func errorsEqualThoseOfOneThread(_ name: String) throws {
    let sample = try #require(SampleTrace.all.first { $0.format == name })
    let folder = try TestFolder()
    var random = SeededRandom(state: 1)
    var errors = Set<String>()
    for round in 0..<300 {
      var bytes = sample.bytes
      if round % 2 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count / 2))) }
      let fromEnd = 1 + Int(random.next() % UInt64(min(90, bytes.count)))
      if round % 3 != 0 { bytes[bytes.count - fromEnd] = 0xEE }
      let path = try folder.write(bytes, to: sample.file)
      let format = ComponentSpec(name: sample.format)
      let expected = message {
        _ = try PreparedTrace.prepare(
          source: FileSource(path: path, format: format), name: "a", memory: .machine)
      }
      let division = Division(threads: 3, records: 1 + Int(random.next() % 20))
      let said = message {
        // Facts from the beginning of the file are always equal.
        let source = try FileSource(path: path, format: format)
        _ = try prepare(source, division)
      }
      #expect(said == expected, "round \(round)")
      errors.insert(expected)
    }
    #expect(errors.count > 2, "\(errors)")
  }

  @Test(arguments: [Compression.zstd, .gzip, .xz])
  func failedReadEndsPreparation(_ compression: Compression) throws {
    let folder = try TestFolder()
    var random = SeededRandom(state: 5)
    let records = records(&random, 60_000, keys: 1 << 40)
    let whole = compression.compress(oracle(records))
    let path = try folder.write(whole, to: "whole")
    let format = ComponentSpec(name: "oracle-general")
    let trace = try prepare(FileSource(path: path, format: format), Division(threads: 3))
    #expect(elements(trace.requests.ids, 60_000) == PreparationTests.Naive(records).ids)
    let cut = try folder.write(Array(whole[..<(whole.count / 2)]), to: "cut")
    let source = try FileSource(path: cut, format: format)
    let expected = message { _ = try allRecords(source) }
    #expect(!expected.isEmpty)
    var seen = 0
    #expect(
      message { _ = try prepare(source, Division(threads: 3), each: { seen = $0 }) } == expected)
    #expect(seen > 1000, "what came before was used")
  }

  @Test func stoppingDoesNotWait() throws {
    struct Stop: Error {}
    let folder = try TestFolder()
    var random = SeededRandom(state: 9)
    let path = try folder.write(oracle(records(&random, 50_000, keys: 900)), to: "a.oracleGeneral")
    for limit in [1, 5000, 40_000] {
      var last = 0
      #expect(throws: Stop.self) {
        _ = try prepare(FileSource(path: path), Division(threads: 4)) { count in
          last = count
          if count >= limit { throw Stop() }
        }
      }
      #expect(last >= limit && last < limit + 100)
    }
  }

  @Test func skippedRecordsEqualThoseOfOneThread() throws {
    let folder = try TestFolder()
    var random = SeededRandom(state: 3)
    let path = try folder.write(oracle(records(&random, 3000, keys: 300)), to: "a.oracleGeneral")
    let cases: [(spec: String, sample: Double?)] = [
      ("oracle-general:skip-zero-size=true", nil), ("oracle-general", 0.3),
    ]
    for (spec, sample) in cases {
      let reference = TraceReference(
        path: path, format: try ComponentSpec(parsing: spec), sample: sample)
      let one = try PreparedTrace.prepare(
        source: FileSource(reference), name: "a", memory: .machine)
      let source = try FileSource(reference)
      let several = try prepare(source, Division(threads: 3, records: 77))
      let count = one.requests.count
      #expect(several.requests.count == count && count < 3000 && count > 0)
      #expect(elements(several.requests.ids, count) == elements(one.requests.ids, count))
      #expect(several.sampling == one.sampling && several.reading == one.reading)
      #expect(source.shareRead == 1)
    }
  }

  @Test func largeFileUsesPiecesByDefault() throws {
    let folder = try TestFolder()
    var random = SeededRandom(state: 4)
    let records = records(&random, 400_000, keys: 50_000)
    let path = try folder.write(oracle(records), to: "a.oracleGeneral")
    let source = try FileSource(path: path)
    #expect(try source.pieces(threads: 2) != nil)
    let trace = try PreparedTrace.load(path: path, threads: 2)
    #expect(elements(trace.requests.ids, 400_000) == PreparationTests.Naive(records).ids)
  }

  @Test func tableThatCannotGrowFindsNothing() throws {
    var table = try KeyTable(memory: MemoryBudget { 0 }, watchedBits: 15)
    let keys = table.share()
    let records = (0..<20_000).map { TraceRecord(key: UInt64($0), time: 0, size: 1) }
    var ids = [ObjectID](repeating: 7, count: records.count)
    var missing = [UInt32](repeating: 7, count: records.count)
    #expect(try table.number(records, count: 100, into: &ids) == 100)
    #expect(keys.find(records, count: 200, into: &ids, missing: &missing) == 100)
    #expect(ids[99] == 100 && ids[100] == 0 && missing[..<100] == ArraySlice(100..<200))
    let text = message { _ = try table.number(records, count: records.count, into: &ids) }
    #expect(text.contains("the keys of"))
    // Threads that have not been notified yet.
    #expect(keys.find(records, count: 200, into: &ids, missing: &missing) == 200)
    #expect(ids[..<200].allSatisfy { $0 == 0 } && missing[..<200] == ArraySlice(0..<200))
  }

  @Test func tooManyRequestsAreRejected() throws {
    let folder = try TestFolder()
    var random = SeededRandom(state: 4)
    let path = try folder.write(oracle(records(&random, 500, keys: 9)), to: "a.oracleGeneral")
    let pieces = try #require(
      try FileSource(path: path).pieces(threads: 2, records: 100, bytesMinimum: 0))
    var builder = try TraceBuilder(columns: [], keyLimit: nil, requestsMax: 499)
    let shared = builder.sharedKeys()
    let keys = try #require(shared)
    let text = message { try pieces.read(keys) { try builder.add($0) } }
    #expect(text.contains("more than 499 requests") && builder.count == 400)
  }
}
