import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Tries every input of the corpus, and every one that once found a fault, in this build.
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

  @Test func everyFolderIsOfATarget() throws {
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
