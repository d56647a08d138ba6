import LarderEngine
import Testing

@testable import LarderTraces

/// Recognition of a file's format.
@Suite
struct FormatRegistryTests {
  private func recognised(_ bytes: [UInt8], _ name: String) throws -> String {
    try FormatRegistry.recognise(FormatSample(path: name, head: bytes, isWhole: true))
      .description.name
  }

  @Test(arguments: [
    (SampleTrace.oracleGeneral, "trace.bin", "oracle-general"),
    (SampleTrace.vscsi1, "trace.bin", "vscsi"), (SampleTrace.vscsi2, "trace.bin", "vscsi"),
    (SampleTrace.arc, "trace", "arc"), (SampleTrace.adaptSize, "trace", "adapt-size"),
    (SampleTrace.csv, "trace", "csv"), (SampleTrace.lirs, "trace", "lirs"),
    (SampleTrace.txt, "trace", "txt"), (SampleTrace.larder, "trace", "larder"),
    (SampleTrace.larder, "trace.csv", "larder"), (SampleTrace.csv, "log.TSV", "csv"),
    (SampleTrace.cache2k, "x.trace.xz", "cache2k"), (SampleTrace.lirs, "x.trace.gz", "lirs"),
  ])
  func contentDecidesWithoutName(
    _ sample: SampleTrace, _ name: String, _ expected: String
  ) throws {
    #expect(try recognised(sample.bytes, name) == expected)
  }

  /// The name of another format has no effect if the content has marks of its own.
  @Test func contentTakesPrecedenceOverName() throws {
    for sample in SampleTrace.all {
      let nameless = FormatSample(path: "", head: sample.bytes, isWhole: true)
      let format = try FormatRegistry.format(named: sample.format)
      guard format.recognise(nameless) == .certain else { continue }
      for suffix in FormatRegistry.standard.flatMap(\.description.suffixes) {
        #expect(try recognised(sample.bytes, "x\(suffix)") == sample.format, "\(suffix)")
      }
    }
    for name in ["request.trace", "x.trc", "x.lis", "x.vscsi", "x.txt"] {
      #expect(try recognised(Array("1 0 68\n2 1 100\n".utf8), name) == "adapt-size", "\(name)")
      #expect(
        try recognised(Array("time,id\n1,0\n".utf8), name == "x.txt" ? "x.lis" : name) == "csv")
    }
    // If no format fits the content, the name determines whose errors are useful.
    #expect(try recognised(Array("1 2 0 x\n".utf8), "x.lis") == "arc")
  }

  @Test func unknownContentErrorListsFormats() {
    let text = message { _ = try recognised([1, 2, 3, 0, 9, 9], "strange.dat") }
    #expect(text.contains("cannot detect the trace format from name and content"))
    for format in FormatRegistry.standard { #expect(text.contains(format.description.name)) }
  }

  @Test func ambiguousContentErrorListsCandidates() {
    let text = message { _ = try recognised(Array("1 2 3\n4 5 6\n".utf8), "table.csv") }
    #expect(text.contains("the trace format is ambiguous"))
    #expect(text.hasSuffix("use --format with one of csv, adapt-size"))
  }

  @Test func unknownNameSuggestsNearest() {
    let text = message { _ = try FormatRegistry.format(named: "oracle-genral") }
    #expect(text.contains("did you mean 'oracle-general'?"))
    #expect(!message { _ = try FormatRegistry.format(named: "parquet") }.contains("did you mean"))
  }

  @Test func vscsiVersionsCanBeForcedAndAreChecked() throws {
    let folder = try TestFolder()
    let path = try folder.write(SampleTrace.vscsi2.bytes, to: "x.vscsi")
    let forced = try ComponentSpec(parsing: "vscsi:version=1")
    #expect(
      message { _ = try allRecords(FileSource(path: path, format: forced)) }
        .contains("byte 0: the record is not of vscsi version 1"))
    var bytes = SampleTrace.vscsi1.bytes
    bytes[32 * 5 + 15] = 7
    let damaged = try folder.write(bytes, to: "y.vscsi")
    #expect(
      message { _ = try allRecords(FileSource(path: damaged)) }.contains("byte 160: the record"))
    let other = try folder.write([UInt8](repeating: 3, count: 80), to: "z.vscsi")
    #expect(message { _ = try FileSource(path: other) }.contains("neither vscsi version 1 nor 2"))
  }
}
