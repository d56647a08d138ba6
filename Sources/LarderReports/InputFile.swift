import Foundation

/// Files that are read as a whole. They were named by a user or found in a folder, and may be
/// anything.
package enum InputFile {
  /// The largest file that is read: results of a million cells have less.
  static let bytesMax = 1 << 30

  /// The bytes of a file or of a pipe. O(bytes).
  ///
  /// - Throws: `ReportError.file` for a folder, a device, more than 1 GiB, and what the system
  ///   refuses.
  package static func bytes(_ path: String) throws(ReportError) -> Data {
    try bytes(path, bytesMax: bytesMax)
  }

  /// The same with another limit.
  static func bytes(_ path: String, bytesMax: Int) throws(ReportError) -> Data {
    func refused(_ reason: String) -> ReportError {
      .file(path: path, action: "read", reason: reason)
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw refused(String(cString: strerror(errno))) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw refused("it is a folder")
    case S_IFCHR, S_IFBLK: throw refused("it is a device")
    default: break
    }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw refused(String(cString: strerror(errno)))
    }
    defer { try? handle.close() }
    var bytes = Data()
    do {
      while let part = try handle.read(upToCount: min(1 << 20, bytesMax + 1 - bytes.count)),
        !part.isEmpty
      {
        bytes.append(part)
        if bytes.count > bytesMax { break }
      }
    } catch {
      throw refused(error.localizedDescription)
    }
    guard bytes.count <= bytesMax else { throw refused("it has more than \(bytesMax) bytes") }
    return bytes
  }
}
