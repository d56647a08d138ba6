import Foundation
import TestSupport

/// A child process that has a shared cache and does what it is told.
final class OwnerProcess {
  private let child = Process()
  private let (input, output) = (Pipe(), Pipe())
  private var rest = Data()

  init(folder: String, _ options: String = "normal+shared", key: String? = nil) throws {
    child.executableURL = VictimProcess.program
    child.arguments = [folder, options + "+script", "1"] + (key.map { [$0] } ?? [])
    child.standardInput = input
    child.standardOutput = output
    try child.run()
    answer = line()
  }

  private(set) var answer = ""

  deinit { kill() }

  /// Sends a command and returns its answer.
  @discardableResult func callAsFunction(_ command: String) throws -> String {
    try send(command)
    return receive()
  }

  /// Sends a command, to be answered while this process does something else.
  func send(_ command: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
  }

  @discardableResult func receive() -> String {
    answer = line()
    return answer
  }

  /// Kills the process, whatever it is doing.
  func kill() {
    guard child.isRunning else { return }
    Foundation.kill(child.processIdentifier, SIGKILL)
    try? Deadline.wait(for: child)
  }

  /// Ends the process, which closes its cache.
  func end() throws {
    try input.fileHandleForWriting.close()
    try Deadline.wait(for: child)
  }

  private func line() -> String {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = Data(rest[(end + 1)...]) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let chunk = output.fileHandleForReading.availableData
      if chunk.isEmpty { return "ended" }
      rest.append(chunk)
    }
  }
}
