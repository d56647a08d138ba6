#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder that stays open, so that files in it are found without going through all of its path.
package final class OpenFolder: Sendable {
  /// The folder.
  package let path: String
  let file: Int32

  /// Opens a folder; a link to one is an error.
  package init(_ path: String) throws(FileFailure) {
    self.path = path
    file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw FileFailure("open", path, errno) }
  }

  /// A folder of a file layer that finds files by their paths.
  package init(named path: String) {
    self.path = path
    file = -1
  }

  deinit { if file >= 0 { close(file) } }
}
