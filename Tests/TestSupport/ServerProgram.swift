import Foundation
import LarderLibc

/// A server from the system's packages that runs for one test, on a port of the loopback.
public final class ServerProgram {
  /// The port.
  public let port: UInt16
  private let process = Process()

  /// Where a program is; nil when it is not installed. Servers may be where `PATH` does not lead.
  public static func path(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return
      (["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
      + path.split(separator: ":").map(String.init))
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// A port that nobody listens on.
  public static func freePort() throws -> UInt16 {
    let listener = try TCPConnection.listener()
    defer { close(listener.descriptor) }
    return listener.port
  }

  /// Starts a program and waits until it can be connected to.
  public init(_ name: String, _ arguments: [String], port: UInt16) throws {
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
  public func stop() {
    guard process.isRunning else { return }
    process.terminate()
    try? Deadline.wait(for: process, seconds: 10)
  }

  /// A server that does not run.
  public struct Failed: Error {
    let reason: String

    /// A failure, for this reason.
    public init(reason: String) { self.reason = reason }
  }
}
