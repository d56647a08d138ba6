import Foundation

/// The scripts in the folder beside this file.
enum ScriptFiles {
  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Scripts")

  /// Names without their extension, in order.
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
