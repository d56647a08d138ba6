#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why the system cannot tell of memory pressure.
public struct MemoryPressureError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file that was to be watched.
  public var path: String
  /// The system's error number.
  public var code: Int32

  /// One line for a person.
  public var description: String {
    "\(path): cannot observe memory pressure: \(String(cString: strerror(code))); "
      + "use another source, or call handle(_:) when the app is notified"
  }
}
