import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Runs every input of the corpus and of earlier findings in this build.
@Suite(.endsInTime, .serialized) struct CorpusTests {
  /// `Tests/Fuzz`.
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz")

  private static func inputs(_ kind: String, of target: String) -> [URL] {
    let folder = folder.appendingPathComponent(kind).appendingPathComponent(target)
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { !$0.hasDirectoryPath }.sorted { $0.path < $1.path }
  }

  @Test(arguments: FuzzRegistry.all.map(\.name)) func inputsPass(_ name: String) throws {
    let target = try #require(FuzzRegistry.target(named: name))
    let corpus = Self.inputs("Corpus", of: name)
    #expect(!corpus.isEmpty, "no inputs in Tests/Fuzz/Corpus/\(name)")
    for file in corpus + Self.inputs("Regressions", of: name) {
      let input = [UInt8](try Data(contentsOf: file))
      do {
        try target.run(input)
      } catch {
        Issue.record("\(file.path): \(error)")
      }
    }
  }

  /// Extreme numbers in place of the numbers of the corpus. The selection is equal in every run;
  /// all are run if the variable `LARDER_NUMBERS` is `all`.
  @Test(arguments: FuzzRegistry.all.map(\.name)) func numbersPass(_ name: String) throws {
    let target = try #require(FuzzRegistry.target(named: name))
    var changes: [(file: URL, input: [UInt8], place: Range<Int>, value: [UInt8])] = []
    for file in Self.inputs("Corpus", of: name) {
      let input = [UInt8](try Data(contentsOf: file))
      guard input.count <= 16384, Self.isText(input) else { continue }
      for place in NumberMutation.places(in: input) {
        for value in NumberMutation.values { changes.append((file, input, place, value)) }
      }
    }
    let triesAll = ProcessInfo.processInfo.environment["LARDER_NUMBERS"] == "all"
    let step = triesAll ? 1 : max(1, changes.count / TestEffort.rounds(Self.numbersTried))
    for index in stride(from: 0, to: changes.count, by: step) {
      // Offset within a step, so that the replacement varies.
      let (file, input, place, value) = changes[min(changes.count - 1, index + index / step % step)]
      do {
        try target.run(NumberMutation.replacing(place, of: input, by: value))
      } catch {
        let number = String(decoding: value, as: UTF8.self)
        Issue.record("\(file.path), bytes \(place) replaced by '\(number)': \(error)")
      }
    }
  }

  private static let numbersTried = 150

  /// True if an input is text except for a few bytes.
  private static func isText(_ input: [UInt8]) -> Bool {
    let others = input.count { $0 > 0x7E || $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }
    return others * 20 <= input.count
  }

  @Test func everyFolderBelongsToATarget() throws {
    let names = Set(FuzzRegistry.all.map(\.name))
    #expect(names.count == FuzzRegistry.all.count)
    for kind in ["Corpus", "Regressions"] {
      let root = Self.folder.appendingPathComponent(kind).path
      for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
        var isFolder = ObjCBool(false)
        _ = FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
        guard !isFolder.boolValue else { continue }
        let folder = (path as NSString).deletingLastPathComponent
        #expect(names.contains(folder), "\(kind)/\(path) belongs to no target")
      }
    }
  }

  @Test func findingsAreThrown() {
    let target = FuzzTarget("broken") { input in
      if input.first == 1 { throw FuzzFinding("one") }
    }
    #expect(throws: FuzzFinding.self) { try target.run([1]) }
    #expect(throws: Never.self) { try target.run([2]) }
  }
}
