import Foundation
import LarderExperiments
import LarderSupport

/// Counts the instructions of cells under callgrind, which executes a program on a simulated
/// processor, so load, clock rate and memory placement have no effect.
///
/// The worker records no latencies, hash tables have no random seed, and jemalloc does not return
/// memory after a time. What remains are threads of the disk cache that wait for each other. A cell
/// is run once in one process and twice in another; the difference is one run.
package struct InstructionCounter {
  private let valgrind: String
  private let name: String
  private let program: String
  private let arguments: [String]
  private let cancellation: Cancellation

  /// A counter for a program that acts as a `TimingWorker` with the arguments. `folder` is for a
  /// copy of the program, and must outlive the counter.
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

  package func instructions(ofCell index: Int) throws -> UInt64 {
    let once = try collected(index, runs: 1)
    let twice = try collected(index, runs: 2)
    guard twice > once else {
      throw TimingError.talk(
        program: name, reason: "two runs execute no more instructions than one")
    }
    return twice - once
  }

  private func collected(_ index: Int, runs: Int) throws -> UInt64 {
    let words = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program] + arguments
    let done = try Self.run(valgrind, words, cancellation, orders: "\(index) \(runs) plain\n")
    let answer = done.output.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    if answer.hasPrefix("error ") {
      throw TimingError.talk(program: name, reason: String(answer.dropFirst(6)))
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

  private static func run(
    _ program: String, _ arguments: [String], _ cancellation: Cancellation, orders: String = ""
  ) throws -> Done {
    do {
      let child = try ChildProgram()
      let files = ["orders", "output"].map { URL(fileURLWithPath: child.folder + "/" + $0) }
      try Data(orders.utf8).write(to: files[0])
      try Data().write(to: files[1])
      try child.start(
        URL(fileURLWithPath: program), arguments,
        adding: [
          // Gives hash tables of the standard library the same layout in every run.
          "SWIFT_DETERMINISTIC_HASHING": "1",
          "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
        ], input: FileHandle(forReadingFrom: files[0]), output: FileHandle(forWritingTo: files[1]))
      while !child.ends(within: 0.2) {
        if cancellation.isRequested {
          child.terminate()
          throw TimingError.interrupted
        }
      }
      return Done(
        code: child.status, output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
        notes: child.errorText)
    } catch let error as TimingError {
      throw error
    } catch {
      throw TimingError.launch(program: program, reason: error.localizedDescription)
    }
  }
}
