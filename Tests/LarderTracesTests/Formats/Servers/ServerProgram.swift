import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A server from the system's packages that runs for one test, on a port of the loopback.
final class ServerProgram {
  let port: UInt16
  private let process = Process()

  /// Where a program is; nil when it is not installed.
  static func path(_ name: String) -> String? {
    ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// A port that nobody listens on.
  static func freePort() throws -> UInt16 {
    let listener = try TCPConnection.listener()
    defer { close(listener.descriptor) }
    return listener.port
  }

  /// Starts a program and waits until it can be connected to.
  init(_ name: String, _ arguments: [String], port: UInt16) throws {
    self.port = port
    guard let path = ServerProgram.path(name) else { throw Failed(reason: "\(name) is missing") }
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let end = ContinuousClock.now + .seconds(10)
    while (try? TCPConnection(port: port)) == nil {
      guard process.isRunning, ContinuousClock.now < end else {
        stop()
        throw Failed(reason: "\(name) does not listen on port \(port)")
      }
      usleep(20_000)
    }
  }

  deinit { stop() }

  /// Ends the program.
  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    try? Deadline.wait(for: process, seconds: 10)
  }

  struct Failed: Error {
    let reason: String
  }
}

/// A connection to a server on the loopback, with limits for waiting.
final class TCPConnection {
  private let descriptor: Int32

  /// Connects.
  init(port: UInt16) throws {
    descriptor = TCPConnection.stream()
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = TCPConnection.address(port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { throw ServerProgram.Failed(reason: "no connection") }
  }

  deinit { close(descriptor) }

  /// Sends a text.
  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }

  /// What comes until `isEnough`, the server closes, or nothing comes for five seconds.
  func receive(until isEnough: (String) -> Bool = { _ in false }) -> String {
    var bytes: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &space, space.count)
      if count <= 0 { break }
      bytes += space[..<count]
      if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A socket that listens on a port that the system chose.
  static func listener() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = stream()
    var address = address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) | getsockname(descriptor, $0, &length)
      }
    }
    if result != 0 { throw ServerProgram.Failed(reason: "no port") }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func stream() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }
}
