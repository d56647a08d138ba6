import Foundation
import Larder
import LarderEngine
import LarderLibc
import LarderSupport

/// The far end of a comparison of two builds: a process that times cells when it is told to.
///
/// It is told by lines and answers with lines:
///
///     larder-worker 1                  it is there, and this is how it speaks
///     cell {"cell":{...},"mode":...}   what it can time, each with a number from 0
///     ready
///     > 3 2                            time cell 3, twice in a row
///     50123456 50200111 411022         nanoseconds of processor and wall, and hits
///     > 5 1                            an executed cell
///     90123456 90200111 411022 1550    also the 99th percentile of the latency of gets
///     > 5 1 plain                      the same without recording latency
///     80123456 80200111 411022
///
/// What it cannot do it answers with `error` and a sentence. It ends when nobody speaks any more.
package struct TimingWorker: Sendable {
  private let cells: [TimedCell]
  private let timer: CellTimer

  /// The first line, by which a worker is known.
  package static let greeting = "larder-worker 1"
  /// What it answers to an order that it does not understand.
  static let misunderstanding = "expected the number of a cell and how often to run it"
  /// The line after which it waits for orders.
  static let ready = "ready"

  /// A worker for these cells.
  package init(cells: [TimedCell], timer: CellTimer) {
    self.cells = cells
    self.timer = timer
  }

  /// What it says first.
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

  /// The answer to an order.
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

/// Lines from a pipe. While it waits it notices when the user wants to stop.
final class LineReader {
  private let handle: FileHandle
  private let cancellation: Cancellation
  private var buffer: [UInt8] = []

  init(_ handle: FileHandle, _ cancellation: Cancellation) {
    self.handle = handle
    self.cancellation = cancellation
  }

  /// The next line without its end, or nil when there are no more.
  ///
  /// - Throws: `TimingError.interrupted`.
  func next() throws(TimingError) -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeSubrange(...end)
        return line
      }
      guard try fill() else { return nil }
    }
  }

  /// Reads what there is; false at the end.
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

/// Why timings could not be compared.
package enum TimingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A program could not be started.
  case launch(program: String, reason: String)
  /// A program ended or said something that was not expected.
  case talk(program: String, reason: String)
  /// The user wants it to end.
  case interrupted
  /// A build that always records latencies, so that its instructions cannot be compared.
  case tooOld(program: String)
  /// There is nothing that counts instructions.
  case noCounter
  /// No cell can be timed by both.
  case nothingToTime(program: String)

  /// One line for a person.
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
