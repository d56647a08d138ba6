import Foundation
import Larder
import LarderEngine
import LarderSystem

/// A `TimingWorker` at the other end of two pipes.
package final class WorkerProcess: TimedProcess {
  private let program: String
  private let process: Process
  private let orders: FileHandle
  private let lines: LineReader
  private let notes: FileHandle
  private var indices: [TimedName: Int] = [:]

  /// Starts a program as a worker.
  ///
  /// - Parameters:
  ///   - program: Path of the executable.
  ///   - arguments: What makes it a worker.
  ///   - padding: Bytes to put into its environment. The environment lies above the stack and moves
  ///     everything on it, so that two paths of different length are no reason for a difference.
  /// - Throws: `TimingError.launch`.
  package init(
    program: String, arguments: [String], padding: Int = 0,
    cancellation: Cancellation = Cancellation()
  ) throws {
    self.program = program
    process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["LARDER_PADDING"] = String(repeating: "x", count: padding)
    process.environment = environment
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
    } catch {
      throw TimingError.launch(program: program, reason: error.localizedDescription)
    }
    orders = input.fileHandleForWriting
    notes = errors.fileHandleForReading
    // The process has its own; as long as this end is open, nobody would see that it has gone.
    try? output.fileHandleForWriting.close()
    try? errors.fileHandleForWriting.close()
    try? input.fileHandleForReading.close()
    lines = LineReader(output.fileHandleForReading, cancellation)
  }

  /// Waits until the worker has made its traces, and says what it can time.
  ///
  /// - Throws: `TimingError.talk` when the program is no worker; `TimingError.interrupted`.
  package func ready() throws -> Set<TimedName> {
    guard try lines.next() == TimingWorker.greeting else {
      process.terminate()
      throw TimingError.talk(program: program, reason: "it is not a worker\(Self.told(notes))")
    }
    while let line = try lines.next() {
      if line == TimingWorker.ready { return Set(indices.keys) }
      guard line.hasPrefix("cell "),
        let name = try? BoundedJSON.decode(TimedName.self, from: Data(line.dropFirst(5).utf8))
      else { continue }
      indices[name] = indices.count
    }
    throw TimingError.talk(
      program: program, reason: "it ended before it was ready\(Self.told(notes))")
  }

  /// The number of a cell, which is known once it is ready; nil for one that it does not have.
  package func number(of name: TimedName) -> Int? { indices[name] }

  /// Runs a cell so often and says how long it took.
  ///
  /// - Throws: `TimingError`.
  package func time(_ name: TimedName, runs: Int) throws -> RepetitionTime {
    guard let index = indices[name] else {
      throw TimingError.talk(program: program, reason: "it has no cell \(name)")
    }
    do {
      try orders.write(contentsOf: Data("\(index) \(runs)\n".utf8))
    } catch {
      throw TimingError.talk(program: program, reason: "it has ended\(Self.told(notes))")
    }
    guard let line = try lines.next() else {
      throw TimingError.talk(
        program: program, reason: "it ended while \(name) was running\(Self.told(notes))")
    }
    let numbers = line.split(separator: " ").compactMap { UInt64($0) }
    guard numbers.count == 3 || numbers.count == 4 else {
      let reason = line.hasPrefix("error ") ? String(line.dropFirst(6)) : "it said '\(line)'"
      throw TimingError.talk(program: program, reason: reason)
    }
    return RepetitionTime(
      processorNanoseconds: numbers[0], wallNanoseconds: numbers[1], hits: numbers[2],
      latencyNanoseconds: numbers.count == 4 ? numbers[3] : nil)
  }

  /// Tells it that nobody will speak any more, and waits for its end.
  package func end() {
    try? orders.close()
    process.waitUntilExit()
  }

  /// What it said on standard error, once it has ended.
  private static func told(_ notes: FileHandle) -> String {
    let text = String(decoding: notes.availableData, as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    return line.isEmpty ? "" : "; it said: \(line)"
  }
}
