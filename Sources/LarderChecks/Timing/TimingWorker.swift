import Foundation

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
