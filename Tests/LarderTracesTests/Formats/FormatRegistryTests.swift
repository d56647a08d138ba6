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

  @Test func unknownContentErrorGivesWaysOn() {
    let text = message { _ = try recognised([1, 2, 3, 0, 9, 9], "strange.dat") }
    #expect(text.contains("cannot detect the trace format from name and content"))
    #expect(text.contains("larder list formats"))
    #expect(text.contains("--format csv:time=1:id=2:size=3"))
  }

  /// Names of all formats would be taken for such files, whatever their content.
  @Test(arguments: [
    ("PAR1", "a Parquet file"), ("PK\u{3}\u{4}", "a zip archive"), ("ARROW1", "an Arrow file"),
    ("SQLite format 3\0", "a SQLite file"), ("\u{4}\"M\u{18}", "an lz4 file"),
    ("7z\u{BC}\u{AF}\u{27}\u{1C}", "a 7z archive"), ("Obj\u{1}", "an Avro file"),
    ("REDIS0011", "a Redis dump"), ("<!DOCTYPE html>", "an HTML page"),
    (String(repeating: "a", count: 257) + "ustar", "a tar archive"),
  ])
  func otherFilesAreNamed(_ magic: String, _ name: String) throws {
    let bytes = magic.unicodeScalars.map { UInt8($0.value) } + Array(repeating: 7, count: 300)
    let names = ["x", "x.csv", "x.trace", "x.log", "x.oracleGeneral", "x.lcs", "x.jsonl", "x.txt"]
    for file in names {
      let text = message { _ = try recognised(bytes, file) }
      #expect(text.contains("is \(name)") && text.contains("; "), "\(file): \(text)")
    }
    let folder = try TestFolder()
    let path = try folder.write(bytes, to: "x.csv")
    let given = message {
      _ = try FileSource(path: path, format: try ComponentSpec(parsing: "csv:id=1"))
    }
    #expect(given.contains("is \(name)"), "\(given)")
  }

  @Test(arguments: [0, 1])
  func utf16WithoutAMarkIsNamed(_ first: Int) {
    let text = Array(("time,id,size\r\n" + String(repeating: "1,2,3\r\n", count: 20)).utf8)
    let bytes: [UInt8] = text.flatMap { (byte: UInt8) -> [UInt8] in
      first == 0 ? [byte, 0] : [0, byte]
    }
    #expect(message { _ = try recognised(bytes, "x.csv") }.contains("found UTF-16"))
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
