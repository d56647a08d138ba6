import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A small disk that can be filled and emptied: a private file system in memory if the system
/// permits it, otherwise a limit on the size of each file.
final class FillableDisk {
  static let mountVariable = "LARDER_TORTURE_DISK"
  static let bytes = 3 << 20

  let folder: String
  private let ballast: Int32?
  private var ballastBytes: off_t = 0
  private let scratch: Scratch?

  init() throws {
    if let mounted = ProcessInfo.processInfo.environment[Self.mountVariable] {
      folder = "\(mounted)/\(UUID().uuidString)"
      scratch = nil
      ballast = open("\(mounted)/ballast", O_RDWR | O_CREAT | O_TRUNC, 0o600)
      try require(ballast ?? -1 >= 0, "cannot make the ballast")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } else {
      let scratch = try Scratch()
      self.scratch = scratch
      folder = scratch.path
      ballast = nil
      // Exceeding the size limit of a file must be an error and not end the process.
      signal(SIGXFSZ, SIG_IGN)
    }
  }

  deinit {
    empty()
    if let ballast { close(ballast) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Fills the disk except for at most `rest` bytes.
  func fill(leaving rest: Int) {
    guard let ballast else { return limit(UInt(rest)) }
    empty()
    let block = [UInt8](repeating: 1, count: 4_096)
    while true {
      let written = block.withUnsafeBytes {
        pwrite(ballast, $0.baseAddress, $0.count, ballastBytes)
      }
      if written != block.count { break }
      ballastBytes += off_t(written)
    }
    ballastBytes = max(0, ballastBytes - off_t(rest))
    ftruncate(ballast, ballastBytes)
  }

  func empty() {
    guard let ballast else { return limit(.max) }
    ballastBytes = 0
    ftruncate(ballast, 0)
  }

  private func limit(_ bytes: UInt) {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    var limits = rlimit()
    getrlimit(resource, &limits)
    limits.rlim_cur = min(rlim_t(bytes), limits.rlim_max)
    setrlimit(resource, &limits)
  }

  static func launch(_ program: String, _ arguments: [String]) -> Launch {
    guard let (unshare, place) = mounting else {
      return Launch(
        program: program, arguments: arguments, note: "files that may not grow: nothing to mount")
    }
    return Launch(
      program: "/usr/bin/unshare",
      arguments: unshare + [
        "sh", "-c", script, "sh", place, "env", "\(mountVariable)=\(place)", program,
      ] + arguments,
      note: "a file system in memory of \(bytes >> 20) MiB")
  }

  private static let script =
    "mount -t tmpfs -o size=\(bytes) none \"$1\" && shift && exec \"$@\""

  /// Options with which this system lets a process mount a private file system, and the mount
  /// point.
  private static let mounting: (options: [String], place: String)? = {
    // Empty for other processes: only the child sees the mounted file system.
    let place = NSTemporaryDirectory() + "/larder-torture-disk"
    try? FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for options in [["-m"], ["-Urm"]] {
      let arguments = options + ["sh", "-c", script, "sh", place, "true"]
      if ChildProcess("/usr/bin/unshare", arguments)?.end() == "status 0" {
        return (options, place)
      }
    }
    return nil
  }()
}
