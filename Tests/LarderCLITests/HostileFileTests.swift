import Foundation
import TestSupport
import Testing

/// Files made to crash, exhaust or deceive the program that reads them.
@Suite(.endsInTime) struct HostileFileTests {
  private static let workload = """
    name: tiny
    source: {generator: zipf, requests: 2000, objects: 100}
    policies: [lru]
    capacities: [10]

    """

  private func isOneLine(_ run: LarderProcess, _ says: String...) {
    #expect(run.exitCode == 2, "\(run.notes)")
    #expect(run.output == "")
    #expect(run.noteLines.count == 1, "\(run.notes)")
    for text in says { #expect(run.notes.contains(text), "\(text) in: \(run.notes)") }
  }

  /// Foundation's parser ends the process at 513 levels.
  @Test(arguments: [513, 514, 1_000_000])
  func deepJSONIsOneLine(_ depth: Int) throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload, to: "tiny.yaml")
    try FileManager.default.createDirectory(
      at: scratch.url("Results/deep"), withIntermediateDirectories: true)
    let text = String(repeating: "[", count: depth)
    try scratch.write(text, to: "deep.json")
    try scratch.write(text, to: "Results/deep/results.json")
    let place = "nested more than 128 levels deep at byte 128"
    let folder = scratch.folder
    isOneLine(
      try LarderProcess(["check", "tiny.yaml", "--baseline", "deep.json", "--quiet"], in: folder),
      "deep.json: ", place)
    isOneLine(try LarderProcess(["report", "Results/deep"], in: folder), "results.json: ", place)
    isOneLine(
      try LarderProcess(["compare", "deep.json", "Results/deep"], in: folder), "deep.json: ", place)
    let run = try LarderProcess(["run", "tiny.yaml", "--quiet"], in: folder)
    #expect(run.exitCode == 0, "\(run.notes)")
  }

  /// A frame of some hundred kilobytes that expands to the sample and 4 GiB more.
  @Test func bytesAfterAPreparedTraceAreNotRead() throws {
    let scratch = try ScratchFolder()
    let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Workloads/samples/sample.larder")
    let packed = try LarderProcess(
      shell: """
        (cat '\(sample.path)'; head -c 4294967296 /dev/zero) | zstd -q -1 -o long.larder.zst
        """, in: scratch.folder)
    #expect(packed.exitCode == 0, "\(packed.notes)")
    for command in [["trace", "info", "--quiet"], ["trace", "head"]] {
      let start = ContinuousClock.now
      let run = try LarderProcess(command + ["long.larder.zst"], in: scratch.folder)
      isOneLine(run, "long.larder.zst", "found more")
      // 4 GiB take minutes in a debug build.
      #expect(ContinuousClock.now - start < .seconds(20))
    }
  }

  @Test(arguments: [
    ["trace", "info", "--quiet", "/dev/urandom"],
    ["trace", "info", "--quiet", "--format", "cache2k", "/dev/zero"],
    ["simulate", "--quiet", "--policy", "lru", "--capacity", "10", "/dev/urandom"],
    ["compare", "/dev/zero", "/dev/zero"],
    ["report", "endless"],
  ])
  func devicesAreNotRead(_ arguments: [String]) throws {
    let scratch = try ScratchFolder()
    try FileManager.default.createDirectory(
      at: scratch.url("endless"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.url("endless/results.json").path, withDestinationPath: "/dev/zero")
    isOneLine(try LarderProcess(arguments, in: scratch.folder), "is a device")
  }

  /// The limit makes machines with much memory fail, too.
  @Test func generatorsCheckMemoryFirst() throws {
    let scratch = try ScratchFolder()
    let words = """
      trace generate zipf:objects=1000 --requests 4294967294 --quiet x.larder
      """
    let run = try limited(words, in: scratch, kilobytes: 8 << 20)
    isOneLine(run, "4294967294 requests need", "GiB of memory", "fewer requests")
    #expect(scratch.files == [])
    try scratch.write(
      Self.workload.replacingOccurrences(of: "2000,", with: "4294967294,"), to: "big.yaml")
    isOneLine(
      try limited("run big.yaml --quiet", in: scratch, kilobytes: 8 << 20),
      "4294967294 requests need", "GiB of memory")
  }

  /// An endless pipe is read until little memory is left.
  @Test func endlessPipesEnd() throws {
    let scratch = try ScratchFolder()
    let run = try limited(
      "trace info /dev/stdin --format cache2k --quiet", in: scratch, kilobytes: 500_000,
      input: "cat /dev/urandom")
    #expect(run.exitCode == 2 && run.noteLines.count == 1, "\(run.notes)")
    // The limit decides which of the two comes first.
    let isTold = ["of memory are left", "no memory for"].contains { run.notes.contains($0) }
    #expect(isTold, "\(run.notes)")
  }

  /// A limit that leaves a hundred megabytes is enough for a trace of a few.
  @Test func smallTraceNeedsLittleMemory() throws {
    let scratch = try ScratchFolder()
    let made = try limited(
      "trace generate zipf --requests 1000000 --quiet x.larder", in: scratch, kilobytes: 300_000)
    #expect(made.exitCode == 0, "\(made.notes)")
    let read = try limited("trace info --quiet x.larder", in: scratch, kilobytes: 300_000)
    #expect(read.exitCode == 0, "\(read.notes)")
  }

  @Test func hugeValuesAreNotExecuted() throws {
    let scratch = try ScratchFolder()
    try scratch.write("1,4294967295\n2,4294967295\n1,4294967295\n", to: "huge.csv")
    try scratch.write(
      """
      name: huge
      source: {trace: huge.csv, format: csv:id=1:size=2}
      policies: [lru]
      capacities: [8GiB]
      mode: [simulate, execute]

      """, to: "huge.yaml")
    let run = try limited("run huge.yaml --quiet", in: scratch, kilobytes: 6 << 20)
    isOneLine(run, "'memory' at 8GiB", "needs 16.00 GiB of memory for values", "mode: simulate")
  }

  /// A field, a name and an argument of 70 KB.
  @Test func quotesAreShortened() throws {
    let scratch = try ScratchFolder()
    let long = String(repeating: "x\u{301}", count: 35_000)
    try scratch.write("a,b\n\(long),1\n", to: "long.csv")
    try scratch.write(Self.workload.replacingOccurrences(of: "lru", with: long), to: "long.yaml")
    let runs: [[String]] = [
      ["simulate", "long.csv", "--policy", long, "--capacity", "1", "--quiet"],
      ["simulate", long, "--policy", "lru", "--capacity", "1", "--quiet"],
      ["run", "long.yaml", "--quiet"], [long], ["compare", long, long],
      ["trace", "info", "long.csv", "--format", "csv:\(long)=1"],
    ]
    for arguments in runs {
      let run = try LarderProcess(arguments, in: scratch.folder)
      isOneLine(run)
      #expect(run.notes.utf8.count <= 4000, "\(run.notes.utf8.count) bytes")
    }
    let first = try LarderProcess(runs[0], in: scratch.folder).notes
    #expect(first.contains("characters omitted]"), "\(first)")
  }

  @Test func aMisspeltCellIsOneSentence() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Self.workload, to: "tiny.yaml")
    let options = ["check", "tiny.yaml", "--quiet"]
    #expect(try LarderProcess(options + ["--update"], in: scratch.folder).exitCode == 0)
    isOneLine(
      try LarderProcess(options + ["--only", "memory/lur/10"], in: scratch.folder),
      "larder: no cell 'memory/lur/10' in tiny.yaml; cells are named "
        + "configuration/policy/capacity; did you mean 'memory/lru/10'?")
  }

  @Test func printedCommandsRunAsPrinted() throws {
    let scratch = try ScratchFolder()
    for name in ["a'\u{301};touch x;'\u{301}.yaml", "-dash.yaml", "line\nbreak'.yaml"] {
      try scratch.write(Self.workload, to: name)
      let run = try LarderProcess(["check", "./\(name)", "--quiet"], in: scratch.folder)
      isOneLine(run, "create it with: larder check ")
      let command = try #require(run.notes.split(separator: "create it with: ").last)
      let shell = try LarderProcess(shell: String(command), "/bin/bash", in: scratch.folder)
      #expect(shell.exitCode == 0, "\(command)\n\(shell.notes)")
      #expect(scratch.files.sorted() == [name, "larder-baseline.json"].sorted())
      for file in scratch.files { try FileManager.default.removeItem(at: scratch.url(file)) }
    }
  }

  private func limited(
    _ words: String, in scratch: ScratchFolder, kilobytes: Int, input: String? = nil
  ) throws -> LarderProcess {
    let pipe = input.map { "\($0) | " } ?? ""
    return try LarderProcess(
      shell: "\(pipe)(ulimit -v \(kilobytes) && exec larder \(words))", in: scratch.folder)
  }
}
