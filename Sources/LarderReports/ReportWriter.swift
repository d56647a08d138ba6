import LarderExperiments
import LarderSupport

/// Writes reports into a directory. All files are complete on disk under temporary names before
/// the first is renamed, so a failure leaves each file either complete or unchanged.
package struct ReportWriter: Sendable {
  package let directory: String
  package let formats: [any ReportFormat]
  private let files: any FileLayer

  package init(
    directory: String, formats: [any ReportFormat] = ReportRegistry.all,
    files: any FileLayer = SystemFiles()
  ) {
    self.directory = directory
    self.formats = formats
    self.files = files
  }

  /// Creates the directory and checks that files can be created in it, so that a long run fails
  /// before it starts.
  package func prepare() throws(ReportError) {
    try makeDirectories(directory)
    for format in formats where files.kind(of: path(of: format.fileName)) == .directory {
      throw .file(
        path: path(of: format.fileName), action: "write", reason: "it is a directory")
    }
    try Self.check(directory + "/larder", files: files)
  }

  @discardableResult package func write(_ results: RunResults) throws(ReportError) -> [String] {
    var texts: [ReportFile] = []
    for format in formats { texts += try format.files(of: results) }
    return try write(texts)
  }

  @discardableResult package func write(_ texts: [ReportFile]) throws(ReportError) -> [String] {
    try makeDirectories(directory)
    var staged: [AtomicFile] = []
    var folders = [Self.folder(of: path(of: "name"))]
    for file in texts {
      let path = path(of: file.name)
      let folder = Self.folder(of: path)
      if folders.last != folder {
        try makeDirectories(folder)
        folders.append(folder)
      }
      staged.append(try Self.complete(file.text, path, files))
    }
    for file in staged { try ReportError.from { () throws(AtomicFileError) in try file.place() } }
    for folder in folders {
      do throws(FileFault) {
        try files.flushDirectory(folder)
      } catch {
        throw .file(path: folder, action: "flush the directory", reason: error.reason)
      }
    }
    return staged.map(\.path)
  }

  /// Writes a text with the guarantees of `write(_:)`. Links are followed; devices and pipes are
  /// written to and never replaced.
  package static func write(
    _ text: String, to path: String, files: any FileLayer = SystemFiles()
  ) throws(ReportError) {
    let file = try complete(text, path, files)
    try ReportError.from { () throws(AtomicFileError) in try file.place() }
  }

  /// Checks that a text can be written to a path, without leaving a file. Devices and pipes are
  /// not touched.
  package static func check(
    _ path: String, files: any FileLayer = SystemFiles()
  ) throws(ReportError) {
    try ReportError.from { () throws(AtomicFileError) in
      try AtomicFile.check(path, files: files)
    }
  }

  private func path(of name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }

  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func complete(
    _ text: String, _ path: String, _ files: any FileLayer
  ) throws(ReportError) -> AtomicFile {
    try ReportError.from { () throws(AtomicFileError) in
      let file = try AtomicFile(path, files: files)
      try file.write(Array(text.utf8))
      try file.complete()
      return file
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
      // Another process may have created it in the meantime.
      if files.kind(of: trimmed) == .directory { return }
      throw .file(path: trimmed, action: "make the directory", reason: error.reason)
    }
  }
}

extension ReportError {
  fileprivate static func from<Result>(
    _ body: () throws(AtomicFileError) -> Result
  ) throws(ReportError) -> Result {
    do throws(AtomicFileError) {
      return try body()
    } catch {
      throw .file(path: error.path, action: error.action, reason: error.reason)
    }
  }
}
