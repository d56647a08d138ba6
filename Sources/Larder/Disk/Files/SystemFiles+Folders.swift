#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SystemFiles {
  /// See `FileLayer`.
  package func makeFolder(_ path: String) throws(FileFailure) {
    if at(path, { mkdirat($0, $1, 0o700) }) == 0 { return }
    switch errno {
    case EEXIST:
      return
    case ENOENT:
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
        throw FileFailure("make the folder", path, ENOENT)
      }
      try makeFolder(String(path[..<slash]))
      guard at(path, { mkdirat($0, $1, 0o700) }) == 0 || errno == EEXIST else {
        throw FileFailure("make the folder", path, errno)
      }
    default:
      throw FileFailure("make the folder", path, errno)
    }
  }

  /// See `FileLayer`.
  package func list(_ path: String) throws(FileFailure) -> [FolderItem] {
    let file: Int32
    do throws(FileFailure) {
      file = try open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      if error.isMissing { return [] }
      throw FileFailure("list", path, error.number)
    }
    guard let folder = fdopendir(file) else {
      let number = errno
      close(file)
      throw FileFailure("list", path, number)
    }
    defer { closedir(folder) }
    var items: [FolderItem] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name == "." || name == ".." { continue }
      let kind: FileKind =
        switch Int32(entry.pointee.d_type) {
        case Int32(DT_REG): .file
        case Int32(DT_DIR): .folder
        // Not every file system says it here.
        case Int32(DT_UNKNOWN): try self.kind("\(path)/\(name)")
        default: .other
        }
      items.append(FolderItem(name: name, kind: kind))
    }
    return items
  }

  /// See `FileLayer`.
  package func kind(_ path: String) throws(FileFailure) -> FileKind {
    var facts = stat()
    guard at(path, { fstatat($0, $1, &facts, AT_SYMLINK_NOFOLLOW) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .missing }
      throw FileFailure("ask the kind", path, errno)
    }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    default: return .other
    }
  }

  /// See `FileLayer`.
  package func removeFolder(_ path: String) throws(FileFailure) {
    guard at(path, { unlinkat($0, $1, AT_REMOVEDIR) }) == 0 || errno == ENOENT else {
      throw FileFailure("remove", path, errno)
    }
  }

  /// See `FileLayer`.
  package func makePrivateFile(_ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      close(try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW))
      return
    } catch {
      guard error.number == EEXIST else { throw error }
    }
    // Not opened: closing it would take the locks away that another connection of this process has.
    var facts = stat()
    guard at(path, { fstatat($0, $1, &facts, AT_SYMLINK_NOFOLLOW) }) == 0 else {
      throw FileFailure("ask the kind", path, errno)
    }
    guard facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o077 != 0 else { return }
    guard at(path, { fchmodat($0, $1, 0o600, 0) }) == 0 || errno == EPERM else {
      throw FileFailure("make private", path, errno)
    }
  }

  /// See `FileLayer`.
  package func size(_ path: String) throws(FileFailure) -> UInt64 {
    var facts = stat()
    guard at(path, { fstatat($0, $1, &facts, AT_SYMLINK_NOFOLLOW) }) == 0 else {
      if errno == ENOENT { return 0 }
      throw FileFailure("ask the size", path, errno)
    }
    return UInt64(facts.st_size)
  }
}
