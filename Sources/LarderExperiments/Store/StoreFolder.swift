import Foundation
import LarderSupport

/// Folder of a store: its layout, and reading and writing of its files.
///
///     larder-store                       kind of the folder, and its version
///     cells/ab/KEY.RULES.CONTENT         counts of a cell
///     timings/ab/KEY.RULES.CONTENT       timings of a cell, and their machine
///     traces/KEY                         facts about a trace
///     prepared/DIGEST.larder             prepared traces
///
/// Files are never modified: they are written under a hidden name, synced and renamed, and names
/// depend on the content. Therefore any number of processes on any number of machines may write
/// without locks, on file systems with atomic renaming within a directory.
struct StoreFolder: Sendable {
  static let version = "1"

  enum Part: String, CaseIterable {
    case cells, timings, traces, prepared
  }

  let path: String
  let files: any FileLayer

  private static let marker = "larder-store"

  /// Opens a folder after checking that it is a store.
  ///
  /// - Parameter makes: True to create a store in a missing or empty folder.
  init(_ path: String, makes: Bool, files: any FileLayer) throws(StoreError) {
    self.path = path
    self.files = files
    let marker = "\(path)/\(Self.marker)"
    if let text = try Self.text(marker) {
      let words = text.split(whereSeparator: \.isWhitespace)
      guard words.count == 3, words[0] == "larder", words[1] == "store" else {
        throw .notAStore(path)
      }
      guard words[2] == Self.version else { throw .version(path, found: String(words[2])) }
      return
    }
    switch files.kind(of: path) {
    case .nothing: if !makes { throw .absent(path) }
    case .directory:
      // A process that creates the store concurrently has hidden files there, or the marker.
      let names: [String]
      do throws(SealFault) {
        names = try Self.names(in: path).filter { !$0.hasPrefix(".") && $0 != Self.marker }
      } catch {
        throw .failed(path: path, action: "list the folder", reason: error.description)
      }
      if !names.isEmpty, !FileManager.default.fileExists(atPath: marker) { throw .notAStore(path) }
      if !makes { throw .absent(path) }
    case .file, .other: throw .notAStore(path)
    }
    try makeDirectories(path)
    try write(Data("larder store \(Self.version)\n".utf8), to: marker)
  }

  func folder(_ part: Part, shard: String? = nil) -> String {
    "\(path)/\(part.rawValue)" + (shard.map { "/\($0)" } ?? "")
  }

  func write(_ data: Data, to file: String) throws(StoreError) {
    var attempts = 0
    while true {
      do throws(AtomicFileError) {
        return try put(data, to: file)
      } catch {
        attempts += 1
        // Usually a folder is missing. If it exists, a restarted NFS server received the rename
        // twice and has lost track of the first time: written again, the file gets the same name.
        guard error.code == ENOENT, attempts < 3, let slash = file.lastIndex(of: "/") else {
          throw StoreError(error)
        }
        try makeDirectories(String(file[..<slash]))
      }
    }
  }

  private func put(_ data: Data, to file: String) throws(AtomicFileError) {
    let output = try AtomicFile(file, files: files)
    try output.write(Array(data))
    try output.commit()
  }

  func makeDirectories(_ path: String) throws(StoreError) {
    if files.kind(of: path) == .directory { return }
    if let slash = path.dropLast().lastIndex(of: "/"), slash != path.startIndex {
      try makeDirectories(String(path[..<slash]))
    }
    do throws(FileFault) {
      try files.makeDirectory(path)
    } catch {
      guard error.code == EEXIST, files.kind(of: path) == .directory else {
        throw .failed(path: path, action: "make the folder", reason: error.reason)
      }
    }
  }

  /// Maximum size of a JSON file: a record has some hundreds of bytes.
  private static let bytesMaximum = 16 << 20

  /// Bytes of a file; nil if it is missing.
  static func contents(_ file: String) throws(StoreError) -> Data? {
    switch SystemFiles().kind(of: file) {
    case .nothing: return nil
    case .directory, .other:
      // Reading a pipe would block.
      throw .failed(path: file, action: "read", reason: "it is not a file")
    case .file: break
    }
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      defer { try? handle.close() }
      data = try handle.read(upToCount: bytesMaximum + 1) ?? Data()
    } catch {
      if SystemFiles().kind(of: file) == .nothing { return nil }
      throw .failed(path: file, action: "read", reason: (error as NSError).storeReason)
    }
    guard data.count <= bytesMaximum else {
      throw .failed(path: file, action: "read", reason: "it is too large to be a record")
    }
    return data
  }

  /// Sorted names in a folder; empty if it is missing.
  static func names(in folder: String) throws(SealFault) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      if SystemFiles().kind(of: folder) == .nothing { return [] }
      throw .unreadable((error as NSError).storeReason)
    }
  }

  private static func text(_ file: String) throws(StoreError) -> String? {
    guard let data = try contents(file) else { return nil }
    return String(decoding: data.prefix(100), as: UTF8.self)
  }
}

extension NSError {
  fileprivate var storeReason: String {
    let system = userInfo[NSUnderlyingErrorKey] as? NSError
    return system.map { String(cString: strerror(Int32(truncatingIfNeeded: $0.code))) }
      ?? localizedDescription
  }
}
