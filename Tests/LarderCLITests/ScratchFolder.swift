import Foundation

/// A temporary folder for a test, removed with the last reference to it.
final class ScratchFolder {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("larder-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }

  @discardableResult
  func write(_ data: Data, to name: String) throws -> String {
    try data.write(to: url(name))
    return url(name).path
  }

  /// The names of all files below the folder, sorted.
  var files: [String] {
    let walker = FileManager.default.enumerator(atPath: folder.path)
    return (walker?.allObjects as? [String] ?? []).sorted()
  }
}
