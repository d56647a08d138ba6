import LarderLibc

/// The memory that the process has allocated, by jemalloc's count.
///
/// jemalloc is looked up at run time and not linked: if it is missing or is not the active
/// allocator (as under a sanitizer), the result is unknown.
enum AllocatedMemory {
  private typealias Control =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?,
      UnsafeMutableRawPointer?, Int
    ) -> Int32

  private typealias Allocate = @convention(c) (Int) -> UnsafeMutableRawPointer?

  private static let control: Control? = {
    #if os(Linux)
      guard let symbol = dlsym(nil, "mallctl") else { return nil }
      let control = unsafeBitCast(symbol, to: Control.self)
      return counts(with: control) ? control : nil
    #else
      return nil
    #endif
  }()

  static var bytes: UInt64? { control.flatMap { read($0) } }

  private static func read(_ control: Control) -> UInt64? {
    // Returns the cache of this thread; advancing the epoch sums up the counts of all threads.
    _ = control("thread.tcache.flush", nil, nil, nil, 0)
    var epoch: UInt64 = 1
    guard control("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size) == 0 else { return nil }
    var allocated = 0
    var size = MemoryLayout<Int>.size
    guard control("stats.allocated", &allocated, &size, nil, 0) == 0 else { return nil }
    return UInt64(allocated)
  }

  /// True if `malloc` calls jemalloc: an allocation changes its count.
  private static func counts(with control: Control) -> Bool {
    // Looked up at run time, because the compiler would remove an unused allocation. The memory is
    // never touched, so it costs nothing; it is large, so that concurrent allocations do not
    // matter.
    guard let symbol = dlsym(nil, "malloc"), let before = read(control) else { return false }
    let probeBytes = 1 << 26
    let probe = unsafeBitCast(symbol, to: Allocate.self)(probeBytes)
    let during = read(control)
    free(probe)
    return during.map { $0 > before + UInt64(probeBytes / 2) } ?? false
  }
}

enum ProcessWrites {
  /// A field of `/proc/PID/io`.
  enum Field: String {
    /// Dirty pages of all threads, in whole pages. Excludes file systems in memory, and pages of
    /// removed files that were not written back.
    case disk = "write_bytes"
    /// Bytes passed to write calls by all threads, for any file.
    case calls = "wchar"
  }

  static func bytes(_ field: Field, of process: String = "self") -> UInt64? {
    guard let file = fopen("/proc/\(process)/io", "r") else { return nil }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 1024)
    let count = fread(&text, 1, text.count, file)
    let lines = String(decoding: text.prefix(count), as: UTF8.self).split(separator: "\n")
    let prefix = "\(field.rawValue): "
    return lines.first { $0.hasPrefix(prefix) }.flatMap { UInt64($0.dropFirst(prefix.count)) }
  }
}
