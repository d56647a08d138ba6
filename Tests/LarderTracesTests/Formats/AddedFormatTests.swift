import LarderEngine
import LarderTraces
import TestSupport
import Testing

/// `G id` or `D id` per line, as another package would read it.
private struct LetterFormat: TraceFormat {
  let description = FormatDescription(
    name: "letter", summary: "text, `G id` or `D id` a line",
    layout: "Text: G (get) or D (delete), a blank, an id.", suffixes: [".letters"])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    sample.isText && sample.isNamed(description.suffixes) ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) -> any TraceDecoder { Decoder() }

  private struct Decoder: TraceDecoder {
    var columns: TraceColumns { [.operation] }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      try reader.forEachLine(telling: batch) { line, number in
        var rest = line
        let letter = rest.takeByte()
        guard letter == UInt8(ascii: "G") || letter == UInt8(ascii: "D") else {
          throw TraceError(
            "expected G or D, found \(line.quoted)", in: reader.path, at: .line(number))
        }
        return try batch.append(
          TraceRecord(
            key: KeyHash.key(rest.trimmed),
            operation: letter == UInt8(ascii: "D") ? .delete : .get))
      }
      _ = try batch.flush()
    }
  }
}

/// Objects in a circle.
private struct CycleStream: KeyStream {
  let objects: UInt64
  var key: UInt64 = 0

  mutating func nextKey() -> UInt64 {
    key = (key + 1) % objects
    return key
  }
}

// A registered format stays for the rest of the process and appears in messages that other tests
// compare, so these tests run in separate processes.
#if compiler(>=6.2)
  /// A format registered at run time is found by name and by content.
  @Suite(.endsInTime) struct AddedFormatTests {
    @Test func registeredFormatReadsTraces() async {
      await #expect(processExitsWith: .success) {
        try FormatRegistry.add(LetterFormat())
        try #require(FormatRegistry.names.last == "letter")
        let folder = try TestFolder()
        let path = try folder.write(Array("G 17\nD 17\nG x\n".utf8), to: "log.letters")
        let records = try allRecords(FileSource(path: path))
        try #require(records.map(\.operation) == [0, 2, 0])
        try #require(records.map(\.key) == [17, 17, KeyHash.hash("x")])
        let other = try folder.write(Array("G 1\n".utf8), to: "log")
        let named = try FileSource(path: other, format: try ComponentSpec(parsing: "letter"))
        try #require(try allRecords(named).count == 1)
      }
    }

    /// As `docs/generators.md` shows it.
    @Test func registeredGeneratorMakesRequests() async {
      await #expect(processExitsWith: .success) {
        let cycle = RegisteredGenerator(
          GeneratorDescription(
            name: "cycle", summary: "Objects in a circle.",
            parameters: [
              Parameter("objects", .count(1...1000), default: "10", "Number of objects.")
            ],
            source: "Example.")
        ) { setup throws(ComponentError) in
          let objects = try setup.whole("objects")
          return GeneratorPlan(keyLimit: objects, stream: CycleStream(objects: UInt64(objects)))
        }
        try GeneratorRegistry.add(cycle)
        try #require(message { try GeneratorRegistry.add(cycle) }.contains("already registered"))
        let spec = SourceSpec.generator(
          GeneratorSpec(component: try ComponentSpec(parsing: "cycle:objects=3"), requests: 5))
        let source = try spec.makeSource(seed: 1) { _ in throw TraceError("none", in: "") }
        try #require(try allRecords(source).map(\.key) == [1, 2, 0, 1, 2])
      }
    }

    @Test func takenNameIsRejected() async {
      await #expect(processExitsWith: .success) {
        try FormatRegistry.add(LetterFormat())
        try #require(
          message { try FormatRegistry.add(LetterFormat()) }
            == "letter: a trace format of this name is already registered")
      }
    }
  }
#endif
