import Larder
import LarderLibc

/// The files of a simulated disk, through the same calls as in `SystemFiles`.
package struct SimulatedFiles: FileLayer {
  package let disk: SimulatedDisk

  package init(_ disk: SimulatedDisk) { self.disk = disk }

  package var databaseLayer: String? { disk.layerName }

  package func take(folder: String) throws(FileFailure) -> FolderLock? {
    try disk.begin(.create, folder + "/lock")
    return disk.take(folder)
  }

  /// Opens a folder by name: see `OpenFolder.init(named:)`.
  package func open(folder: String) throws(FileFailure) -> OpenFolder {
    try disk.begin(.openToRead, folder)
    guard disk.folder(folder) != nil else { throw FileFailure("open", folder, ENOENT) }
    return OpenFolder(named: folder)
  }

  package func makeFolder(_ path: String) throws(FileFailure) {
    try disk.begin(.makeFolder, path)
    if disk.item(path) != nil { return }
    let parent = SimulatedDisk.split(path).folder
    if disk.folder(parent) == nil { try makeFolder(parent) }
    try disk.set(path, .folder(SimulatedFolder()))
    try disk.end(path)
  }

  package func list(_ path: String) throws(FileFailure) -> [FolderItem] {
    try disk.begin(.openToRead, path)
    guard let folder = disk.folder(path) else {
      if disk.item(path) != nil { throw FileFailure("list", path, ENOTDIR) }
      return []
    }
    return folder.names.map { name in
      FolderItem(name: name, kind: folder.file(name) == nil ? .folder : .file)
    }
  }

  package func kind(_ path: String) throws(FileFailure) -> FileKind {
    try disk.begin(.ask, path)
    switch disk.item(path) {
    case .file: return .file
    case .folder: return .folder
    case nil: return .missing
    }
  }

  package func makePrivateFile(_ path: String) throws(FileFailure) {
    try disk.begin(.create, path)
    if disk.item(path) != nil { return try disk.begin(.ask, path) }
    try disk.set(path, .file(SimulatedFile()))
    try disk.end(path)
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, at offset: UInt64?, _ target: FileTarget,
    syncs: Bool
  ) throws(FileFailure) {
    let file = try openForWriting(path, target)
    try write(bytes, at: Int(offset ?? 0), file, path)
    if offset == nil, file.bytes.count > bytes.count {
      try disk.begin(.truncate, path)
      file.resize(bytes.count)
      try disk.end(path)
    }
    if syncs { try disk.sync(file, path) }
  }

  package func rewrite(_ path: String) throws(FileFailure) {
    try disk.begin(.openToWrite, path)
    guard let file = disk.file(path) else { return }
    try disk.begin(.read, path)
    let content = file.bytes
    let written = content.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try write(bytes, at: 0, file, path) }
    }
    try written.get()
    try disk.sync(file, path)
  }

  /// In two calls, so that a power cut and a failure may come between them.
  private func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, _ file: SimulatedFile, _ path: String
  ) throws(FileFailure) {
    let half = bytes.count / 2
    try write(bytes, from: 0, to: half, at: offset, file, path)
    try write(bytes, from: half, to: bytes.count, at: offset, file, path)
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, from first: Int, to end: Int, at offset: Int,
    _ file: SimulatedFile, _ path: String
  ) throws(FileFailure) {
    guard first < end else { return }
    let part = UnsafeRawBufferPointer(rebasing: bytes[first..<end])
    do throws(FileFailure) {
      try disk.begin(.write, path)
    } catch {
      disk.writePart(part, at: offset + first, of: file)
      throw error
    }
    file.write(part, at: offset + first)
    try disk.end(path)
  }

  private func openForWriting(
    _ path: String, _ target: FileTarget
  ) throws(FileFailure) -> SimulatedFile {
    if target == .existing {
      try disk.begin(.openToWrite, path)
      guard let file = disk.file(path) else { throw FileFailure("open", path, ENOENT) }
      return file
    }
    try disk.begin(.create, path)
    if disk.item(path) != nil {
      try removeTree(path)
      try disk.begin(.create, path)
    }
    let file = SimulatedFile()
    try disk.set(path, .file(file))
    try disk.end(path)
    return file
  }

  package func read(
    _ path: String, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    try read(path, at: nil, into: buffer)
  }

  package func read(
    _ name: ValueName, in folder: OpenFolder, at offset: UInt64?,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    try read("\(folder.path)/\(name.text)", at: offset, into: buffer)
  }

  private func read(
    _ path: String, at offset: UInt64?, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    try disk.begin(.openToRead, path)
    guard let file = disk.file(path) else { throw FileFailure("open", path, ENOENT) }
    try disk.begin(.read, path)
    let first = Int(offset ?? 0)
    let end = first + buffer.count
    guard offset == nil ? end == file.bytes.count : end <= file.bytes.count else { return false }
    file.bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[first..<end]))
    }
    return true
  }

  package func rename(_ path: String, to other: String) throws(FileFailure) {
    try disk.begin(.rename, path)
    guard let item = disk.item(path) else { throw FileFailure("rename", path, ENOENT) }
    guard case .file = item else { throw FileFailure("rename", path, EINVAL) }
    try disk.set(other, item)
    try disk.set(path, nil)
    try disk.end(path)
  }

  package func syncFolder(_ path: String) throws(FileFailure) { try disk.syncFolder(path) }

  package func remove(_ path: String) throws(FileFailure) {
    try disk.begin(.remove, path)
    guard disk.item(path) != nil else { return }
    guard disk.folder(path) == nil else { throw FileFailure("remove", path, EISDIR) }
    try disk.set(path, nil)
    try disk.end(path)
  }

  package func removeFolder(_ path: String) throws(FileFailure) {
    try disk.begin(.remove, path)
    guard let folder = disk.folder(path) else { return }
    guard folder.items.isEmpty else { throw FileFailure("remove", path, ENOTEMPTY) }
    try disk.set(path, nil)
    try disk.end(path)
  }

  package func size(_ path: String) throws(FileFailure) -> UInt64 {
    try disk.begin(.ask, path)
    return UInt64(disk.file(path)?.bytes.count ?? 0)
  }

  package func freeBytes(at path: String) throws(FileFailure) -> UInt64 {
    try disk.begin(.ask, path)
    return 1 << 40
  }
}
