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
///
/// What it cannot do it answers with `error` and a sentence. It ends when nobody speaks any more.
package struct TimingWorker: Sendable {
  private let cells: [TimedCell]
  private let timer: CellTimer

  /// The first line, by which a worker is known.
  package static let greeting = "larder-worker 1"
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
    let numbers = order.split(separator: " ").map { Int($0) }
    guard numbers.count == 2, let index = numbers[0], let runs = numbers[1],
      cells.indices.contains(index), (1...1_000_000).contains(runs)
    else { return "error expected the number of a cell and how often to run it" }
    do {
      let time = try timer.time(cells[index], runs: runs)
      return "\(time.processorNanoseconds) \(time.wallNanoseconds) \(time.hits)"
    } catch {
      let sentence = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
      return "error \(sentence)"
    }
  }
}
