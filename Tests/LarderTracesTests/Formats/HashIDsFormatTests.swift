import LarderEngine
import Testing

@testable import LarderTraces

/// Prompts and their tokens in the format hash-ids.
struct HashIDsFormatTests {
  private func records(_ lines: [String]) throws -> [TraceRecord] {
    let folder = try TestFolder()
    let text = lines.map { $0 + "\n" }.joined()
    let path = try folder.write(text, to: "a.hash-ids.jsonl")
    return try allRecords(FileSource(path: path, format: ComponentSpec(parsing: "hash-ids")))
  }

  private func problem(_ line: String) -> String {
    do {
      _ = try records([line])
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func withoutALengthBlocksAreFull() throws {
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

  @Test func promptsSurviveAPreparedTrace() throws {
    let folder = try TestFolder()
    let original = try folder.write(SampleTrace.hashIDs.bytes, to: "a.hash-ids.jsonl")
    let trace = try PreparedTrace.load(path: original)
    let path = folder.path("b.larder")
    try LarderWriter().write(trace, to: path)
    let again = try PreparedTrace.load(path: path)
    #expect(again.columns == [.time, .prompt])
    #expect(try allRecords(PreparedSource(again)) == allRecords(PreparedSource(trace)))
    // Without the column the trace is an ordinary one.
    let without = try PreparedTrace.load(path: original, keeping: { $0.subtracting(.prompt) })
    #expect(without.prompts == nil)
  }

  @Test func aPreparedTraceBeginsWithAPrompt() throws {
    let folder = try TestFolder()
    let records = [TraceRecord(key: 1, prompt: 5), TraceRecord(key: 2)]
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: records, columns: [.prompt]), name: "p")
    let path = folder.path("p.larder")
    try LarderWriter().write(trace, to: path)
    var bytes = try FileBytes(path: path).peek(1 << 16)
    bytes[bytes.count - 8] = 0
    _ = try folder.write(bytes, to: "p.larder")
    // The value is looked at before the checksum is known.
    #expect(throws: TraceError.self) { try PreparedTrace.load(path: path) }
    let missing = try PreparedTrace.prepare(
      source: RecordList(list: [TraceRecord(key: 2)], columns: [.prompt]), name: "m")
    #expect(missing.prompts?[0] == 513, "whoever reads a part of a prompt reads one of a block")
  }
}
