#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the file system answered instead of doing what it was asked.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried: `open`, `write`, `rename` ...
  package let call: String
  /// The file or folder.
  package let path: String
  /// The system's error number.
  package let number: Int32

  /// A failure; `number` is the system's `errno`.
  package init(_ call: String, _ path: String, _ number: Int32) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// Whether there is no such file.
  package var isMissing: Bool { number == ENOENT }

  /// Whether the name stands for no regular file: for nothing, a link, a folder, a pipe or a
  /// device.
  package var isNoFile: Bool {
    [ENOENT, ELOOP, EMLINK, EISDIR, ENOTDIR, ENXIO, EINVAL].contains(number)
  }

  /// Whether this process, or this file system, does not do such a thing at all.
  package var isForbidden: Bool { [EACCES, EPERM, EINVAL, ENOTSUP, EROFS].contains(number) }

  /// Whether it says nothing of the file, but of what else the process or the machine is doing: no
  /// memory, or no file descriptor.
  package var isPassing: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(number) }

  /// One line for a person.
  package var description: String {
    "\(path): cannot \(call): \(String(cString: strerror(number)))"
  }
}
