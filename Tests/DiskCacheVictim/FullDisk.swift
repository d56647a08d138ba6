import Foundation
import Larder
import LarderLibc

/// Works on a disk that becomes full, or with files that may not grow, and tells what it met: in
/// this process alone, so that a test need not fill the disk that it stands on itself.
struct FullDisk {
  private let cache: BlockingDiskCache
  private var stored: [Int: Data] = [:]
  private var failures = 0
  private var wrong = 0

  /// A cache in `folder`; no file may grow beyond `fileBytesMax`, 0 for no bound.
  init(folder: String, durability: DiskDurability, fileBytesMax: UInt) throws {
    if fileBytesMax > 0 {
      // Growing beyond it is to be an error and not the end of the process.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: rlim_t(fileBytesMax), rlim_max: rlim_t(fileBytesMax))
      #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #else
        setrlimit(RLIMIT_FSIZE, &limit)
      #endif
    }
    cache = try BlockingDiskCache(
      path: folder,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability,
        groupWrites: 10))
  }

  /// Stores until nothing more fits, looks at everything, makes room and stores again.
  mutating func run() throws -> String {
    for number in 0..<400 { set(number, number % 3 == 0 ? 60_000 : 10_000) }
    checkAll()
    let failed = failures
    let kept = cache.count
    // Removing needs room, too, for as long as the log grows, and may fail; clearing must not.
    for number in 0..<200 where (try? cache.remove("key \(number)")) != nil {
      stored[number] = nil
    }
    checkAll()
    _ = try cache.removeAll()
    let isEmpty = cache.count == 0
    stored = [:]
    failures = 0
    for number in 500..<510 { set(number, 10_000) }
    checkAll()
    try cache.flush()
    let works = failures == 0 && stored.count == 10
    try cache.close()
    return "failures \(failed) kept \(kept) wrong \(wrong) empty \(isEmpty) works \(works)"
  }

  private mutating func set(_ number: Int, _ bytes: Int) {
    let value = Data(repeating: UInt8(truncatingIfNeeded: number), count: bytes)
    do {
      try cache.set(value, for: "key \(number)")
      stored[number] = value
    } catch {
      failures += 1
      stored[number] = nil
      if let found = try? cache.value(for: "key \(number)"), !found.isEmpty { wrong += 1 }
    }
  }

  private mutating func checkAll() {
    for number in 0..<510 {
      guard let found = try? cache.value(for: "key \(number)") else { continue }
      if found != stored[number] { wrong += 1 }
    }
  }
}
