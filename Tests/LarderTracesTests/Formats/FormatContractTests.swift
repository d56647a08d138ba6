import LarderEngine
import Testing

@testable import LarderTraces

/// Properties of all formats: a new format is covered by its sample.
@Suite
struct FormatContractTests {
  static let binary: Set<String> = ["oracle-general", "vscsi", "cache2k", "lcs", "larder"]

  private func decode(
    _ sample: SampleTrace, _ bytes: [UInt8], step: Int = .max, skippingZeroSizes: Bool = false
  ) throws -> [TraceRecord] {
    let format = try FormatRegistry.format(named: sample.format)
    let options = try format.options()
    let decoder = try format.decoder(
      options: options, sample: FormatSample(path: sample.file, head: bytes, isWhole: true))
    var records: [TraceRecord] = []
    let keep: RecordSink = { batch in
      records += batch
      return true
    }
    let folding = decoder.foldsFills ? FillFolding(path: "test", sink: keep) : nil
    let sizes =
      decoder.remembersSizes ? KnownSizes(skipsZeroSizes: skippingZeroSizes, source: "test") : nil
    try decoder.decode(
      ByteReader(SlowBytes(bytes, step: step), path: sample.file),
      into: RecordBatch(skipsZeroSizes: skippingZeroSizes && sizes == nil) { batch in
        try sizes?.pass(batch, to: keep) ?? folding?.add(batch) ?? keep(batch)
      })
    try folding?.finish()
    return records
  }

