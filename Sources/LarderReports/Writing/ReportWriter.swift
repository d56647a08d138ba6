import LarderSimulation
import LarderSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes reports into a directory so that each file is either whole or as it was before.
///
/// Every file is written under a temporary name, flushed to the disk and then renamed; when
/// anything fails, the temporary files go and the error says which file and why. All files are
/// complete on disk before the first is renamed, so a disk that fills up leaves the set of the last
/// call untouched.
///
/// `write` may be called after every cell: it writes the whole files again. How often is worth it
/// is the caller's to say.
package struct ReportWriter: Sendable {
  /// Where the files go.
  package let directory: String
  /// What is written.
  package let formats: [any ReportFormat]
  private let files: any FileLayer

  /// A writer. Nothing is touched before `prepare` or `write`.
  package init(
    directory: String, formats: [any ReportFormat] = ReportRegistry.all,
    files: any FileLayer = SystemFiles()
  ) {
    self.directory = directory
    self.formats = formats
    self.files = files
  }

  /// Makes the directory, with those above it, and tries whether files can be made in it: so that a
  /// long run fails before it starts and not at its end.
  ///
  /// - Throws: `ReportError.file` with the path and the system's reason.
  package func prepare() throws(ReportError) {
    try makeDirectories(directory)
    for format in formats where files.kind(of: path(of: format.fileName)) == .directory {
      throw .file(path: path(of: format.fileName), action: "write", reason: Self.isDirectory)
    }
    let probe = try create(near: directory + "/larder")
    defer { files.remove(probe.path) }
    do throws(FileFault) {
      try files.close(probe.descriptor)
    } catch {
      throw .file(path: directory, action: "write into it", reason: error.reason)
    }
  }

  /// Writes all formats and answers their paths, in order. Linear in the size of the reports.
  ///
  /// - Throws: `ReportError.file` with the path and the system's reason; no file is half-written.
  @discardableResult
  package func write(_ results: RunResults) throws(ReportError) -> [String] {
    try makeDirectories(directory)
    var staged: [(temporary: String, path: String)] = []
    var folders = [Self.folder(of: path(of: "name"))]
    do throws(ReportError) {
      for format in formats {
        for file in try format.files(of: results) {
          let path = path(of: file.name)
          let folder = Self.folder(of: path)
          if folders.last != folder {
            try makeDirectories(folder)
            folders.append(folder)
          }
          staged.append((try stage(file.text, for: path), path))
        }
      }
      for entry in staged { try place(entry.temporary, at: entry.path) }
    } catch {
      // Removing one that has been renamed already does nothing.
      for entry in staged { files.remove(entry.temporary) }
      throw error
    }
    for folder in folders {
      do throws(FileFault) {
        try files.flushDirectory(folder)
      } catch {
        throw .file(path: folder, action: "flush the directory", reason: error.reason)
      }
    }
    return staged.map(\.path)
  }

  /// Writes one text to a path with the same guarantees. A link is followed; a device or a pipe is
  /// written to as it is, never replaced.
  ///
  /// - Throws: `ReportError.file` with the path and the system's reason.
  package static func write(
    _ text: String, to path: String, files: any FileLayer = SystemFiles()
  ) throws(ReportError) {
    let writer = ReportWriter(directory: ".", formats: [], files: files)
    switch files.kind(of: path) {
    case .directory:
      throw .file(path: path, action: "write", reason: isDirectory)
    case .other:
      try writer.writeThrough(text, to: path)
    case .file, .nothing:
      let target = files.resolved(path) ?? path
      let temporary = try writer.stage(text, for: target)
      do throws(ReportError) {
        try writer.place(temporary, at: target)
      } catch {
        files.remove(temporary)
        throw error
      }
    }
  }

  /// Tries whether a text can be written to a path, and leaves nothing there: so that a long run
  /// fails before it starts. A device or a pipe is left alone.
  ///
  /// - Throws: `ReportError.file` with the path and the system's reason.
  package static func check(
    _ path: String, files: any FileLayer = SystemFiles()
  ) throws(ReportError) {
    let writer = ReportWriter(directory: ".", formats: [], files: files)
    switch files.kind(of: path) {
    case .directory: throw .file(path: path, action: "write", reason: isDirectory)
    case .other: break
    case .file, .nothing:
      let target = files.resolved(path) ?? path
      files.remove(try writer.stage("", for: target))
    }
  }

  private static let isDirectory = "it is a directory"

  private func path(of name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Writes `text` to a new file beside `path`, complete and on disk.
  private func stage(_ text: String, for path: String) throws(ReportError) -> String {
    let file = try create(near: path)
    do throws(ReportError) {
      try fill(file.descriptor, with: text, path: path)
    } catch {
      files.remove(file.path)
      throw error
    }
    return file.path
  }

  /// Makes a new hidden file beside `path`. One that an earlier run left is not touched.
  private func create(near path: String) throws(ReportError) -> (path: String, descriptor: Int32) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let base = slash.map { String(path[path.index(after: $0)...]) } ?? path
    var attempt = 0
    while true {
      let temporary = "\(folder).\(base).\(getpid())-\(attempt).partial"
      do throws(FileFault) {
        return (temporary, try files.create(temporary))
      } catch {
        attempt += 1
        guard error.code == EEXIST, attempt < 1000 else {
          throw .file(path: path, action: "write", reason: error.reason)
        }
      }
    }
  }

  /// Writes, flushes and closes; the descriptor is closed in any case.
  private func fill(
    _ descriptor: Int32, with text: String, path: String
  ) throws(ReportError) {
    do throws(FileFault) {
      try files.write(Array(text.utf8), to: descriptor)
      try files.flush(descriptor)
    } catch {
      try? files.close(descriptor)
      throw .file(path: path, action: "write", reason: error.reason)
    }
    do throws(FileFault) {
      try files.close(descriptor)
    } catch {
      throw .file(path: path, action: "write", reason: error.reason)
    }
  }

  private func writeThrough(_ text: String, to path: String) throws(ReportError) {
    let descriptor: Int32
    do throws(FileFault) {
      descriptor = try files.openExisting(path)
    } catch {
      throw .file(path: path, action: "write", reason: error.reason)
    }
    try fill(descriptor, with: text, path: path)
  }

  private func place(_ temporary: String, at path: String) throws(ReportError) {
    do throws(FileFault) {
      try files.rename(temporary, to: path)
    } catch {
      throw .file(path: path, action: "put the finished file in place", reason: error.reason)
    }
  }

  private func makeDirectories(_ path: String) throws(ReportError) {
    switch files.kind(of: path) {
    case .directory: return
    case .file, .other:
      throw .file(path: path, action: "use it as a directory", reason: "it is a file")
    case .nothing: break
    }
    let trimmed = path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
    if let slash = trimmed.lastIndex(of: "/"), slash != trimmed.startIndex {
      try makeDirectories(String(trimmed[..<slash]))
    }
    do throws(FileFault) {
      try files.makeDirectory(trimmed)
    } catch {
      // Somebody else may have made it in the meantime.
      if files.kind(of: trimmed) == .directory { return }
      throw .file(path: trimmed, action: "make the directory", reason: error.reason)
    }
  }
}
