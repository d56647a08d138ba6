import Foundation
import Testing

/// What a release needs to be consistent before its tag is pushed.
struct ReleaseTests {
  /// The version of the Python package, which the release workflow compares with the tag.
  static func version() throws -> String {
    let project = try Repository.text(of: "analysis/pyproject.toml")
    let match = try #require(project.firstMatch(of: /(?m)^version = "(\d+\.\d+\.\d+)"$/))
    return String(match.1)
  }

  @Test func commandAndPythonPackageHaveOneVersion() throws {
    let source = try Repository.text(of: "Sources/LarderSupport/LarderVersion.swift")
    let match = try #require(source.firstMatch(of: /current: String \{ "([^"]*)" \}/))
    #expect(String(match.1) == (try Self.version()))
  }

  @Test func changelogBeginsWithTheVersionOrUnreleased() throws {
    let changelog = try Repository.text(of: "CHANGELOG.md")
    let match = try #require(changelog.firstMatch(of: /(?m)^## \[([^\]]+)\]/))
    #expect(["Unreleased", try Self.version()].contains(String(match.1)))
  }

  /// Dependencies, downloads and file names in documents are of this version.
  @Test func documentsNameTheVersion() throws {
    let version = try Self.version()
    let documents = ["README.md"] + Repository.paths(below: ["docs"]).filter { $0.hasSuffix(".md") }
    let places = [
      /larder"?, from: "([^"]+)"/, /download\/v([0-9.]+)\//, /larder-([0-9.]+)-(?:linux|macos)/,
    ]
    var named = 0
    for document in documents {
      let text = try Repository.text(of: document)
      for match in places.flatMap({ text.matches(of: $0) }) {
        #expect(String(match.1) == version, "\(document): \(match.0)")
        named += 1
      }
    }
    #expect(named >= 4)
  }

  /// The package on PyPI whose name is the module's is another one.
  @Test func documentsInstallThePackageByItsName() throws {
    let documents = ["README.md", "analysis/README.md"] + Repository.paths(below: ["docs"])
    for document in documents where document.hasSuffix(".md") {
      let text = try Repository.text(of: document)
      #expect(!text.contains(/pip install '?larder(?!-cache)\b/), "\(document)")
    }
  }

  @Test func theWorkflowNamesFilesThatExist() throws {
    let workflow = try Repository.text(of: ".github/workflows/release.yml")
    for file in [".ci/notes", "analysis/tests/test_wheel.py", "Workloads/zipf.yaml"] {
      #expect(workflow.contains(file) && Repository.exists(file), "\(file)")
    }
    #expect(workflow.contains("environment:\n      name: pypi"))
    #expect(workflow.contains("id-token: write"))
  }
}
