import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderLibc
import LarderSupport

/// The remote end of a comparison of two builds: a process that times cells on request.
///
/// Requests and answers are lines:
///
///     larder-worker 1                  greeting with the protocol version
///     cell {"cell":{...},"mode":...}   the cells it can time, numbered from 0
///     ready
///     > 3 2                            time cell 3, twice in a row
///     50123456 50200111 411022         nanoseconds of processor and wall, and hits
///     > 5 1                            an executed cell
///     90123456 90200111 411022 1550    also the 99th percentile of the latency of gets
///     > 5 1 plain                      without recording latency
///     80123456 80200111 411022
///
/// It answers invalid requests with `error` and a sentence, and exits at the end of its input.
package struct TimingWorker: Sendable {
  private let cells: [TimedCell]
  private let timer: CellTimer

  /// The first line, which identifies a worker.
  package static let greeting = "larder-worker 1"
  static let misunderstanding = "expected the number of a cell and a number of runs"
  /// The line after which it waits for requests.
  static let ready = "ready"

  package init(cells: [TimedCell], timer: CellTimer) {
    self.cells = cells
    self.timer = timer
  }

  /// The first lines of its output.
  ///
  /// - Throws: an error of the encoder.
  package func introduction() throws -> [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let names = try cells.map {
      "cell " + String(decoding: try encoder.encode($0.name), as: UTF8.self)
    }
    return [Self.greeting] + names + [Self.ready]
  }

  package func answer(_ order: String) -> String {
    var words = order.split(separator: " ")
    let isPlain = words.last == "plain"
    if isPlain { words.removeLast() }
    guard words.count == 2, let index = Int(words[0]), let runs = Int(words[1]),
      cells.indices.contains(index), (1...1_000_000).contains(runs)
    else { return "error \(Self.misunderstanding)" }
    do {
      let time = try timer.time(cells[index], runs: runs, recordsLatency: !isPlain)
      return "\(time.processorNanoseconds) \(time.wallNanoseconds) \(time.hits)"
        + (time.latencyNanoseconds.map { " \($0)" } ?? "")
    } catch {
      let sentence = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
      return "error \(sentence)"
    }
  }
}

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
  ///   - arguments: The arguments that make it a worker.
  ///   - padding: Bytes to add to its environment. The environment lies above the stack and shifts
  ///     it, so padding removes the effect of paths of different length.
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
    // The process has its own copy; while this end is open, its exit would go unnoticed.
    try? output.fileHandleForWriting.close()
    try? errors.fileHandleForWriting.close()
    try? input.fileHandleForReading.close()
    lines = LineReader(output.fileHandleForReading, cancellation)
  }

  /// Waits until the worker has prepared its traces, and returns the cells that it can time.
  ///
  /// - Throws: `TimingError.talk` if the program is no worker; `TimingError.interrupted`.
  package func ready() throws -> Set<TimedName> {
    guard try lines.next() == TimingWorker.greeting else {
      stop(after: 0)
      throw TimingError.talk(
        program: program, reason: "it does not behave as a worker\(notes.told)")
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

  /// The number of a cell, known once the worker is ready; nil for an unknown cell.
  package func number(of name: TimedName) -> Int? { indices[name] }

  /// Runs a cell `runs` times and returns the time.
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

  /// Closes its input and waits for its exit; terminates it after a time limit.
  package func end() { stop(after: 10) }

  private func stop(after seconds: Double) {
    try? orders.close()
    if hasEnded(within: seconds) { return }
    process.signal(SIGTERM)
    if hasEnded(within: 2) { return }
    process.signal(SIGKILL)
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

extension Process {
  /// Sends a signal to the process and to those that it started: the child of a shell holds the
  /// shell's files, does not exit with it, and keeps it from being reaped.
  func signal(_ number: Int32) {
    let id = processIdentifier
    kill(getpgid(id) == id ? -id : id, number)
  }
}

/// The last output of a process on standard error, read as it arrives, because a process whose pipe
/// is full blocks.
private final class LastWords: Sendable {
  private let text = Locked<[UInt8]>([])
  private let ended = DispatchSemaphore(value: 0)

  /// The most bytes that are kept.
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

  /// The last line, for an error. Waits up to a second for the end of the output: another process
  /// may hold the pipe.
  var told: String {
    if ended.wait(timeout: .now() + 1) == .success { ended.signal() }
    let text = String(decoding: self.text.withLock { $0 }, as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    return line.isEmpty ? "" : "; its last line of output: \(line)"
  }
}

/// Lines from a pipe. Reading stops if the user interrupts.
final class LineReader {
  private let handle: FileHandle
  private let cancellation: Cancellation
  private var buffer: [UInt8] = []

  init(_ handle: FileHandle, _ cancellation: Cancellation) {
    self.handle = handle
    self.cancellation = cancellation
  }

  /// The next line without its end; nil at the end of the input.
  func next() throws(TimingError) -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeSubrange(...end)
        return line
      }
      // A program that prints without end and without lines is no worker.
      guard buffer.count <= 1 << 20, try fill() else { return nil }
    }
  }

  /// Reads available bytes; false at the end.
  private func fill() throws(TimingError) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if cancellation.isRequested { throw .interrupted }
      var waiting = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, 200)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      let count = read(handle.fileDescriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      buffer += bytes[..<count]
      return true
    }
  }
}

/// An error in comparing timings.
package enum TimingError: Error, Hashable, Sendable, CustomStringConvertible {
  case launch(program: String, reason: String)
  /// A program ended or sent an unexpected line.
  case talk(program: String, reason: String)
  case interrupted
  /// A build that always records latencies, so that its instructions cannot be compared.
  case tooOld(program: String)
  case noCounter
  case nothingToTime(program: String)

  package var description: String {
    switch self {
    case .launch(let program, let reason): "\(program): cannot be started: \(reason)"
    case .talk(let program, let reason): "\(program): cannot be timed: \(reason)"
    case .interrupted: "stopped while timing cells"
    case .tooOld(let program):
      "\(program): built before instructions could be compared; compare with a newer build"
    case .noCounter:
      "instructions are counted by valgrind, which is not in PATH; install the package valgrind, "
        + "or leave out --instructions"
    case .nothingToTime(let program):
      "no cell can be timed in both builds: \(program) has none of the workload's cells"
    }
  }
}
