#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An error number of the operating system, with the sentence that the system has for it.
struct SystemError: Error, CustomStringConvertible {
  /// The value of `errno`.
  let code: Int32

  /// The error that the last failed call of this thread left.
  static var last: SystemError { SystemError(code: errno) }

  /// What the system says, such as `No such file or directory`.
  var description: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}
