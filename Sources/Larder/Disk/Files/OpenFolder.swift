#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder that stays open, so that files in it are found without going through all of its path,
/// also after the folder was moved or another one has taken its path.
package final class OpenFolder: Sendable {
  /// The folder.
  package let path: String
  let file: Int32
  private let length: Int

  /// Opens a folder; a link to one is an error unless links are followed.
  package convenience init(_ path: String, followsLinks: Bool = false) throws(FileFailure) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    let file = open(path, flags)
    guard file >= 0 else { throw FileFailure("open", path, errno) }
    self.init(path, file: file)
  }

  /// A folder of a file layer that finds files by their paths.
  package convenience init(named path: String) { self.init(path, file: -1) }

  private init(_ path: String, file: Int32) {
    self.path = path
    self.file = file
    length = path.utf8.count
  }

  deinit { if file >= 0 { close(file) } }

  /// True while the path leads to this folder. One system call, or two where it does not.
  package var isInPlace: Bool {
    if file < 0 { return true }
    var (own, named) = (stat(), stat())
    return stat(path, &named) == 0 && fstat(file, &own) == 0 && named.st_ino == own.st_ino
      && named.st_dev == own.st_dev
  }

  /// The rest of a path that begins with that of the folder, nil for any other path.
  func name(of text: UnsafePointer<CChar>) -> UnsafePointer<CChar>? {
    guard path.withCString({ strncmp($0, text, length) }) == 0 else { return nil }
    switch text[length] {
    case 0: return UnsafeRawPointer(Self.itself.utf8Start).assumingMemoryBound(to: CChar.self)
    case CChar(bitPattern: UInt8(ascii: "/")): return text + length + 1
    default: return nil
    }
  }

  private static let itself: StaticString = "."
}
