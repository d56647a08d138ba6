import LarderLibc

/// What the process has allocated, by jemalloc's own count.
///
/// jemalloc is looked for when asked, not linked to: where it is not there, or is there and is not
/// what allocates (as when a sanitizer has put its own allocator in front), nothing is known.
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

  /// Bytes that are allocated and not freed, over all threads; nil where that is not known.
  static var bytes: UInt64? { control.flatMap { read($0) } }

  private static func read(_ control: Control) -> UInt64? {
    // What this thread has freed and kept for itself is given back; what threads have counted on
    // their own is added up when the epoch moves on.
    _ = control("thread.tcache.flush", nil, nil, nil, 0)
    var epoch: UInt64 = 1
    guard control("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size) == 0 else { return nil }
    var allocated = 0
    var size = MemoryLayout<Int>.size
    guard control("stats.allocated", &allocated, &size, nil, 0) == 0 else { return nil }
    return UInt64(allocated)
  }

  /// Whether jemalloc is what `malloc` calls: it notices when some is allocated.
  private static func counts(with control: Control) -> Bool {
    // Looked up, or the compiler would leave out what is freed again unused. Never touched, so it
    // takes no memory; large, so that what other threads do at the same time does not matter.
    guard let symbol = dlsym(nil, "malloc"), let before = read(control) else { return false }
    let probeBytes = 1 << 26
    let probe = unsafeBitCast(symbol, to: Allocate.self)(probeBytes)
    let during = read(control)
    free(probe)
    return during.map { $0 > before + UInt64(probeBytes / 2) } ?? false
  }
}

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
