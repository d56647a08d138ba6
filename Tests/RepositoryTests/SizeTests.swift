import Foundation
import Testing

/// Budgets of size. What comes later makes room: a limit is lowered when something has become
/// smaller; raising one needs its reason in the commit.
struct SizeTests {
  /// Lines of Swift below folders.
  @Test(
    arguments: [
      (["Sources/LarderEngine"] + Registration.policies, 19_122),
      (["Sources/LarderTraces"], 16_131),
      (["Sources/LarderExperiments"], 12_201),
      (["Sources/Larder"], 19_902),
      (["Sources/LarderHTTP"], 2_203),
      (["Sources"], 89_931),
      (["Tests"], 70_180),
    ])
  func linesOfSwift(_ folders: [String], _ limit: Int) throws {
    // A line break at the end begins no line.
    let lines = try Repository.swiftFiles(below: folders).reduce(0) { $0 + $1.lines.count - 1 }
    #expect(lines <= limit, "\(folders.joined(separator: ", ")) have \(lines) lines")
  }

  @Test func filesOfSources() throws {
    #expect(try Repository.swiftFiles(below: ["Sources"]).count <= 465)
  }

  @Test func wordsOfDocuments() throws {
    let top = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
    let pages = (top + Repository.paths(below: ["docs"])).filter { $0.hasSuffix(".md") }
    let words = try pages.reduce(0) { sum, page in
      sum + (try Repository.text(of: page)).split { $0.isWhitespace }.count
    }
    #expect(words <= 34_000, "docs and the pages at the top have \(words) words")
  }

  @Test func linesOfTheMakefile() throws {
    let lines = try Repository.text(of: "Makefile").split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 196)
  }

  @Test func publicNamesOfTheLibrary() throws {
    let type = #/^\s*(@\w+ )*public (final )?(indirect )?(struct|class|enum|protocol|actor) /#
    let member =
      #/^\s*(@[\w()]+ )*public (\w+ )*(func|var|let|init|subscript)\b/#
    let lines = try Repository.swiftFiles(below: ["Sources/Larder"]).flatMap(\.code)
    let types = lines.count { $0.contains(type) }
    let members = lines.count { $0.contains(member) }
    #expect(types <= 58, "\(types) public types")
    #expect(members <= 380, "\(members) public members")
  }
}
