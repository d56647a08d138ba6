import Foundation

/// A folder that is there for one test.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "larder-disk-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Paths of the files of large values, in order.
  func valueFiles() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path + "/files").sorted()
      .map { path + "/files/" + $0 }
      .filter {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder)
          && !isFolder.boolValue
      }
  }
}
