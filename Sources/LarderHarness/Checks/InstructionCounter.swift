import Foundation
import LarderExperiments
import LarderSupport

/// Counts the instructions of cells under callgrind, which executes a program on a simulated
/// processor, so load, clock rate and memory placement have no effect.
///
/// Other sources of variation are removed: the worker records no latencies, whose histograms cost
/// more the longer an operation takes; hash tables of the standard library have no random seed; and
/// jemalloc does not return memory after a time. What remains are threads of the disk cache that
/// wait for each other.
///
/// A cell is run once in one process and twice in another; the difference is one run, without the
/// start of the process and the preparation of the trace. This takes about 100 times as long as the
/// run.
package struct InstructionCounter {
  private let valgrind: String
  private let name: String
  private let program: String
  private let arguments: [String]
  private let cancellation: Cancellation

  /// A counter for a program that acts as a `TimingWorker` when run with the arguments.
  ///
  /// - Parameters:
  ///   - path: Folders to search for `valgrind` and `strip`, as in the variable `PATH`.
  ///   - folder: The folder for a copy of the program; it must outlive the counter.
  /// - Throws: `TimingError.noCounter` if there is no valgrind.
  package init(
    program: String, arguments: [String], folder: URL,
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? "",
    cancellation: Cancellation = Cancellation()
  ) throws {
    guard let valgrind = Self.find("valgrind", in: path) else { throw TimingError.noCounter }
    self.valgrind = valgrind
    self.arguments = arguments
    self.cancellation = cancellation
    name = program
    // Older valgrinds reject the debug information of newer compilers; counting needs none.
    let copy = folder.appending(path: "without-debug-information-\(UUID().uuidString)")
    if let strip = Self.find("strip", in: path),
      try Self.run(strip, ["--strip-debug", "-o", copy.path, program], cancellation).code == 0
    {
      self.program = copy.path
    } else {
      self.program = program
    }
  }

  /// The instructions of one run of the cell with this number in the worker.
  ///
  /// - Throws: `TimingError`.
  package func instructions(ofCell index: Int) throws -> UInt64 {
    let once = try collected(index, runs: 1)
    let twice = try collected(index, runs: 2)
    guard twice > once else {
      throw TimingError.talk(
        program: name,
        reason: "two runs execute no more instructions than one")
    }
    return twice - once
  }

  private func collected(_ index: Int, runs: Int) throws -> UInt64 {
    let words =
      ["--tool=callgrind", "--callgrind-out-file=/dev/null", program] + arguments
    let done = try Self.run(valgrind, words, cancellation, orders: "\(index) \(runs) plain\n")
    let answer = done.output.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    if answer.hasPrefix("error ") {
      let reason = String(answer.dropFirst(6))
      guard reason != TimingWorker.misunderstanding else { throw TimingError.tooOld(program: name) }
      throw TimingError.talk(program: name, reason: reason)
    }
    guard done.code == 0, let count = Self.count(in: done.notes) else {
      let line = done.notes.split(whereSeparator: \.isNewline).last { !$0.hasSuffix("== ") }
      throw TimingError.talk(
        program: valgrind, reason: "last line of output: \(line.map(String.init) ?? "nothing")")
    }
    return count
  }

  /// The sum that callgrind prints at its end: `==7== Collected : 189507214`.
  static func count(in notes: String) -> UInt64? {
    for line in notes.split(whereSeparator: \.isNewline).reversed() {
      let parts = line.split(separator: ":")
      guard parts.count == 2, parts[0].hasSuffix("Collected ") else { continue }
      return UInt64(parts[1].trimmingCharacters(in: .whitespaces))
    }
    return nil
  }

  static func find(_ name: String, in path: String) -> String? {
    path.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private struct Done {
    let code: Int32
    let output: String
    let notes: String
  }

  /// Runs a program to its end. Its output goes to files, which cannot fill up as pipes do.
  private static func run(
    _ program: String, _ arguments: [String], _ cancellation: Cancellation, orders: String = ""
  ) throws -> Done {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-count-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let files = ["orders", "output", "notes"].map { folder.appending(path: $0) }
      try Data(orders.utf8).write(to: files[0])
      try Data().write(to: files[1])
      try Data().write(to: files[2])
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      var environment = ProcessInfo.processInfo.environment
      // Gives hash tables of the standard library the same layout in every run.
      environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
      environment["MALLOC_CONF"] = "dirty_decay_ms:-1,muzzy_decay_ms:-1"
      process.environment = environment
      process.standardInput = try FileHandle(forReadingFrom: files[0])
      process.standardOutput = try FileHandle(forWritingTo: files[1])
      process.standardError = try FileHandle(forWritingTo: files[2])
      try process.run()
      while process.isRunning {
        if cancellation.isRequested {
          process.terminate()
          // Otherwise it stays a zombie.
          process.waitUntilExit()
          throw TimingError.interrupted
        }
        Thread.sleep(forTimeInterval: 0.02)
      }
      return Done(
        code: process.terminationStatus,
        output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
        notes: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
    } catch let error as TimingError {
      throw error
    } catch {
      throw TimingError.launch(program: program, reason: error.localizedDescription)
    }
  }
}
