import Foundation
internal import LarderSupport

package struct MemoryBudget: Sendable {
  package let available: @Sendable () -> UInt64

  package static let machine = MemoryBudget { AvailableMemory.bytes }

  package init(available: @escaping @Sendable () -> UInt64) { self.available = available }

  /// Reserve for everything else: 256 MiB, or a sixteenth of a small machine or limit.
  static let reserve = min(256 << 20, AvailableMemory.limitBytes / 16)
  static let sampleAdvice =
    "use a part of the trace, or read a sample of its objects: --sample 1/100"

  func check(
    _ bytes: UInt64, for purpose: String, in source: String, advice: String
  ) throws(TraceError) {
    let available = available()
    guard bytes > available - min(available, Self.reserve) else { return }
    throw Self.shortage(
      "\(purpose) need \(NumberText.bytes(bytes)) of memory, but only "
        + "\(NumberText.bytes(available)) are left",
      in: source, advice: advice)
  }

  func checkReserve(after requests: Int, in source: String) throws(TraceError) {
    let available = available()
    guard available < Self.reserve else { return }
    throw Self.shortage(
      "\(requests) requests are read, more follow, and only \(NumberText.bytes(available)) of "
        + "memory are left",
      in: source,
      advice: Self.sampleAdvice)
  }

  static func shortage(
    _ message: String, in source: String, advice: String
  ) -> TraceError {
    var error = TraceError(message, in: source, advice: advice)
    error.isMemoryShortage = true
    return error
  }
}

enum AvailableMemory {
  private typealias Bound = (limit: UInt64, left: UInt64)

  /// Bytes that can be allocated before the system swaps or kills: the minimum of the machine's
  /// free memory, the control group's (a container's limit), and the limit on address space
  /// (`ulimit -v`). If nothing is known, as on Darwin, all installed memory.
  static var bytes: UInt64 { bounds.map(\.left).min() ?? installedBytes }

  static var limitBytes: UInt64 { bounds.map(\.limit).min() ?? installedBytes }

  private static var bounds: [Bound] { [machine, controlGroup, addressSpace].compactMap { $0 } }

  private static var installedBytes: UInt64 { ProcessInfo.processInfo.physicalMemory }

  #if os(Linux)
    private static var machine: Bound? {
      for line in lines("/proc/meminfo") where line.hasPrefix("MemAvailable:") {
        return line.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
          .map { (installedBytes, $0 << 10) }
      }
      return nil
    }

    /// Limits of control groups of version 2 and version 1. In a container the own group is the
    /// root. Pages of files count as used, and are reclaimed before any process is killed.
    private static var controlGroup: Bound? {
      let path = lines("/proc/self/cgroup").first { $0.hasPrefix("0::") }?.dropFirst(3) ?? "/"
      let groups = [
        ("/sys/fs/cgroup\(path)/memory", "max", "current", ["inactive_file", "active_file"]),
        ("/sys/fs/cgroup/memory", "max", "current", ["inactive_file", "active_file"]),
        (
          "/sys/fs/cgroup/memory/memory", "limit_in_bytes", "usage_in_bytes",
          ["total_inactive_file", "total_active_file"]
        ),
      ]
      return groups.compactMap { group, limit, use, files -> Bound? in
        guard let limit = number("\(group).\(limit)"), let use = number("\(group).\(use)") else {
          return nil
        }
        let reclaimable = lines("\(group).stat").reduce(into: UInt64(0)) { sum, line in
          let words = line.split(separator: " ")
          guard words.count == 2, files.contains(String(words[0])) else { return }
          sum &+= UInt64(words[1]) ?? 0
        }
        let held = use - min(use, reclaimable)
        return (limit, limit - min(limit, held))
      }.min { $0.left < $1.left }
    }

    private static var addressSpace: Bound? {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
        limit.rlim_cur != rlim_t.max,
        let pages = lines("/proc/self/statm").first?.split(separator: " ").first
          .flatMap({ UInt64($0) })
      else { return nil }
      let used = pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
      let bytes = UInt64(limit.rlim_cur)
      return (bytes, bytes - min(bytes, used))
    }

    private static func number(_ path: String) -> UInt64? {
      lines(path).first.flatMap { UInt64($0) }
    }

    private static func lines(_ path: String) -> [Substring] {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
      return text.split(separator: "\n")
    }
  #else
    private static var machine: Bound? { nil }
    private static var controlGroup: Bound? { nil }
    private static var addressSpace: Bound? { nil }
  #endif
}

/// Checks the available memory each time that a table driven by a file's content has doubled.
struct GrowthLimit {
  private let purpose: String
  private let bytesEach: Int
  private let memory: MemoryBudget
  private var next: Int

  init(
    _ purpose: String, bytesEach: Int, from first: Int = 1 << 18, memory: MemoryBudget = .machine
  ) {
    (self.purpose, self.bytesEach, self.memory, next) = (purpose, bytesEach, memory, first)
  }

  @inline(__always) mutating func check(_ count: Int, in source: @autoclosure () -> String)
    throws(TraceError)
  {
    if count >= next { try checkMemory(count, source()) }
  }

  @inline(never) private mutating func checkMemory(_ count: Int, _ source: String)
    throws(TraceError)
  {
    next = 2 * count
    // A table is copied when it grows, and half of its slots are empty afterwards.
    try memory.check(
      UInt64(4 * count * bytesEach), for: purpose, in: source,
      advice: "read a part of the file")
  }
}
