import Foundation
import TestSupport
import Testing

/// Every invalid request prints one line with fault, position and remedy, exits with code 2 and
/// writes nothing.
@Suite(.endsInTime) struct BadInputTests {
  /// An invalid request and parts of the expected line.
  struct Case: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let says: [String]
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ command: String, says: String...) {
      arguments = command.split(separator: " ").map(String.init)
      self.says = says
    }
  }

  static let cases: [Case] = [
    // Traces.
    Case("simulate absent.csv --policy lru --capacity 1", says: "absent.csv", "No such file"),
    Case("simulate folder --policy lru --capacity 1", says: "folder", "directory"),
    Case("simulate empty.txt --policy lru --capacity 1", says: "empty.txt"),
    Case("simulate cut.oracleGeneral --policy lru --capacity 1B", says: "byte 24", "24"),
    Case("simulate cut.txt.gz --policy lru --capacity 1", says: "cut.txt.gz", "byte"),
    Case("simulate broken.txt.gz --policy lru --capacity 1", says: "broken.txt.gz"),
    Case(
      "simulate words.tr --format adapt-size --policy lru --capacity 1B",
      says: "words.tr:2", "two"),
    Case(
      "simulate negative.tr --format adapt-size --policy lru --capacity 1B",
      says: "negative.tr:1", "-5"),
    Case("simulate ok.txt --format cvs --policy lru --capacity 1", says: "cvs", "csv"),
    Case("simulate ok.txt --format txt:x=1 --policy lru --capacity 1", says: "txt", "x"),
    // Policies and capacities.
    Case("simulate ok.txt --policy lruu --capacity 1", says: "lruu", "'lru'"),
    Case("simulate ok.txt --policy clock:bit=1 --capacity 1", says: "clock", "bits"),
    Case("simulate ok.txt --policy clock:bits=9 --capacity 1", says: "bits", "9", "1 to 3"),
    Case("simulate ok.txt --policy clock:bits --capacity 1", says: "name=value"),
    Case("simulate ok.txt --policy clock:bits=1:bits=2 --capacity 1", says: "bits", "twice"),
    Case("simulate ok.txt --policy lru, --capacity 1", says: "unknown policy ''"),
    Case("simulate ok.txt --policy lru --capacity 0", says: "'0'", "above 0"),
    Case("simulate ok.txt --policy lru --capacity=-5", says: "'-5'", "above 0"),
    Case("simulate ok.txt --policy lru --capacity many", says: "'many'"),
    Case("simulate ok.txt --policy lru --capacity 99999999999999", says: "99999999999999"),
    Case("simulate ok.txt --policy lru --capacity 0%", says: "'0%'"),
    Case("simulate ok.txt --policy lru --capacity 1kB", says: "1kB", "bytes", "objects"),
    Case("simulate ok.tr --policy lru --capacity 100", says: "100", "bytes", "size"),
    // Options.
    Case(
      "simulate ok.txt --policy lru --capacity 1 --treads 2", says: "--treads", "'--threads'",
      "simulate --help"),
    Case("simulate ok.txt --policy lru", says: "capacity"),
    Case("simulate ok.txt --policy lru --capacity 1 --threads 0", says: "--threads"),
    Case("simulate ok.txt --policy lru --capacity 1 --csv - --export json=-", says: "both"),
    Case("simulate ok.txt --policy lru --capacity 1 --csv x --export json=x", says: "both", "x"),
    Case("simulate ok.txt --policy lru --capacity 1 --export pdf=x", says: "pdf", "markdown"),
    Case(
      "simulate ok.txt --policy lru --capacity 1 --format auto:max-bad=200%", says: "max-bad",
      "200%"),
    Case("simulate ok.csv --policy lru --capacity 1 --sample 2/1", says: "a share", "2/1"),
    Case("simulate ok.txt ok.txt --join --policy lru --capacity 1", says: "ok.txt", "twice"),
    Case("trace convert ok.txt", says: "the file to write"),
    Case("simulate ok.txt --policy lru --capacity 1 --csv empty.txt/x.csv", says: "empty.txt"),
    Case("simulate ok.txt --policy lru --capacity 1 --csv folder", says: "folder", "directory"),
    Case(
      "simulate ok.txt --policy lru --capacity 1 --export timings=nowhere/x.csv", says: "nowhere"),
    Case("simulate ok.txt ok.txt --policy lru --capacity 1", says: "ok.txt", "twice"),
    Case(
      "simulate ok.tr --format csv:id=1:id=2 --policy lru --capacity 1B", says: "id", "twice"),
    Case("fry ok.txt", says: "fry"),
    // Workload files.
    Case("run absent.yaml", says: "absent.yaml", "no such file"),
    Case("run folder", says: "folder"),
    Case("run empty.txt", says: "empty.txt", "empty"),
    Case("run key.yaml", says: "key.yaml:5", "polices", "policies"),
    Case("run list.yaml", says: "list.yaml:1", "list"),
    Case("run tiny.yaml", says: "tiny.yaml:6: configuration 'memory'", "0.001%"),
    Case("run ok.yaml --output empty.txt/results", says: "empty.txt"),
    Case("run none.yaml --output Results", says: "header.csv", "no requests"),
    // Traces as files.
    Case("trace info absent.csv", says: "absent.csv"),
    Case("trace head empty.txt", says: "empty.txt"),
    Case("trace head ok.txt -n 0", says: "--count"),
    Case("trace convert ok.txt out.unknown", says: "out.unknown", "--to"),
    Case("trace convert ok.txt ok.txt --to csv", says: "ok.txt", "would be overwritten"),
    Case("trace generate zipf out.unknown", says: "out.unknown", ".larder"),
    Case("trace convert ok.txt empty.txt/x.larder", says: "empty.txt"),
    Case("trace generate zipff x.larder", says: "zipff", "zipf"),
    Case("trace generate zipf:objects=0 x.larder", says: "objects", "0"),
    Case("trace generate zipf --requests 0 x.larder", says: "requests"),
    // Rejected before anything is generated, which would take minutes.
    Case("trace generate zipf --requests 4294967294 nowhere/x.larder", says: "nowhere"),
    Case("list policies --format xml", says: "xml"),
  ]

  @Test(arguments: cases) func oneClearLine(_ bad: Case) throws {
    let scratch = try Self.files()
    let before = scratch.files
    let run = try LarderProcess(bad.arguments + Self.quiet(bad.arguments), in: scratch.folder)
    #expect(run.exitCode == 2)
    #expect(run.output == "")
    #expect(run.noteLines.count == 1, "\(run.notes)")
    #expect(run.notes.hasPrefix("larder: "))
    for text in bad.says { #expect(run.notes.contains(text), "\(text) in: \(run.notes)") }
    #expect(scratch.files == before)
  }

  @Test(arguments: [["run", ""], ["simulate", "ok.txt", "--policy", "lru", "--capacity", ""]])
  func emptyArgumentIsAnError(_ arguments: [String]) throws {
    let run = try LarderProcess(arguments)
    #expect(run.exitCode == 2)
    #expect(run.noteLines.count == 1)
    #expect(run.notes.contains("an argument is empty"))
  }

  @Test func namesCannotAddLines() throws {
    let scratch = try ScratchFolder()
    let run = try LarderProcess(
      ["simulate", "no\nfile\u{1B}[31m", "--policy", "lru", "--capacity", "1"], in: scratch.folder)
    #expect(run.exitCode == 2)
    #expect(run.noteLines.count == 2, "reading, and the error: \(run.notes)")
    #expect(!run.notes.unicodeScalars.contains("\u{1B}"))
  }

  private static func quiet(_ arguments: [String]) -> [String] {
    let command = arguments.prefix(2)
    let hasProgress =
      ["simulate", "run"].contains(command.first)
      || ["info", "convert", "generate"].contains(command.last)
    return hasProgress ? ["--quiet"] : []
  }

  private static func files() throws -> ScratchFolder {
    let scratch = try ScratchFolder()
    try FileManager.default.createDirectory(
      at: scratch.url("folder"), withIntermediateDirectories: false)
    try scratch.write("", to: "empty.txt")
    try scratch.write("1\n2\n1\n", to: "ok.txt")
    try scratch.write("1 1 10\n2 2 20\n3 1 10\n", to: "ok.tr")
    try scratch.write(Data(repeating: 1, count: 24 + 11), to: "cut.oracleGeneral")
    try scratch.write("1 1 10\n1 2 two\n", to: "words.tr")
    try scratch.write("1 1 -5\n", to: "negative.tr")
    // gzip of "1\n2\n1\n", made with `printf '1\n2\n1\n' | gzip -n`.
    let whole: [UInt8] = [
      0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0x33, 0xe4, 0x32, 0xe2, 0x32, 0xe4, 0x02, 0x00,
      0x5a, 0x36, 0x69, 0x45, 0x06, 0, 0, 0,
    ]
    try scratch.write(Data(whole.dropLast(9)), to: "cut.txt.gz")
    var broken = whole
    broken[12] ^= 0xff
    try scratch.write(Data(broken), to: "broken.txt.gz")
    let workload = """
      name: small
      source:
        generator: zipf
        requests: 1000
      policies: [lru]
      capacities: [10]

      """
    try scratch.write(workload, to: "ok.yaml")
    try scratch.write(
      workload.replacingOccurrences(of: "policies", with: "polices"), to: "key.yaml")
    try scratch.write("- a\n- b\n", to: "list.yaml")
    try scratch.write(
      workload.replacingOccurrences(of: "[10]", with: "[0.001%]"), to: "tiny.yaml")
    try scratch.write("time,id\n", to: "header.csv")
    try scratch.write(
      "source: {phases: [{trace: header.csv}]}\npolicies: lru\ncapacities: 1\n", to: "none.yaml")
    return scratch
  }
}
