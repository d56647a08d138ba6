import LarderEngine
import Testing

@testable import LarderTraces

/// Text traces with truncated lines, NULs, or no content.
@Suite
struct DamagedTextTests {
  private func trace(
    _ bytes: [UInt8], _ name: String, _ spec: String? = nil, maxBad: Double? = nil
  ) throws -> PreparedTrace {
    try readTrace(bytes, name, spec, maxBad: maxBad)
  }

  /// Lines of each text format, and one that is invalid for it.
  static let texts: [(format: String, line: String, bad: String)] = [
    ("csv:id=1:size=2", "7,5", "8"), ("lirs", "7", "8x"), ("arc", "7 1 0 0", "8 1"),
    ("adapt-size", "1 7 5", "1 8"), ("twitter", "1,a,1,5,0,get,0", "1,b"),
    ("msr-cambridge", "128166372003061629,usr,0,Read,1000,512,1", "128166372003061629,usr,0,Re"),
    ("spc", "0,8,512,R,0.5", "0,8,51"), ("alibaba-block", "4,R,8,8,1577808000069495", "4,R,8"),
    ("tencent-block", "1538323200,8,8,0,1063", "1538323200,8"),
    ("fiu", "1 2 nfsd 8 8 R 6 0 531e779d6e33acd8", "1 2 nfsd 8 8 R"),
    ("ibm-cos", "1 REST.GET.OBJECT a 5", "1 REST.GET.OBJECT"),
    ("fio-iolog3", "1 /dev/a read 0 5", "1 /dev/a read 0"),
    ("fio-iolog2", "/dev/a read 0 5", "/dev/a read 0"),
    ("blkparse", "8,1 0 1 0.5 7 Q R 8 + 8 [a]", "8,1 0 1 0.5 7 Q R 8 + a [a]"),
    ("hash-ids", #"{"timestamp": 1, "hash_ids": [1]}"#, #"{"timestamp": 1, "hash_i"#),
  ]

  @Test(arguments: texts)
  func truncatedLastLineIsNoted(_ format: String, line: String, bad: String) throws {
    let text = "\(line)\n\(line)\n\(bad)"
    let trace = try trace(Array(text.utf8), "trace", format)
    #expect(trace.reading.badLines == 0 && trace.requests.objects > 0)
    #expect(
      trace.notes.contains { $0.hasPrefix("The last line is incomplete and was skipped: ") },
      "\(trace.notes)")
  }

  @Test(arguments: texts)
  func badLinesAreCountedUpToTheirShare(_ format: String, line: String, bad: String) throws {
    let text = Array("\(line)\n\(bad)\n\(line)\n\(line)\n".utf8)
    let read = try trace(text, "trace", format, maxBad: 0.25)
    #expect(read.reading.badLines == 1 && read.reading.lines == 4)
    let inside = format + ":max-bad=25%"
    #expect(try trace(text, "trace", inside).reading.badLines == 1)
    let error = message { _ = try trace(text, "trace", format) }
    #expect(error.contains(":2: ") && error.contains("1 of 4 lines cannot be read"), "\(error)")
  }

  @Test func truncatedMetaRowIsSkipped() throws {
    let text = "key,op,size,op_count,key_size\n1,SET,82,1,40\n1,GET,0,3,40\n2,DELETE,0,1,64\n166549"
    let trace = try trace(Array(text.utf8), "kvcache.csv")
    #expect(trace.requests.count == 5 && trace.requests.objects == 2)
  }

  @Test func invalidTimesDoNotSetTheUnitOfTheOthers() throws {
    #expect(TimeUnit.guess(["nan", "-1", "1772359100000"]) == .milliseconds)
    let lines = (0..<5).map { "1772359\($0)00000,a,100,60\n" }
    let text = "timestamp,key,size,ttl\n\(lines.joined())177235"
    let requests = try trace(Array(text.utf8), "t.csv").requests
    #expect(requests.times?[requests.count - 1] == 1_772_359_400_000_000)
    let prompts = (0..<4).map { _ in #"{"timestamp": 1, "input_length": 1, "hash_ids": [1]}"# + "\n"
    }
    let cut = prompts.joined() + #"{"timestamp": 1, "hash"#
    #expect(try trace(Array(cut.utf8), "t.jsonl").requests.count == 4)
  }

  @Test(arguments: [1, 7, 70_000, 3_000_000])
  func leadingNULsAreSkipped(_ count: Int) throws {
    let nuls = [UInt8](repeating: 0, count: count)
    let lines = Array("time,id,size\n1,7,5\n2,8,5\n".utf8)
    let trace = try trace(nuls + lines, "table.csv")
    #expect(trace.requests.count == 2)
    #expect(
      trace.notes.contains { $0.hasPrefix("\(count) NUL byte") && $0.contains("copytruncate") },
      "\(trace.notes)")
  }

  @Test(arguments: [1, 5000, 2_000_000])
  func nulsBetweenLinesAreSkipped(_ count: Int) throws {
    let nuls = [UInt8](repeating: 0, count: count)
    let rows = (0..<300).map { "\($0),5\n" }.joined()
    let text = Array("id,size\n\(rows)".utf8)
    let whole = try trace(text + nuls + Array("9000,5\n".utf8) + nuls, "table.csv")
    #expect(whole.requests.count == 301 && whole.reading.badLines == 0)
    // A line that was being written is cut there, and the next one begins after the NULs.
    let cut = try trace(text + Array("777".utf8) + nuls + Array("9000,5\n".utf8), "table.csv")
    #expect(cut.requests.count == 301 && cut.reading.badLines == 1)
    let long = try trace(text + nuls + [UInt8](repeating: 0x37, count: 2 << 20), "table.csv")
    #expect(long.notes.contains { $0.hasPrefix("\(count) NUL byte") }, "\(long.notes)")
  }

  @Test func onlyNULsIsAnError() {
    let error = message { _ = try trace([UInt8](repeating: 0, count: 100_000), "a.log") }
    #expect(!error.isEmpty && !error.contains("\n"))
  }

  @Test func binaryTracesKeepTheirZeros() throws {
    for sample in [SampleTrace.cache2k, .oracleGeneral, .vscsi1] {
      let folder = try TestFolder()
      let zeros = [UInt8](repeating: 0, count: 24)
      let path = try folder.write(
        sample.format == "vscsi" ? sample.bytes : zeros + sample.bytes, to: sample.file)
      let records = try allRecords(FileSource(path: path))
      #expect(Array(records.suffix(sample.records.count)) == sample.records)
    }
  }

  @Test func noRequestsErrorHasReasonAndLines() {
    let text = "id,op\n1,x\n2,x\n3,y\n4,y\n"
    let error = message { _ = try trace(Array(text.utf8), "t.csv", "csv:id=1:op=2") }
    #expect(error.contains("has no requests; 2 lines skipped: unknown operation 'x'"))
    #expect(error.contains("the first are '1,x', '2,x', '3,y'"), "\(error)")
    let bad = message { _ = try trace(Array("x\ny\n".utf8), "t", "lirs", maxBad: 1) }
    #expect(bad.contains("has no requests; 2 lines cannot be read"), "\(bad)")
    let cut = message { _ = try trace(Array("x".utf8), "t", "lirs") }
    #expect(cut.contains("has no requests") && cut.contains("expected the id as"), "\(cut)")
  }
}
