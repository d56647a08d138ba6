import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments

/// Hostile files, and files that are not workloads.
@Suite struct WorkloadHostileInputTests {
  private func message(_ bytes: some Sequence<UInt8>) -> String? {
    do {
      _ = try WorkloadDecoder(checks: .none).decode(Data(bytes), file: "w.yaml")
      return nil
    } catch {
      return error.description
    }
  }

  private func message(ofFile path: String) -> String? {
    do {
      _ = try WorkloadDecoder(checks: .none).decode(contentsOf: path)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func otherEncodingsAreNamed() {
    #expect(
      message(Array("a: 1\nb: ".utf8) + [0xff, 0x41])
        == "w.yaml:2: expected UTF-8 text, found other bytes at offset 8")
    #expect(
      message([0xc3, 0xa9, 0x0a, 0xe2, 0x82])
        == "w.yaml:2: expected UTF-8 text, found other bytes at offset 3")
    #expect(
      message([0xff, 0xfe]) == "w.yaml:1: expected UTF-8 text, found other bytes at offset 0")
  }

  @Test func multilineNameIsReportedOnOneLine() {
    let yaml = Case.start.replacing("[lru]", with: "[lru, z\n\n  z]")
    #expect(
      Case.message(yaml)
        == "w.yaml:2: policies[2]: unknown policy 'z z' ('larder list policies' lists them all)")
  }

  @Test func byteOrderMarkIsAccepted() {
    #expect(message([0xef, 0xbb, 0xbf] + Array(Case.start.utf8)) == nil)
  }

  @Test func windowsLineEndingsAreAccepted() {
    let yaml = Case.start.replacingOccurrences(of: "\n", with: "\r\n")
    #expect(message(yaml.utf8) == nil)
    #expect(
      message((yaml + "sedes: 1\r\n").utf8)
        == "w.yaml:4: unknown key 'sedes'; did you mean 'seeds'?")
  }

  @Test func deepNestingIsRejected() {
    let lists = String(repeating: "[", count: 5000)
    #expect(message("source: \(lists)".utf8) == "w.yaml:1: not valid YAML: nested too deeply")
    let blocks = String(repeating: "- ", count: 5000)
    #expect(message("source:\n\(blocks)".utf8) == "w.yaml:2: not valid YAML: nested too deeply")
    let sources = String(repeating: "{phases: [", count: 100)
    let ends = String(repeating: "]}", count: 100)
    let nested = message("source: \(sources){trace: a}\(ends)".utf8)
    #expect(nested?.hasSuffix("sources are nested more than 16 deep") == true)
  }

  /// Nine aliases on each of nine levels: 9^9 copies.
  private static func bomb(_ last: String) -> String {
    var yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      yaml += "a\(level): &a\(level) [\(aliases)]\n"
    }
    return yaml + last
  }

  @Test func aliasBombsAreRejected() {
    let expected = "w.yaml: aliases (*name) expand to too many values; write the values out"
    #expect(message(Self.bomb("source: *a9\n").utf8) == expected)
    #expect(message(Self.bomb("? *a9\n: 1\n").utf8) == expected)
  }

  @Test func repeatedAliasesCountPerVisit() {
    // Within the bound on the text, but each of the 300 phases represents 400 more.
    let one = Array(repeating: "{trace: a}", count: 400).joined(separator: ", ")
    let many = Array(repeating: "*p", count: 300).joined(separator: ", ")
    let yaml = "source: {phases: [&p {phases: [\(one)]}, \(many)]}\n"
    let expected = "w.yaml:1: aliases (*name) expand to too many values; write the values out"
    #expect(message(yaml.utf8) == expected)
  }

  @Test func starsAndAmpersandsInTextAreNotAliases() {
    #expect(AliasBound.isHarmless("description: R & D, *very* busy, **bold**, a*b\n"))
    let stars = String(repeating: "*a ", count: 10_000)
    #expect(AliasBound.isHarmless("# \(stars)"))
    #expect(AliasBound.isHarmless("a: &x 1\nb: [*x, *x, *x]\n"))
  }

  @Test func hugeFilesAreRejectedAndLinesShortened() {
    let large = Array(repeating: UInt8(ascii: "a"), count: (1 << 20) + 1)
    #expect(message(large) == "w.yaml: expected at most 1024 KiB, found more")
    let name = String(repeating: "x", count: 10_000)
    let answer = message((Case.start + "unit: \(name)\n").utf8)
    #expect(answer?.count ?? .max < 200)
    let key = String(repeating: "x", count: 1000)
    let unknown = message((Case.start + "\(key): 1\n").utf8)
    #expect(unknown?.hasPrefix("w.yaml:4: unknown key 'xxx") == true)
    #expect(unknown?.count ?? .max < 300)
  }

  @Test func messagesStayOnOneLine() {
    let answer = message((Case.start + "unit: \"a\\nb\\tc\"\n").utf8)
    #expect(answer == "w.yaml:4: unit: expected one of objects, bytes, found 'a b c'")
    let key = message((Case.start + "\"a\\nb\": 1\n").utf8)
    #expect(key?.contains("\n") == false)
  }

  @Test func filesThatCannotBeRead() throws {
    #expect(
      message(ofFile: "/nowhere/w.yaml") == "/nowhere/w.yaml: cannot be read: no such file"
    )
    let folder = FileManager.default.temporaryDirectory.path
    #expect(
      message(ofFile: folder)
        == "\(folder): cannot be read: this is a folder; expected a workload file")
    #expect(
      message(ofFile: "/dev/zero")
        == "/dev/zero: expected at most 1024 KiB, found more")
  }

  @Test func readsAFileAndItsFolder() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("larder-workload-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("mine.yaml")
    try Data(Case.start.utf8).write(to: file)
    let workload = try WorkloadDecoder(checks: .none).decode(contentsOf: file.path)
    #expect(workload.name == "mine")
    #expect(workload.folder == folder.path)
  }

  /// Bytes of a valid file are changed, doubled and removed at random: the result is a workload or
  /// a one-line error.
  @Test func mutatedFilesNeverCrash() {
    let good = Array(
      """
      name: a
      source:
        mix:
          - {weight: 1, source: {generator: zipf, requests: 10, sizes: 8KiB}}
          - {weight: 2, source: {phases: [{trace: a}, {trace: "b\\n"}]}}
        requests: 5
      configurations: [memory, {kind: hybrid, memory: &m {share: 10%}, promotion: never}]
      policies: [lru, 's3-fifo:small=0.1']
      capacities: [1%, 64MiB]
      latency: {memory: 1us, disk: [1ms, 2ms], origin: {distribution: constant, value: 1s}}
      mode: [simulate, execute]
      execute: {threads: [1, 2], load: {trace: 2x}, pressure: [{at: 5%, level: warning}]}
      """.utf8)
    let signs = Array("{}[]:,-?&*!|>'\"%@`#\n\t \\0a\u{7f}é".utf8)
    var random = SeededGenerator(seed: 11)
    var accepted = 0
    for _ in 0..<4000 {
      var bytes = good
      for _ in 0...random.next(below: 4) {
        let place = Int(random.next(below: UInt64(bytes.count)))
        switch random.next(below: 3) {
        case 0: bytes[place] = signs[Int(random.next(below: UInt64(signs.count)))]
        case 1: bytes.insert(signs[Int(random.next(below: UInt64(signs.count)))], at: place)
        default: bytes.remove(at: place)
        }
      }
      if let message = message(bytes) {
        #expect(!message.contains { $0.isNewline })
      } else {
        accepted += 1
      }
    }
    #expect(accepted > 0 && accepted < 4000)
  }
}
