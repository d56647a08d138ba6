import Foundation
import LarderEngine

/// Times cells with `larder simulate`, which every build has: for one that is older than
/// `TimingWorker`. Each measurement is a process of its own.
///
/// `simulate` knows one tier of memory without a time to live and without a warm-up, and measures
/// time on the wall; the counts of what it runs are compared all the same.
public struct SimulateProcess: TimedProcess {
  private let program: String
  private let traces: [UInt64?: String]
  private let cells: [TimedName: PlannedCell]

  /// What can be timed in this way.
  public func ready() -> Set<TimedName> { Set(cells.keys) }

  /// Cells of `program`, over prepared traces in files: one a seed, or one under nil for all.
  public init(program: String, traces: [UInt64?: String], cells: [TimedCell]) {
    self.program = program
    self.traces = traces
    let plain = cells.filter { Self.isPlain($0) }
    self.cells = Dictionary(
      plain.map { ($0.name, $0.planned) }, uniquingKeysWith: { first, _ in first })
  }

  /// Runs a cell so often and says how long it took.
  ///
  /// - Throws: `TimingError`.
  public func time(_ name: TimedName, runs: Int) throws -> RepetitionTime {
    guard let planned = cells[name], let trace = traces[name.cell.seed] ?? traces[nil] else {
      throw TimingError.talk(program: program, reason: "it has no cell \(name)")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = Self.arguments(planned, trace: trace, runs: min(runs, 1000))
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw TimingError.launch(program: program, reason: error.localizedDescription)
    }
    let text = (try? output.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0, let seconds = Self.seconds(in: text), seconds > 0 else {
      throw TimingError.talk(program: program, reason: "'simulate' failed for \(name)")
    }
    // It may stop at a thousand runs.
    let nanoseconds = UInt64(seconds * 1e9 * Double(runs) / Double(min(runs, 1000)))
    return RepetitionTime(
      processorNanoseconds: nanoseconds, wallNanoseconds: nanoseconds, hits: 0)
  }

  /// There is nothing to end.
  public func end() {}

  /// Whether `simulate` can run the cell.
  private static func isPlain(_ cell: TimedCell) -> Bool {
    guard cell.name.mode == .simulate, case .memory(let tier) = cell.planned.setup.arrangement
    else { return false }
    return tier.timeToLiveSeconds == nil && tier.objectsMax == nil
  }

  /// The command line without the program.
  static func arguments(_ planned: PlannedCell, trace: String, runs: Int) -> [String] {
    let cell = planned.cell
    let isBytes = cell.unit == .bytes
    return [
      "simulate", trace, "--format", "larder", "--policy", cell.policy, "--capacity",
      isBytes ? "\(cell.capacity)B" : "\(cell.capacity)",
    ] + (isBytes ? [] : ["--ignore-size"]) + [
      "--seed", "\(cell.seed)", "--repetitions", "\(runs)", "--threads", "1", "--quiet",
      "--timings", "-",
    ]
  }

  /// The sum of the column `seconds` in a `timings.csv`; nil where there is none.
  static func seconds(in text: Data) -> Double? {
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard let header = lines.first?.split(separator: ",", omittingEmptySubsequences: false),
      let column = header.firstIndex(of: "seconds"), lines.count > 1
    else { return nil }
    var sum = 0.0
    for line in lines.dropFirst() {
      // The columns before `seconds` are names that larder chose, and numbers.
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count > column, let seconds = Double(fields[column]) else { return nil }
      sum += seconds
    }
    return sum
  }
}
