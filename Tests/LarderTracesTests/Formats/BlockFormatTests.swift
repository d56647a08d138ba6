import LarderEngine
import Testing

@testable import LarderTraces

/// Traces of block devices: recognition of the formats, and splitting of requests into blocks.
@Suite
struct BlockFormatTests {
  private func source(_ text: String, _ name: String, _ spec: String?) throws -> FileSource {
    let folder = try TestFolder()
    let path = try folder.write(text, to: name)
    let source = try FileSource(path: path, format: spec.map { try ComponentSpec(parsing: $0) })
    _ = try PreparedTrace.load(source)
    return source
  }

  private func records(_ text: String, _ spec: String) throws -> [TraceRecord] {
    try readRecords(text.utf8, "trace", spec)
  }

  private static let spc = "0,8,8192,R,0.5\n1,8,512,w,0.75,extra\n0,16,4096,r,1.5\n"
  private static let alibaba =
    "419,R,65536,16384,1577808000069495\n725,W,49152,4096,1577808000096492\n"
  private static let tencent = "1538323200,8,8,0,1063\n1538323201,16,16,1,1063\n"

  @Test(arguments: [
    (spc, "spc"), (alibaba, "alibaba-block"), (tencent, "tencent-block"),
  ])
  func blockTracesAreRecognisedByContent(_ text: String, _ format: String) throws {
    for name in ["trace", "trace.csv", "trace.lis"] {
      #expect(try source(text, name, nil).format.name == format)
    }
    let notes = try source(text, "trace", nil).reading.notes(objects: 1)
    #expect(notes.contains(BlockRun.note) && notes.contains { $0.contains("Writes count as gets") })
  }

  @Test func unitsOfSPCHaveSeparateBlocks() throws {
    let whole = try records(Self.spc, "spc")
    #expect(whole.map(\.size) == [8192, 512, 4096])
    #expect(whole.map(\.time) == [500_000, 750_000, 1_500_000])
    #expect(Set(whole.map(\.key)).count == 3)
    let split = try records(Self.spc, "spc:block=4096")
    #expect(split.map(\.size) == [4096, 4096, 4096, 4096])
    // 8 sectors of 512 bytes are a block.
    #expect(split[1].key == split[3].key && split[0].key != split[2].key)
    #expect(try records(Self.spc, "spc:writes=set").map(\.operation) == [0, 1, 0])
    #expect(try records(Self.spc, "spc:writes=skip").count == 2)
  }

  @Test func unitsOfAlibabaAndTencentAreApplied() throws {
    #expect(try records(Self.alibaba, "alibaba-block").map(\.time).first == 1_577_808_000_069_495)
    #expect(try records(Self.alibaba, "alibaba-block:block=4096").count == 5)
    #expect(try records(Self.tencent, "tencent-block").map(\.size) == [4096, 8192])
    #expect(try records(Self.tencent, "tencent-block:block=4096").count == 3)
  }

  @Test func recordsOfVscsiAreSplit() throws {
    let folder = try TestFolder()
    for sample in [SampleTrace.vscsi1, SampleTrace.vscsi2] {
      let path = try folder.write(sample.bytes, to: sample.file)
      let whole = try FileSource(path: path)
      _ = try allRecords(whole)
      #expect(whole.reading.remarks == [BlockRun.note])
      let spec = try ComponentSpec(parsing: "vscsi:block=4096")
      let expected = sample.records.flatMap { record -> [UInt64] in
        if record.size == 0 { return [] }
        let first = record.key * 512
        return Array(first / 4096...(first + UInt64(record.size) - 1) / 4096)
      }
      let split = try allRecords(FileSource(path: path, format: spec))
      #expect(split.map(\.key) == expected)
      #expect(Set(split.map(\.size)) == [4096])
    }
  }

  @Test(arguments: [
    ("0,8,8192,X,0.5\n", "spc", ":1: expected Read or Write, found 'X'"),
    ("0,8,8192,R\n", "spc", ":1: expected 5 fields or more, found 4"),
    ("0,8,-1,R,0.5\n", "spc", ":1: expected the length as a whole number, found '-1'"),
    ("0,18446744073709551615,1,R,0.5\n", "spc", "the address '18446744073709551615' is too large"),
    ("0,1,18446744073709551615,R,0.5\n", "spc", "invalid request of 18446744073709551615 bytes"),
    ("0,1,4294967295,R,0.5\n", "spc:block=1", "invalid request of 4294967295 bytes"),
    ("0,1,1,R,nan\n", "spc", ":1: expected a time as a number"),
    ("0,1,1,R,1\n", "spc:block=0", "spc: block: expected a size from 1 to 4294967295 bytes"),
    ("1,R,1,1\n", "alibaba-block", ":1: expected 5 fields, found 4"),
    ("block_id io_size\n1 2\n", "meta-block", ":1: the header has no column 'io_offset'"),
    (
      "block_id io_offset io_size op_name\n1 2 3 x\n", "meta-block",
      ":2: expected Read or Write, found 'x'"
    ),
    ("/a read 18446744073709551615 1\n", "fio-iolog2:block=8", "invalid request of 1 bytes"),
    ("1 2 a 18446744073709551615 8 R 6 0 x\n", "fiu", "the address '18446744073709551615' is too"),
    ("8,1 0 1 0.5 7 Q R 99999999999999999999 + 8 [a]\n", "blkparse", ":1: expected the address"),
    ("1 REST.GET.OBJECT a -5\n", "ibm-cos", ":1: the size '-5' is negative"),
  ])
  func errorsNameLineAndField(_ text: String, _ spec: String, _ expected: String) {
    let problem = message { _ = try records(text, spec) }
    #expect(problem.contains(expected), "\(problem)")
  }
}
