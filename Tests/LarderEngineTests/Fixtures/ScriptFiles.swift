import Foundation

/// The scripts in this folder.
enum ScriptFiles {
  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Scripts")

  static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "script" }
      .map { $0.deletingPathExtension().lastPathComponent }.sorted()
  }()

  static func load(_ name: String) throws -> Script {
    let file = directory.appendingPathComponent(name + ".script")
    return try Script(file: file.path, text: String(contentsOf: file, encoding: .utf8))
  }
}
