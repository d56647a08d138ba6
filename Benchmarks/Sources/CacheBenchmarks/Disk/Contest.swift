import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Several ways of doing the same work, measured in turns: a batch of each, in an order that moves
/// by one with every round, so that whatever else the machine does meets all of them alike.
struct Contest {
  /// One way. `work` is called with the numbers 0, 1, 2 ... over all batches.
  struct Contender {
    let name: String
    let work: (Int) throws -> Void
  }

  /// Nanoseconds an operation in one batch.
  private struct Batch {
    var wall: Double
    var processor: Double
  }

  private let title: String
  private let contenders: [Contender]
  private var batches: [[Batch]]
  private var done = 0

  init(_ title: String, _ contenders: [Contender]) {
    self.title = title
    self.contenders = contenders
    batches = Array(repeating: [], count: contenders.count)
  }

  /// Runs some rounds of so many operations of each contender.
  mutating func run(rounds: Int, operations: Int) throws {
    for round in 0..<rounds {
      for turn in contenders.indices {
        let place = (turn + round) % contenders.count
        let work = contenders[place].work
        let (wall, processor) = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_THREAD_CPUTIME_ID))
        for number in done..<done + operations { try work(number) }
        batches[place].append(
          Batch(
            wall: (Self.now(CLOCK_MONOTONIC) - wall) / Double(operations),
            processor: (Self.now(CLOCK_THREAD_CPUTIME_ID) - processor) / Double(operations)))
      }
      done += operations
    }
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// For each contender: operations a second (median batch, and the quartiles), processor time an
  /// operation (median), and how many times as fast as the first one it was: the median over the
  /// rounds of the ratio within the round.
  func lines() -> [String] {
    var lines = [Self.row([title, "op/s", "low q.", "high q.", "CPU us", "x first", "x CPU"])]
    for place in contenders.indices {
      let wall = batches[place].map(\.wall).sorted()
      let ratios = zip(batches[0], batches[place]).map { $0.wall / $1.wall }
      let processor = zip(batches[0], batches[place]).map { $0.processor / $1.processor }
      lines.append(
        Self.row([
          "  " + contenders[place].name, Self.rate(wall[wall.count / 2]),
          Self.rate(wall[wall.count * 3 / 4]), Self.rate(wall[wall.count / 4]),
          String(format: "%.2f", Self.median(batches[place].map(\.processor)) / 1000),
          String(format: "%.2f", Self.median(ratios)),
          String(format: "%.2f", Self.median(processor)),
        ]))
    }
    return lines
  }

  private static func rate(_ nanoseconds: Double) -> String { String(Int(1e9 / nanoseconds)) }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func row(_ cells: [String]) -> String {
    let name = cells[0].padding(toLength: 44, withPad: " ", startingAt: 0)
    return cells.dropFirst().reduce(name) {
      $0 + String(repeating: " ", count: max(1, 9 - $1.count)) + $1
    }
  }
}
