import Foundation

/// A folder for one round, in a file system in memory if there is one: rounds with thousands of
/// syncs take minutes on a disk.
final class Scratch {
  let path: String

  init(in root: String? = nil) throws {
    path = Self.newPath(in: root)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  private static func newPath(in root: String?) -> String {
    let memory = "/dev/shm"
    let isMemory = FileManager.default.isWritableFile(atPath: memory)
    let parent = root ?? (isMemory ? memory : NSTemporaryDirectory())
    return "\(parent)/larder-torture-\(UUID().uuidString)"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  init(copyOf folder: String) throws {
    path = Self.newPath(in: nil)
    let files = FileManager.default
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in try files.contentsOfDirectory(atPath: folder) where name != "lock" {
      try files.copyItem(atPath: "\(folder)/\(name)", toPath: "\(path)/\(name)")
    }
  }

  static func files(in folder: String) throws -> [String] {
    let files = FileManager.default
    return try files.subpathsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }
      .filter {
        var isFolder: ObjCBool = false
        return files.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
      }
  }
}
