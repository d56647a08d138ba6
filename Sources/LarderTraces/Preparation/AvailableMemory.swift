import Foundation

/// How much memory the process can still take.
enum AvailableMemory {
  /// A limit, and what of it is not used.
  private typealias Bound = (limit: UInt64, left: UInt64)

  /// Bytes that can be taken before the system has to swap or kill: the least of what the machine
  /// has left, what the control group allows (a container's limit), and the limit on address space
  /// (`ulimit -v`). Where nothing is known, as on Darwin, all the memory there is.
  static var bytes: UInt64 { bounds.map(\.left).min() ?? installedBytes }

  /// Bytes that the process could take if nothing were used.
  static var limitBytes: UInt64 { bounds.map(\.limit).min() ?? installedBytes }

  private static var bounds: [Bound] { [machine, controlGroup, addressSpace].compactMap { $0 } }

  /// Bytes of memory in the machine.
  private static var installedBytes: UInt64 { ProcessInfo.processInfo.physicalMemory }

  #if os(Linux)
    private static var machine: Bound? {
      for line in lines("/proc/meminfo") where line.hasPrefix("MemAvailable:") {
        return line.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
          .map { (installedBytes, $0 << 10) }
      }
      return nil
    }

    /// What control groups leave, by version 2 and version 1. In a container its own group is the
    /// root. Pages of files count as used and are given up before anybody is killed.
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
