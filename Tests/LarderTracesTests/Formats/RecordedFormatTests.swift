import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// Recordings of caches: complete, truncated, damaged, and sampled.
@Suite
struct RecordedFormatTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private static func gets(_ count: Int, key: (Int) -> UInt64 = { UInt64($0 % 50) })
    -> [RecordedEvent]
  {
    (0..<count).map { RecordedEvent(key: key($0), time: UInt64($0), kind: .get, outcome: .hit) }
  }

  private func load(
    _ bytes: [UInt8], _ name: String = "traffic.recorded", maxBad: Double? = nil
  ) throws -> PreparedTrace {
    let path = try folder.write(bytes, to: name)
    return try PreparedTrace.load(TraceReference(path: path, maxBadShare: maxBad))
  }

  @Test func unfinishedRecordingIsReadUpToLastCompleteBlock() throws {
    let whole = SampleTrace.recording(Self.gets(40), hasEnd: false)
    let blocks = 10
    let block = (whole.count - RecordedHeader.length) / blocks
    for cut in RecordedHeader.length + block..<whole.count {
      let trace = try load(Array(whole[..<cut]))
      let known = (cut - RecordedHeader.length) / block
      #expect(trace.requests.count == 4 * known, "\(cut)")
      #expect(trace.notes.contains { $0.contains("was not closed") && $0.contains("(\(known) b") })
    }
    #expect(!(try load(SampleTrace.recording(Self.gets(4)))).notes.contains { $0.contains("stop") })
  }

  @Test func damagedBlockIsCountedAndSkipped() throws {
    let whole = SampleTrace.recording(Self.gets(1000))
    let blocks = 251
    let start = RecordedHeader.length + 10 * ((whole.count - RecordedHeader.length - 56) / 250)
    // Inside the content of the block, and in its header.
    for place in [start + 60, start + 9] {
      var bytes = whole
      bytes[place] ^= 0x10
      let trace = try load(bytes)
      #expect(trace.requests.count == 996 && trace.reading.badLines == 1)
      #expect(
        trace.notes.contains { $0.hasPrefix("1 of \(blocks) blocks could not be read: ") },
        "\(trace.notes)")
      #expect(message { _ = try load(bytes, maxBad: 0) }.contains("1 of \(blocks) blocks cannot"))
    }
    // Bytes that are not a block, between blocks and at the end.
    var bytes = whole
    bytes.insert(contentsOf: [UInt8](repeating: 7, count: 100), at: start)
    #expect(try load(bytes).requests.count == 1000)
    let tail = whole + [UInt8](repeating: 7, count: 100)
    #expect(try load(tail).reading.badLines == 1)
    // The next block begins where the last one of a buffer could.
    var long = SampleTrace.recording(Self.gets(8))
    long.insert(contentsOf: [UInt8](repeating: 7, count: 262_025), at: RecordedHeader.length)
    #expect(try load(long, maxBad: 1).requests.count == 8)
    // A marker that begins no block.
    bytes.replaceSubrange(start + 20..<start + 24, with: RecordedBlock.markerBytes)
    #expect(try load(bytes).requests.count == 1000)
  }

  @Test func moreThanOnePercentDamagedBlocksIsAnError() throws {
    var bytes = SampleTrace.recording(Self.gets(100))
    bytes[RecordedHeader.length + 60] ^= 1
    let text = message { _ = try load(bytes) }
    #expect(text.contains("traffic.recorded: byte 64: damaged block"), "\(text)")
    #expect(text.contains("1 of 26 blocks cannot be read (3.8 %)") && text.contains("auto:max-bad"))
    #expect(try load(bytes, maxBad: 0.05).requests.count == 96)
  }

  @Test func damagedHeadersAreErrors() throws {
    let whole = SampleTrace.recorded.bytes
    var version = whole
    version[8] = 2
    #expect(message { _ = try load(version) }.contains("version 2 of recordings"))
    var rate = whole
    rate[17] ^= 1
    #expect(message { _ = try load(rate) }.contains("the header's checksum is wrong"))
    #expect(message { _ = try load(Array(whole[..<40])) }.contains("40 bytes are too few"))
  }

  @Test func timesOfThreadsAreSorted() throws {
    var events = Self.gets(100)
    events.swapAt(10, 12)
    let trace = try load(SampleTrace.recording(events))
    #expect(trace.timesRaised == 0 && trace.reading.timesSorted > 0)
    let times = UnsafeBufferPointer(start: trace.requests.times, count: 100)
    #expect(times.elementsEqual((0..<100).map { SampleTrace.recordingBegan + $0 }))
  }

  @Test func hitOnDiskIsNotAMiss() throws {
    let events = [
      RecordedEvent(key: 1, time: 0, kind: .get, outcome: .miss),
      RecordedEvent(key: 1, time: 1, kind: .found, size: 99),
      RecordedEvent(key: 1, time: 2, kind: .set, size: 50),
      RecordedEvent(key: 2, time: 3, kind: .found, size: 99),
    ]
    let records = try allRecords(
      FileSource(path: folder.write(SampleTrace.recording(events), to: "a.recorded")))
    #expect(records.map(\.operation) == [0, 1] && records.map(\.size) == [99, 50])
  }

  @Test func theWindowIsBounded() throws {
    var events = [RecordedEvent(key: 1 << 40, time: 0, kind: .get, outcome: .miss)]
    events += Self.gets(FillFolding.window + 5)
    events.append(RecordedEvent(key: 1 << 40, time: 1 << 30, kind: .set, size: 50))
    let late = try load(SampleTrace.recording(events, perBlock: 1000))
    #expect(late.requests.count == events.count)
    events.removeLast(10)
    events.append(RecordedEvent(key: 1 << 40, time: 1 << 30, kind: .set, size: 50))
    let early = try load(SampleTrace.recording(events, perBlock: 1000))
    #expect(early.requests.count == events.count - 1 && early.requests.sizes?[0] == 50)
    // Unanswered misses of more than one window.
    let misses = (0..<3 * FillFolding.window).map {
      RecordedEvent(key: UInt64($0), time: UInt64($0), kind: .get, outcome: .miss)
    }
    #expect(
      try load(SampleTrace.recording(misses, perBlock: 5000)).requests.count == misses.count)
  }

  @Test func plainKeysEqualHashesOfTexts() throws {
    let events = [1, 2, 3].map { RecordedEvent(key: $0, time: 0, kind: .get, outcome: .hit) }
    let bytes = SampleTrace.recording(
      events, keys: .plain, texts: [(1, "news/7"), (2, "17"), (9, "")])
    let records = try allRecords(FileSource(path: folder.write(bytes, to: "a.recorded")))
    #expect(records.map(\.key) == [KeyHash.hash("news/7"), 17, 3])
  }

  @Test func recordingsWithPrivateKeysCannotBeJoined() throws {
    let keyed = SampleTrace.recording(Self.gets(10))
    let plain = SampleTrace.recording(Self.gets(10), keys: .plain)
    let part = SampleTrace.recording(Self.gets(10), rate: 0.5, keys: .plain)
    func join(_ bytes: [UInt8]) throws -> PreparedTrace {
      let paths = try ["a", "b"].map { try folder.write(bytes, to: "\($0).recorded") }
      return try PreparedTrace.load(TraceReference(path: paths[0], morePaths: [paths[1]]))
    }
    #expect(try join(plain).requests.count == 20)
    let many = SampleTrace.recording(Self.gets(10), gets: 1 << 63, keys: .plain)
    #expect(try join(many).sampling.gets == .max)
    for bytes in [keyed, part] {
      #expect(message { _ = try join(bytes) }.contains("has private keys"))
    }
  }

  @Test func lostEventsAreReported() throws {
    let bytes = SampleTrace.recording(
      Self.gets(10) + [RecordedEvent(key: 0, time: 20, kind: .clear)], gets: 100, lost: 30)
    let trace = try load(bytes)
    #expect(trace.requests.count == 10)
    #expect(trace.notes.contains { $0.hasPrefix("30 operations were lost") })
    #expect(trace.notes.contains { $0.hasPrefix("1 bulk removal was recorded") })
  }

  // MARK: Fills

  private func records(_ events: [RecordedEvent]) throws -> [TraceRecord] {
    try allRecords(FileSource(path: folder.write(SampleTrace.recording(events), to: "a.recorded")))
  }

  /// A recording of a server marks the sets that are the end of a get.
  @Test func markedSetIsPartOfTheLastGet() throws {
    let read = try records([
      RecordedEvent(key: 1, time: 0, kind: .get),
      RecordedEvent(key: 2, time: 1, kind: .get),
      RecordedEvent(key: 1, time: 2, kind: .set, outcome: .fill, size: 50, lifetime: 9000),
      RecordedEvent(key: 2, time: 3, kind: .set, size: 60),
      RecordedEvent(key: 2, time: 4, kind: .set, outcome: .fill, size: 70),
    ])
    #expect(read.map(\.operation) == [0, 0, 1, 1] && read.map(\.key) == [1, 2, 2, 2])
    #expect(read[0].size == 50 && read[0].ttl == 9 && !read[1].isSizeKnown)
  }

  /// The set of a key that was written after its miss is a request of its own.
  @Test func setAfterAnotherWriteIsARequest() throws {
    let miss = RecordedEvent(key: 1, time: 0, kind: .get, outcome: .miss)
    for kind in [RecordedEvent.Kind.remove, .set] {
      let read = try records([
        miss, RecordedEvent(key: 1, time: 1, kind: kind),
        RecordedEvent(key: 1, time: 2, kind: .set, size: 5),
      ])
      #expect(read.last?.operation == 1 && read.count == (kind == .set ? 2 : 3))
    }
  }

  @Test func hitRatioOfTheRecordedCacheIsReported() throws {
    var events = Self.gets(6) + [RecordedEvent(key: 9, time: 7, kind: .get, outcome: .miss)]
    events.append(RecordedEvent(key: 9, time: 8, kind: .found, size: 9))
    events.append(RecordedEvent(key: 9, time: 9, kind: .get, outcome: .miss))
    let trace = try load(SampleTrace.recording(events))
    #expect(trace.reading.outcomes.hits == 7 && trace.reading.outcomes.misses == 1)
    let note = "The recorded cache itself had a hit ratio of 87.5 %: 7 of 8 gets."
    #expect(trace.notes.contains(note), "\(trace.notes)")
  }

  @Test func lifetimesAreBounded() throws {
    let folding = FillFolding(path: "a", memory: MemoryBudget { 1 << 20 }) { _ in true }
    let sets = (0..<1 << 19).map {
      TraceRecord(key: UInt64($0), size: 1, ttl: 60, operation: .set)
    }
    let text = message { _ = try sets.withUnsafeBufferPointer { try folding.add($0) } }
    #expect(text.contains("the TTLs of keys"), "\(text)")
  }

  /// Sizes of 4 GiB and more are counted and reported.
  @Test func cutSizesAreReported() throws {
    let events = [5 << 30, 1].map {
      RecordedEvent(key: $0, time: 0, kind: .get, outcome: .hit, size: $0)
    }
    let trace = try load(SampleTrace.recording(events))
    #expect(trace.reading.sizesCut == 1)
    #expect(
      trace.notes.contains(
        "1 request of 4 GiB or more counts with 4294967295 bytes, the largest size of a request."))
  }

  // MARK: Samples

  @Test func samplingRateIsStoredAndReported() throws {
    let trace = try load(SampleTrace.recording(Self.gets(100), rate: 0.01, gets: 12_000))
    #expect(abs(trace.sampling.rate - 0.01) < 1e-9 && trace.sampling.gets == 12_000)
    #expect(trace.notes.contains { $0.contains("sample of 1 % of the objects") }, "\(trace.notes)")
    #expect(TraceAnalysis(trace).sampling == trace.sampling)
    let next = try trace.withNextUses()
    #expect(next.sampling == trace.sampling)
  }

  @Test func samplingRateSurvivesAPreparedTrace() throws {
    let trace = try load(SampleTrace.recording(Self.gets(100), rate: 0.01, gets: 12_000))
    let path = folder.path("sample.larder")
    try TraceWriter.larder.write(trace, to: path)
    let again = try PreparedTrace.load(path: path)
    #expect(again.sampling == trace.sampling && again.requests.count == 100)
    // The recording as a stream.
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let packed = try folder.write(Compression.zstd.compress(bytes), to: "packed.larder.zst")
    let source = try FileSource(path: packed)
    #expect(source.samplingRate == trace.sampling.rate)
    #expect(
      try PreparedTrace.prepare(source: source, name: "a").sampling == trace.sampling)
    #expect(try PreparedTrace.load(path: packed).sampling == trace.sampling)
    // Invalid rates are rejected.
    for rate in [0, 1, 1.5, -1, Double.nan] {
      var forged = bytes
      forged.replaceSubrange(72..<80, with: SampleTrace.little(rate.bitPattern))
      let forgedPath = try folder.write(forged, to: "forged.larder")
      #expect(message { _ = try PreparedTrace.load(path: forgedPath) }.contains("out of range"))
    }
  }

  @Test func sampledRecordingsAreRejectedInMixes() throws {
    let path = try folder.write(
      SampleTrace.recording(Self.gets(100), rate: 0.5), to: "a.recorded")
    let spec = SourceSpec.phases(
      [.trace(TraceReference(path: path)), .trace(TraceReference(path: path))], sharedKeys: true)
    let text = message {
      _ = try spec.makeSource(seed: 1) { try FileSource($0) }
    }
    #expect(text.contains("a sampled recording cannot be used"))
  }

  @Test func capacitiesAndFiguresAreScaled() {
    let sampling = TraceSampling(rate: 0.01, gets: 1000)
    #expect(sampling.scaled(64 << 20) == 671_089 && sampling.scaled(1) == 1)
    #expect(sampling.represented(5) == 500 && sampling.represented(.max) == UInt64(Int64.max))
    // 8 gets instead of the expected 10: two popular ones are missing, which would have been hits.
    #expect(abs(sampling.corrected(0.5, sampledGets: 8) - 0.6) < 1e-12)
    #expect(abs(sampling.corrected(0.8, sampledGets: 20) - 0.6) < 1e-12)
    #expect(sampling.corrected(0.2, sampledGets: 20) == 0)
    let whole = TraceSampling()
    #expect(whole.scaled(7) == 7 && whole.represented(7) == 7 && !whole.isPart)
    #expect(whole.corrected(0.5, sampledGets: 3) == 0.5)
    #expect(TraceSampling(rate: 0.5).corrected(0.5, sampledGets: 3) == 0.5)
  }
}
