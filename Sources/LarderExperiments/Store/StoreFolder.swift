import Foundation
import LarderSupport

/// The folder of a store: its places, and how files get into it and out of it.
///
///     larder-store                       what the folder is, and its version
///     cells/ab/KEY.RULES.CONTENT         counts of a cell
///     timings/ab/KEY.RULES.CONTENT       how long a cell took, and on which machine
///     traces/KEY                         what is known of a trace
///     prepared/DIGEST.larder             prepared traces
///
/// Nothing is ever changed: a file is written under a hidden name, flushed and renamed, and names
/// say what is in the file. So any number of processes on any number of machines may write, without
/// locks, wherever renaming within a directory takes effect at once or not at all.
struct StoreFolder: Sendable {
  /// The version of the layout.
  static let version = "1"

  /// The parts of a store.
  enum Part: String, CaseIterable {
    case cells, timings, traces, prepared
  }

  let path: String
  let files: any FileLayer

  private static let marker = "larder-store"

  /// A folder that is known to be a store.
  ///
  /// - Parameter makes: Whether one that is absent or empty becomes a store.
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
      // Whoever else makes the store at this moment has hidden files there, or the marker by now.
      let names = Self.names(in: path).filter { !$0.hasPrefix(".") && $0 != Self.marker }
      if !names.isEmpty, !FileManager.default.fileExists(atPath: marker) { throw .notAStore(path) }
      if !makes { throw .absent(path) }
    case .file, .other: throw .notAStore(path)
    }
    try makeDirectories(path)
    try write(Data("larder store \(Self.version)\n".utf8), to: marker)
  }

  /// The folder of a part, or that of its entries whose key begins like this one.
  func folder(_ part: Part, shard: String? = nil) -> String {
    "\(path)/\(part.rawValue)" + (shard.map { "/\($0)" } ?? "")
  }

  /// Writes a file, whole or not at all, and makes the folders on its way.
  func write(_ data: Data, to file: String) throws(StoreError) {
    var attempts = 0
    while true {
      do throws(AtomicFileError) {
        return try put(data, to: file)
      } catch {
        attempts += 1
        // Most often the folder is there. If it is, then an NFS server that started again was asked
        // twice to rename the file, and knows nothing of the first time: written again, the file
        // gets the same name.
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

  /// Makes a folder and those on its way. Others may make the same ones.
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

  /// The most bytes of a file of JSON: a record has some hundreds.
  private static let bytesMaximum = 16 << 20

  /// The bytes of a file; nil where there is none.
  static func contents(_ file: String) throws(StoreError) -> Data? {
    switch SystemFiles().kind(of: file) {
    case .nothing: return nil
    case .directory, .other:
      // A pipe that somebody put there would keep whoever reads it.
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

  /// The names in a folder, sorted; none where it is not there or cannot be read.
  static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  private static func text(_ file: String) throws(StoreError) -> String? {
    guard let data = try contents(file) else { return nil }
    return String(decoding: data.prefix(100), as: UTF8.self)
  }
}

extension NSError {
  /// Why a file could not be read, in the system's words.
  fileprivate var storeReason: String {
    let system = userInfo[NSUnderlyingErrorKey] as? NSError
    return system.map { String(cString: strerror(Int32(truncatingIfNeeded: $0.code))) }
      ?? localizedDescription
  }
}
