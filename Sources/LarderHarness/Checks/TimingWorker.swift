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

  package static let greeting = "larder-worker 1"
  static let ready = "ready"

  package init(cells: [TimedCell], timer: CellTimer) {
    self.cells = cells
    self.timer = timer
  }

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
    else { return "error expected the number of a cell and a number of runs" }
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

package final class WorkerProcess: TimedProcess {
  private let program: String
  private let child: ChildProgram
  private let orders: FileHandle
  private let lines: LineReader
  private var indices: [TimedName: Int] = [:]

  /// Starts a program as a worker; `arguments` make it one.
  ///
  /// - Parameter padding: Bytes to add to its environment. The environment lies above the stack and
  ///   shifts it, so padding removes the effect of paths of different length.
  /// - Throws: `TimingError.launch`.
  package init(
    program: String, arguments: [String], padding: Int = 0,
    cancellation: Cancellation = Cancellation()
  ) throws {
    self.program = program
    let (input, output) = (Pipe(), Pipe())
    do {
      child = try ChildProgram()
      try child.start(
        URL(fileURLWithPath: program), arguments,
        adding: ["LARDER_PADDING": String(repeating: "x", count: padding)], input: input,
        output: output)
    } catch {
      throw TimingError.launch(program: program, reason: error.localizedDescription)
    }
    orders = input.fileHandleForWriting
    // The process has its own copy; while this end is open, its exit would go unnoticed.
    try? output.fileHandleForWriting.close()
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
        program: program, reason: "it does not behave as a worker\(told)")
    }
    while let line = try lines.next() {
      if line == TimingWorker.ready { return Set(indices.keys) }
      guard line.hasPrefix("cell "),
        let name = try? BoundedJSON.decode(TimedName.self, from: Data(line.dropFirst(5).utf8))
      else { continue }
      indices[name] = indices.count
    }
    throw TimingError.talk(
      program: program, reason: "it ended before it was ready\(told)")
  }

  package func number(of name: TimedName) -> Int? { indices[name] }

  package func time(_ name: TimedName, runs: Int) throws -> RepetitionTime {
    guard let index = indices[name] else {
      throw TimingError.talk(program: program, reason: "it has no cell \(name)")
    }
    do {
      try orders.write(contentsOf: Data("\(index) \(runs)\n".utf8))
    } catch {
      throw TimingError.talk(program: program, reason: "it has ended\(told)")
    }
    guard let line = try lines.next() else {
      throw TimingError.talk(
        program: program, reason: "it ended while \(name) was running\(told)")
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

  package func end() { stop(after: 10) }

  private func stop(after seconds: Double) {
    try? orders.close()
    if !child.ends(within: seconds) { child.terminate() }
  }

  /// The last line of its standard error, for an error. It may have closed its output just before
  /// it exits.
  private var told: String {
    _ = child.ends(within: 1)
    return child.lastLine.isEmpty ? "" : "; its last line of output: \(child.lastLine)"
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

package enum TimingError: Error, Hashable, Sendable, CustomStringConvertible {
  case launch(program: String, reason: String)
  case talk(program: String, reason: String)
  case interrupted
  case noCounter
  case nothingToTime(program: String)

  package var description: String {
    switch self {
    case .launch(let program, let reason): "\(program): cannot be started: \(reason)"
    case .talk(let program, let reason): "\(program): cannot be timed: \(reason)"
    case .interrupted: "stopped while timing cells"
    case .noCounter:
      "instructions are counted by valgrind, which is not in PATH; install the package valgrind, "
        + "or leave out --instructions"
    case .nothingToTime(let program):
      "no cell can be timed in both builds: \(program) has none of the workload's cells"
    }
  }
}
