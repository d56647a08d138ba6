import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A child process whose output is read with a time limit.
final class ChildProcess {
  enum Heard {
    case line(String)
    case timeout
    case end
  }

  private let process = Process()
  private let pipe = Pipe()
  private var buffer: [UInt8] = []

  static var ownProgram: String {
    #if os(Linux)
      URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }

  init?(_ program: String, _ arguments: [String]) {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    do {
      try process.run()
    } catch {
      return nil
    }
  }

  /// Returns the next line, a timeout, or the end of the output.
  func line(within seconds: Double) -> Heard {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return .line(line)
      }
      switch read(until: deadline) {
      case .some(true): continue
      case .some(false): return .end
      case .none: return .timeout
      }
    }
  }

  /// Reads the bytes available now into the buffer: false at the end, nil if there were none until
  /// the deadline.
  private func read(until deadline: Date) -> Bool? {
    let file = pipe.fileHandleForReading.fileDescriptor
    while true {
      var asked = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      let rest = max(0, min(60_000, deadline.timeIntervalSinceNow * 1_000))
      let ready = poll(&asked, 1, Int32(rest))
      if ready < 0 && errno == EINTR { continue }
      if ready <= 0 {
        if deadline.timeIntervalSinceNow > 0 { continue }
        return nil
      }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = systemRead(file, &bytes)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      buffer.append(contentsOf: bytes[..<count])
      return true
    }
  }

  private func systemRead(_ file: Int32, _ bytes: inout [UInt8]) -> Int {
    bytes.withUnsafeMutableBytes { buffer in
      #if canImport(Darwin)
        Darwin.read(file, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        Musl.read(file, buffer.baseAddress, buffer.count)
      #else
        Glibc.read(file, buffer.baseAddress, buffer.count)
      #endif
    }
  }

  /// Returns everything that is written until the end.
  func drain() -> [UInt8] {
    while read(until: Date(timeIntervalSinceNow: 60)) == true {}
    defer { buffer = [] }
    return buffer
  }

  /// Returns the bytes available now, waiting for at least one; nil at the end.
  func bytes(within seconds: Double) -> [UInt8]? {
    if buffer.isEmpty, read(until: Date(timeIntervalSinceNow: seconds)) != true { return nil }
    defer { buffer = [] }
    return buffer
  }

  /// Kills the child with a signal that cannot be handled.
  func kill() {
    #if canImport(Darwin)
      _ = Darwin.kill(process.processIdentifier, SIGKILL)
    #elseif canImport(Musl)
      _ = Musl.kill(process.processIdentifier, SIGKILL)
    #else
      _ = Glibc.kill(process.processIdentifier, SIGKILL)
    #endif
  }

  @discardableResult
  func end() -> String {
    // A child that has closed its output is about to end by itself.
    for _ in 0..<100 where process.isRunning { usleep(2_000) }
    if process.isRunning { kill() }
    process.waitUntilExit()
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? "signal \(status)" : "status \(status)"
  }
}
