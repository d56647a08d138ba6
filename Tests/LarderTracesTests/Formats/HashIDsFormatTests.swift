import LarderEngine
import Testing

@testable import LarderTraces

/// Prompts and their tokens in the format hash-ids.
struct HashIDsFormatTests {
  private func records(_ lines: [String]) throws -> [TraceRecord] {
    try readRecords(lines.map { $0 + "\n" }.joined().utf8, "a.hash-ids.jsonl", "hash-ids")
  }

  private func problem(_ line: String) -> String { message { _ = try records([line]) } }

  @Test func blocksAreFullWithoutLength() throws {
    let found = try records([
      #"{"timestamp": 1, "hash_ids": [5, 6 , 7]}"#, #"{"timestamp": 1, "hash_ids": [5]}"#,
    ])
    #expect(found.map(\.prompt) == [1537, 0, 0, 513])
  }

  @Test func lengthsAreWholeNumbersOfTokens() throws {
    let found = try records([#"{"hash_ids": [1], "timestamp": 1, "input_length": 4294967294}"#])
    #expect(found.map(\.prompt) == [.max])
    for length in ["4294967295", "-1", "1.5", "\"x\"", "99999999999999999999"] {
      let line = #"{"timestamp": 1, "hash_ids": [1], "input_length": \#(length)}"#
      #expect(problem(line).contains("'input_length' with a whole number"), "\(length)")
    }
  }

  private func trace(_ lines: [String], _ spec: String = "hash-ids") throws -> PreparedTrace {
    try readTrace(lines.map { $0 + "\n" }.joined().utf8, "a.jsonl", spec)
  }

  @Test func decimalTimesAreSeconds() throws {
    let found = try records([
      #"{"timestamp": 61.114, "hash_ids": [5]}"#, #"{"timestamp": 62, "hash_ids": [6]}"#,
      #"{"hash_ids": [7]}"#,
    ])
    #expect(found.map(\.time) == [61_114_000, 62_000_000, 62_000_000])
    let epoch = try records([#"{"timestamp": 1772359200123, "hash_ids": [5]}"#])
    #expect(epoch.map(\.time) == [1_772_359_200_123_000])
    let given = try trace([#"{"timestamp": 1.5, "hash_ids": [5]}"#], "hash-ids:time-unit=ms")
    #expect(given.requests.times?[0] == 1500 && given.notes == [])
    #expect(
      try trace([#"{"timestamp": 1.5, "hash_ids": [5]}"#]).notes.contains { $0.contains("as s;") })
  }

  @Test func idsMayBeStringsOrNegative() throws {
    let found = try records([#"{"timestamp": 1, "hash_ids": ["ab", -1, 18446744073709551615]}"#])
    #expect(found.map(\.key) == [KeyHash.hash("ab"), .max, .max])
  }

  @Test(arguments: [16, 64, 128, 512, 1024])
  func tokensPerBlockFollowLengths(_ block: Int) throws {
    let lengths = (1...60).map { $0 * 37 * block / 16 + 1 }
    let lines = lengths.enumerated().map { number, tokens in
      let ids = (0..<((tokens - 1) / block + 1)).map { "\(number * 1000 + $0)" }.joined(
        separator: ",")
      return
        #"{"timestamp": 1, "input_length": \#(tokens), "hash_ids": [\#(ids)]}"#
    }
    let trace = try trace(lines)
    #expect(trace.tokensPerBlock() == block)
    #expect(trace.notes.contains { $0.contains("have \(block) tokens") } == (block != 512))
    // A line that does not fit the others has no effect.
    let odd = #"{"timestamp": 1, "input_length": 7, "hash_ids": [1,2,3,4,5,6,7]}"#
    #expect(try self.trace(lines + [odd]).tokensPerBlock() == block)
    let given = try self.trace(
      [#"{"timestamp": 1, "hash_ids": [1, 2]}"#], "hash-ids:block=\(block)")
    #expect(given.prompts?[0] == UInt32(2 * block + 1))
  }

  @Test func linesWithoutIDsAreReported() {
    let line = #"{"timestamp": 1, "input_length": 100, "output_length": 5}"#
    #expect(message { _ = try trace([line]) }.contains("the lines have no 'hash_ids'"))
    let folder = try? TestFolder()
    let path = try? folder?.write(line + "\n" + line + "\n", to: "lengths.jsonl")
    #expect(message { _ = try FileSource(path: path ?? "") }.contains("no 'hash_ids'"))
    #expect(message { _ = try trace([line], "hash-ids:block=0") } != "")
  }

  @Test func promptsSurviveAPreparedTrace() throws {
    let folder = try TestFolder()
    let original = try folder.write(SampleTrace.hashIDs.bytes, to: "a.hash-ids.jsonl")
    let trace = try PreparedTrace.load(path: original)
    let path = folder.path("b.larder")
    try TraceWriter.larder.write(trace, to: path)
    let again = try PreparedTrace.load(path: path)
    #expect(again.columns == [.time, .prompt])
    #expect(try allRecords(PreparedSource(again)) == allRecords(PreparedSource(trace)))
    // Without the column the trace is an ordinary one.
    let without = try PreparedTrace.load(path: original, keeping: { $0.subtracting(.prompt) })
    #expect(without.prompts == nil)
    // A sample has only some blocks of a prompt.
    let sample = try FileSource(TraceReference(path: original, sample: 0.5))
    #expect(sample.columns == [.time])
  }

  @Test func aPreparedTraceBeginsWithAPrompt() throws {
    let folder = try TestFolder()
    let records = [TraceRecord(key: 1, prompt: 5), TraceRecord(key: 2)]
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: records, columns: [.prompt]), name: "p")
    let path = folder.path("p.larder")
    try TraceWriter.larder.write(trace, to: path)
    var bytes = try FileBytes(path: path).peek(1 << 16)
    bytes[bytes.count - 8] = 0
    _ = try folder.write(bytes, to: "p.larder")
    // The value is checked before the checksum is known.
    #expect(throws: TraceError.self) { try PreparedTrace.load(path: path) }
    let missing = try PreparedTrace.prepare(
      source: RecordList(list: [TraceRecord(key: 2)], columns: [.prompt]), name: "m")
    #expect(missing.prompts?[0] == 513, "whoever reads a part of a prompt reads one of a block")
  }
}