  @Test func everyFormatHasASampleAndADescription() {
    for format in FormatRegistry.standard {
      let description = format.description
      #expect(SampleTrace.all.contains { $0.format == description.name }, "\(description.name)")
      #expect(!description.summary.isEmpty && !description.layout.isEmpty)
      #expect(!description.suffixes.isEmpty)
      #expect(description.suffixes.allSatisfy { $0 == $0.lowercased() && $0.hasPrefix(".") })
    }
    #expect(
      Set(FormatRegistry.standard.map(\.description.name)).count == FormatRegistry.standard.count)
  }

  @Test(arguments: SampleTrace.all)
  func decodesItsSample(_ sample: SampleTrace) throws {
    #expect(try decode(sample, sample.bytes) == sample.records)
  }

  @Test(arguments: SampleTrace.all, [1, 3, 7, 31])
  func decodesTheSameHoweverTheBytesArrive(_ sample: SampleTrace, step: Int) throws {
    #expect(try decode(sample, sample.bytes, step: step) == sample.records)
  }

  @Test(arguments: SampleTrace.all)
  func isRecognisedByNameAndContentThroughAnyCompression(_ sample: SampleTrace) throws {
    let folder = try TestFolder()
    for compression in Compression.allCases.map(Optional.some) + [nil] {
      let bytes = compression?.compress(sample.bytes) ?? sample.bytes
      // The suffix is always zst: only the content counts.
      let path = try folder.write(bytes, to: sample.file + (compression == nil ? "" : ".zst"))
      let source = try FileSource(path: path)
      #expect(source.format.name == sample.format)
      #expect(try allRecords(source) == sample.records)
    }
  }

  @Test(arguments: SampleTrace.all)
  func prefixIsAnErrorOrFewerRequests(_ sample: SampleTrace) throws {
    for length in 0..<sample.bytes.count {
      let error = thrown {
        let records = try decode(sample, Array(sample.bytes[..<length]))
        if FormatContractTests.binary.contains(sample.format) {
          #expect(records == Array(sample.records.prefix(records.count)), "\(length)")
        }
      }
      guard let error else { continue }
      #expect(error is TraceError || error is ComponentError, "\(length): \(error)")
      #expect(!"\(error)".contains("\n"))
    }
    if FormatContractTests.binary.contains(sample.format) {
      let cut = Array(sample.bytes.dropLast())
      let error = try #require(thrown { _ = try decode(sample, cut) } as? TraceError)
      #expect(error.place != nil)
    }
  }

  @Test(arguments: SampleTrace.all)
  func damageNeverCrashes(_ sample: SampleTrace) {
    var random = SeededRandom(state: 11)
    for index in sample.bytes.indices {
      for change in [0xFF, 0x80, UInt8(truncatingIfNeeded: random.next()) | 1] {
        var bytes = sample.bytes
        bytes[index] ^= change
        let error = thrown { _ = try decode(sample, bytes) }
        #expect(error == nil || error is TraceError || error is ComponentError)
        #expect(!"\(error.map { "\($0)" } ?? "")".contains("\n"))
      }
    }
  }

  @Test(arguments: SampleTrace.all)
  func garbageNeverCrashes(_ sample: SampleTrace) {
    var random = SeededRandom(state: 5)
    for round in 0..<200 {
      let range: UInt64 = round % 2 == 0 ? 256 : 64
      let bytes = (0..<Int(random.next() % 300)).map { _ in
        UInt8(truncatingIfNeeded: random.next() % range)
      }
      let error = thrown { _ = try decode(sample, bytes) }
      #expect(error == nil || error is TraceError || error is ComponentError)
    }
  }

  @Test(arguments: SampleTrace.all)
  func stopsWhenTheSinkHasEnough(_ sample: SampleTrace) throws {
    let folder = try TestFolder()
    let format = try FormatRegistry.format(named: sample.format)
    let source = try FileSource(path: folder.write(sample.bytes, to: sample.file))
    var calls = 0
    try source.records { _ in
      calls += 1
      return false
    }
    #expect(calls == 1, "\(format.description.name)")
  }

  @Test(arguments: SampleTrace.all)
  func zeroSizesAreKeptUnlessSkipped(_ sample: SampleTrace) throws {
    let format = try FormatRegistry.format(named: sample.format)
    let folder = try TestFolder()
    let path = try folder.write(sample.bytes, to: sample.file)
    let spec = ComponentSpec(name: sample.format, values: ["skip-zero-size": "true"])
    guard format.description.parameters.contains(.skipZeroSize) else {
      let text = message { _ = try FileSource(path: path, format: spec) }
      #expect(text.contains("unknown parameter"))
      return
    }
    #expect(sample.records.contains { $0.size == 0 }, "the sample shows it")
    let kept = sample.records.filter { $0.size != 0 }
    #expect(try allRecords(FileSource(path: path, format: spec)) == kept)
    #expect(try PreparedTrace.load(path: path, format: spec).requests.count == kept.count)
    #expect(try PreparedTrace.load(path: path).requests.count == sample.records.count)
  }

  @Test(arguments: FormatRegistry.standard.map(\.description.name))
  func anUnknownOptionIsNamed(_ name: String) throws {
    let folder = try TestFolder()
    let path = try folder.write("1\n", to: "file")
    let spec = ComponentSpec(name: name, values: ["colour": "blue"])
    let text = message { _ = try FileSource(path: path, format: spec) }
    #expect(text.hasPrefix("\(name): colour: unknown parameter"))
  }

  @Test(arguments: FormatRegistry.standard.map(\.description.name))
  func filesThatCannotBeReadAreErrors(_ name: String) throws {
    let folder = try TestFolder()
    let spec = ComponentSpec(name: name)
    let empty = try folder.write([], to: "empty")
    let emptyInside = try folder.write(Compression.xz.compress([]), to: "empty.xz")
    #expect(message { _ = try PreparedTrace.load(path: empty, format: spec) }.contains("empty"))
    #expect(
      message { _ = try PreparedTrace.load(path: emptyInside, format: spec) }
        .contains("the file is empty once decompressed"))
    #expect(
      message { _ = try PreparedTrace.load(path: folder.path("missing"), format: spec) }
        .contains("cannot be opened"))
    #expect(
      message { _ = try PreparedTrace.load(path: folder.path, format: spec) }
        .contains("is a directory"))
  }
}
