import Foundation
import Testing

/// A file in `Golden/` that an output must equal.
enum GoldenFile {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  /// Compares line by line, so that the first difference is named; LARDER_UPDATE_GOLDEN=1 writes
  /// the file first.
  static func check(_ text: String, against file: String) throws {
    let path = folder.appending(path: file)
    if ProcessInfo.processInfo.environment["LARDER_UPDATE_GOLDEN"] == "1" {
      try text.write(to: path, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: path, encoding: .utf8)
    for (number, lines) in zip(lines(text), lines(expected)).enumerated() {
      #expect(lines.0 == lines.1, "\(file):\(number + 1)")
    }
    #expect(text == expected, "\(file) differs")
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
