import Foundation
import Synchronization

/// The files of this repository, located relative to this file.
enum Repository {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// All Swift files below the given folders, sorted by path.
  static func swiftFiles(below folders: [String]) throws -> [SwiftSource] {
    try paths(below: folders).filter { $0.hasSuffix(".swift") }.map(source)
  }

  // Each rule reads all files, and scanning a file takes longer than any rule.
  private static let sources = Mutex<[String: SwiftSource]>([:])

  /// The Swift file at a path relative to the root.
  static func source(_ path: String) throws -> SwiftSource {
    if let known = sources.withLock({ $0[path] }) { return known }
    let source = SwiftSource(path: path, text: try text(of: path))
    sources.withLock { $0[path] = source }
    return source
  }

  /// The paths of all files below the given folders, relative to the root, sorted.
  static func paths(below folders: [String]) -> [String] {
    folders.flatMap { folder -> [String] in
      let url = root.appending(path: folder)
      let found = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String }
      // Hidden folders belong to tools, such as Python's environments.
      let plain = (found ?? []).filter { path in
        !path.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__pycache__" }
      }
      return plain.filter { isFile(url.appending(path: $0)) }.map { "\(folder)/\($0)" }
    }.sorted()
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  // Links within the repository are to files that are looked at anyway.
  private static func isFile(_ url: URL) -> Bool {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)
    guard link == nil else { return false }
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
    return exists && !isDirectory.boolValue
  }
}
