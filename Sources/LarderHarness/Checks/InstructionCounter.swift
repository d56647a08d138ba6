import Foundation
import LarderExperiments
import LarderSupport

/// Counts the instructions of cells under callgrind, which executes a program on a processor of its
/// own making: load, clock rate and the places of memory change nothing.
///
/// What would still differ from run to run is not in it: the worker records no latencies, whose
/// histograms take the longer to read the longer something took, hash tables of the standard
/// library have no random seed, and jemalloc gives no memory back when some time has passed. What
/// is left are threads of the disk cache that wait for each other.
///
/// A cell is run once in one process and twice in another; the difference is one run, without the
/// start of the process and the making of the trace. That takes about 100 times as long as the run.
package struct InstructionCounter {
  private let valgrind: String
  /// As it was named.
  private let name: String
  /// What is run: a copy.
  private let program: String
  private let arguments: [String]
  private let cancellation: Cancellation

  /// A counter for a program that is a `TimingWorker` when it gets the arguments.
  ///
  /// - Parameters:
  ///   - path: Folders to look for `valgrind` and `strip` in, as in the variable `PATH`.
  ///   - folder: Where a copy of the program is made; it must outlive the counter.
  /// - Throws: `TimingError.noCounter` where there is no valgrind.
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
    // Older valgrinds give up on the debug information of newer compilers; counting needs none.
    let copy = folder.appending(path: "without-debug-information-\(UUID().uuidString)")
    if let strip = Self.find("strip", in: path),
      try Self.run(strip, ["--strip-debug", "-o", copy.path, program], cancellation).code == 0
    {
      self.program = copy.path
    } else {
      self.program = program
    }
  }

  /// The instructions of one run of the cell that the worker knows by this number.
  ///
  /// - Throws: `TimingError`.
  package func instructions(ofCell index: Int) throws -> UInt64 {
    let once = try collected(index, runs: 1)
    let twice = try collected(index, runs: 2)
    guard twice > once else {
      throw TimingError.talk(program: name, reason: "two runs take no more than one")
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
        program: valgrind, reason: "it said: \(line.map(String.init) ?? "nothing")")
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

  /// The first program of this name in a list of folders.
  static func find(_ name: String, in path: String) -> String? {
    path.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private struct Done {
    let code: Int32
    let output: String
    let notes: String
  }

  /// Runs a program to its end. What it writes goes to files, which cannot fill up as pipes do.
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
      // Hash tables of the standard library are laid out the same in every run.
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
