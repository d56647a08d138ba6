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
  private let notes: LastWords
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
    notes = LastWords(errors.fileHandleForReading)
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
      stop(after: 0)
      throw TimingError.talk(program: program, reason: "it is not a worker\(notes.told)")
    }
    while let line = try lines.next() {
      if line == TimingWorker.ready { return Set(indices.keys) }
      guard line.hasPrefix("cell "),
        let name = try? BoundedJSON.decode(TimedName.self, from: Data(line.dropFirst(5).utf8))
      else { continue }
      indices[name] = indices.count
    }
    throw TimingError.talk(
      program: program, reason: "it ended before it was ready\(notes.told)")
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
      throw TimingError.talk(program: program, reason: "it has ended\(notes.told)")
    }
    guard let line = try lines.next() else {
      throw TimingError.talk(
        program: program, reason: "it ended while \(name) was running\(notes.told)")
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

  /// Tells it that nobody will speak any more, and waits for its end. One that does not end by
  /// itself is ended.
  package func end() { stop(after: 10) }

  private func stop(after seconds: Double) {
    try? orders.close()
    if hasEnded(within: seconds) { return }
    process.terminate()
    if hasEnded(within: 2) { return }
    kill(process.processIdentifier, SIGKILL)
    _ = hasEnded(within: 2)
  }

  private func hasEnded(within seconds: Double) -> Bool {
    let limit = ContinuousClock.now + .seconds(seconds)
    while process.isRunning {
      if ContinuousClock.now >= limit { return false }
      usleep(5000)
    }
    return true
  }
}

/// The last that a process says on standard error, read as it comes: a process whose pipe is full
/// stands still.
private final class LastWords: Sendable {
  private let text = Locked<[UInt8]>([])
  private let ended = DispatchSemaphore(value: 0)

  /// Bytes that are kept.
  private static let bytesMax = 8192

  init(_ pipe: FileHandle) {
    Thread.detachNewThread { [self] in
      var part = [UInt8](repeating: 0, count: Self.bytesMax)
      while true {
        let count = read(pipe.fileDescriptor, &part, part.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        text.withLock { $0 = Array(($0 + part[..<count]).suffix(Self.bytesMax)) }
      }
      ended.signal()
    }
  }

  /// The last line, for an error. Waits a second for the end: another process may have the pipe.
  var told: String {
    if ended.wait(timeout: .now() + 1) == .success { ended.signal() }
    let text = String(decoding: self.text.withLock { $0 }, as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    return line.isEmpty ? "" : "; it said: \(line)"
  }
}
