#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Bytes that a process has sent to the disk, as Linux counts them.
enum ProcessWrites {
  /// Those of this process.
  static var bytes: UInt64? { bytes(of: "self") }

  /// `write_bytes` of `/proc/PID/io`: pages made dirty, by every thread, in whole pages; nil where
  /// the system does not say. Files on a file system in memory do not count.
  static func bytes(of process: String) -> UInt64? {
    guard let file = fopen("/proc/\(process)/io", "r") else { return nil }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 1024)
    let count = fread(&text, 1, text.count, file)
    let lines = String(
      decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self
    ).split(separator: "\n")
    let prefix = "write_bytes: "
    return lines.first { $0.hasPrefix(prefix) }.flatMap { UInt64($0.dropFirst(prefix.count)) }
  }
}
