import Foundation
import Testing

/// Documents and scripts as a reader follows them.
struct DocumentTests {
  private static let markdown =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
    + Repository.paths(below: ["docs", "Results", "Examples", "analysis", "Benchmarks"])
    .filter { $0.hasSuffix(".md") }

  @Test func linksToFilesAndHeadingsExist() throws {
    var links = 0
    for path in Self.markdown where Repository.exists(path) {
      let folder = path.split(separator: "/").dropLast().map { "\($0)/" }.joined()
      for match in try Repository.text(of: path).matches(of: /\]\(([^)\s#]*)(#[^)\s]*)?\)/) {
        if match.1.contains(":") { continue }
        links += 1
        let target = match.1.isEmpty ? path : folder + match.1
        #expect(Repository.exists(target), "\(path): \(target)")
        guard let heading = match.2, Repository.exists(target) else { continue }
        #expect(try Self.headings(of: target).contains("\(heading)"), "\(path): \(match.0)")
      }
    }
    #expect(links > 50)
  }

  /// The anchors that GitHub gives headings.
  private static func headings(of page: String) throws -> [String] {
    try Repository.text(of: page).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
      let words = line.drop { $0 == "#" }.dropFirst().lowercased().map { $0 == " " ? "-" : $0 }
      return "#" + String(words.filter { $0.isLetter || $0.isNumber || "-_".contains($0) })
    }
  }

  /// macOS has make 3.81, which ignores `.SHELLFLAGS`, and bash 3.2, which lacks `mapfile`.
  @Test func scriptsRunWithTheToolsOfMacOS() throws {
    let makefile = try Repository.text(of: "Makefile").split(separator: "\n")
    #expect(makefile.contains("SHELL := /bin/bash -eu -o pipefail"))
    #expect(!makefile.contains { $0.hasPrefix(".SHELLFLAGS") })
    let scripts =
      Repository.paths(below: ["Tests", "scripts"]).filter { $0.hasSuffix(".sh") } + [".ci/run"]
    for path in scripts {
      let lines = try Repository.text(of: path).split(separator: "\n")
      let words = lines.compactMap { $0.split(separator: " ").first }
      #expect(!words.contains { $0 == "mapfile" || $0 == "readarray" }, "\(path)")
    }
  }
}
