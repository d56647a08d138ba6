import LarderEngine

@testable import LarderHarness

/// A short trace in a draw, request by request.
struct DrawnTrace {
  struct Line {
    var operation = Operation.get
    var key = 1
    var size: UInt32 = 1
    var seconds: UInt64 = 0
    var timeToLive: UInt32 = 0
    var cost: Float = 1
  }

  struct Columns: OptionSet {
    let rawValue: Int
    static let operations = Columns(rawValue: 1)
    static let sizes = Columns(rawValue: 2)
    static let times = Columns(rawValue: 4)
    static let timesToLive = Columns(rawValue: 8)
    static let costs = Columns(rawValue: 16)
    static let all: Columns = [.operations, .sizes, .times, .timesToLive, .costs]
  }

  var columns = Columns.all
  var lines: [Line]

  var text: String {
    var table = picked("id", "op", "size", "time", "ttl", "cost").joined(separator: ",") + "\n"
    for line in lines { table += fields(line).joined(separator: ",") + "\n" }
    return table
  }

  private func fields(_ line: Line) -> [String] {
    picked(
      "\(line.key)", "\(line.operation)", "\(line.size)", "\(line.seconds)", "\(line.timeToLive)",
      "\(line.cost)")
  }

  private func picked(
    _ key: String, _ operation: String, _ size: String, _ time: String, _ ttl: String,
    _ cost: String
  ) -> [String] {
    let optional: [(Columns, String)] = [
      (.operations, operation), (.sizes, size), (.times, time), (.timesToLive, ttl),
      (.costs, cost),
    ]
    return [key] + optional.filter { columns.contains($0.0) }.map(\.1)
  }
}
