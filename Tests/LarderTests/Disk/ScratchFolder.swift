import Foundation

/// A folder for one test.
final class ScratchFolder: Sendable {
  let path: String

  /// - Parameter isSmall: True if little is stored, so that a file system in memory may be used: on
  ///   a disk, tests with thousands of syncs take minutes.
  init(isSmall: Bool = false) throws {
    let memory = "/dev/shm/"
    let root =
      isSmall && FileManager.default.isWritableFile(atPath: memory)
      ? memory : NSTemporaryDirectory()
    path = root + "larder-disk-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// From here on, opening reads every row.
  func removeSnapshot() { try? FileManager.default.removeItem(atPath: path + "/snapshot") }

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
