import Foundation
import LarderLibc

/// A server from the system's packages that runs for one test, on a port of the loopback.
public final class ServerProgram {
  /// The port that the server listens on.
  public let port: UInt16
  private let process = Process()

  /// The path of a program; nil if it is not installed. Also looks in folders of servers outside of
  /// `PATH`.
  public static func path(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return
      (["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
      + path.split(separator: ":").map(String.init))
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// An unused port.
  public static func freePort() throws -> UInt16 {
    let listener = try TCPConnection.listener()
    defer { close(listener.descriptor) }
    return listener.port
  }

  /// Starts a program and waits until it accepts connections.
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
    // It may have inherited a mask of signals.
    kill(process.processIdentifier, SIGKILL)
    try? Deadline.wait(for: process, seconds: 10)
  }

  /// A server that could not be started.
  public struct Failed: Error {
    let reason: String

    /// Creates a failure with a reason.
    public init(reason: String) { self.reason = reason }
  }
}
