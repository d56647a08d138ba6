import Foundation
import LarderReports

/// A folder of its own for the files of caches that are executed.
struct ScratchFiles {
  /// The folder, which is there and empty.
  let folder: String

  /// Makes it in `parent`, or in the system's folder for temporary files.
  ///
  /// - Throws: `ReportError.file` when it cannot be made.
  init(in parent: String?) throws(ReportError) {
    let parent = parent ?? FileManager.default.temporaryDirectory.path
    let folder = "\(parent)/larder-execute-\(UUID().uuidString)"
    guard mkdir(folder, 0o700) == 0 else {
      throw .file(
        path: parent, action: "make a folder in it", reason: String(cString: strerror(errno)))
    }
    self.folder = folder
  }

  /// Removes it with all that it holds.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
