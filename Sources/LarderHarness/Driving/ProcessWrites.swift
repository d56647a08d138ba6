#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Bytes that a process has written, as Linux counts them.
enum ProcessWrites {
  /// What is counted: a field of `/proc/PID/io`.
  enum Field: String {
    /// Pages made dirty, by every thread, in whole pages. Files on a file system in memory do not
    /// count, and what was not written back when its file is removed is taken off again.
    case disk = "write_bytes"
    /// What every thread gave to calls that write, to whatever file.
    case calls = "wchar"
  }

  /// A field of a process; nil where the system does not say.
  static func bytes(_ field: Field, of process: String = "self") -> UInt64? {
    guard let file = fopen("/proc/\(process)/io", "r") else { return nil }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 1024)
    let count = fread(&text, 1, text.count, file)
    let lines = String(
      decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self
    ).split(separator: "\n")
    let prefix = "\(field.rawValue): "
    return lines.first { $0.hasPrefix(prefix) }.flatMap { UInt64($0.dropFirst(prefix.count)) }
  }
}
