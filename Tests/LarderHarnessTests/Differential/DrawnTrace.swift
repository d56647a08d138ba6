import LarderEngine

@testable import LarderHarness

/// A short trace in a draw, request by request.
struct DrawnTrace {
  struct Line {
    var operation = Operation.get
    var key = 1
    var size: UInt32 = 1
    var seconds: UInt64 = 0
    /// 0 for none.
    var timeToLive: UInt32 = 0
    var cost: Float = 1
  }

  /// The optional columns of the trace.
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
    var table = header.joined(separator: ",") + "\n"
    for line in lines { table += fields(line).joined(separator: ",") + "\n" }
    return table
  }

  private var header: [String] {
    picked(key: "id", operation: "op", size: "size", time: "time", ttl: "ttl", cost: "cost")
  }

  private func fields(_ line: Line) -> [String] {
    let operation =
      switch line.operation {
      case .get: "get"
      case .set: "set"
      case .delete: "delete"
      case .modify: "modify"
      case .bypass: "bypass"
      case .expire: "expire"
      }
    return picked(
      key: "\(line.key)", operation: operation, size: "\(line.size)", time: "\(line.seconds)",
      ttl: "\(line.timeToLive)", cost: "\(line.cost)")
  }

  private func picked(
    key: String, operation: String, size: String, time: String, ttl: String, cost: String
  ) -> [String] {
    let optional: [(Columns, String)] = [
      (.operations, operation), (.sizes, size), (.times, time), (.timesToLive, ttl),
      (.costs, cost),
    ]
    return [key] + optional.filter { columns.contains($0.0) }.map(\.1)
  }
}

/// A generated trace.
struct DrawnGenerator {
  var name = "zipf"
  var requests = 100
  var objects = 20
  var exponent = 0.8
  /// Largest size, nil for no sizes.
  var sizeMax: Int?
  /// Longest TTL in seconds, nil for none.
  var timeToLiveMax: Int?
  var writes: [Int] = [0, 0, 0]
  /// Requests per second.
  var rate = 1.0

  /// The value of `source`.
  var text: String {
    var parts = ["generator: \(name)", "requests: \(requests)", "objects: \(objects)"]
    if name == "zipf" { parts.append("exponent: \(exponent)") }
    if let sizeMax { parts.append("sizes: {distribution: uniform, min: 1, max: \(sizeMax)}") }
    if let timeToLiveMax {
      parts.append("ttl: {distribution: uniform, min: 1, max: \(timeToLiveMax)}")
    }
    if writes != [0, 0, 0] {
      let names = ["get", "set", "delete", "modify"]
      let shares = zip(names, [100 - writes.reduce(0, +)] + writes).map { "\($0): \($1)%" }
      parts.append("operations: {\(shares.joined(separator: ", "))}")
    }
    parts.append("rate: \(rate)")
    return "{\(parts.joined(separator: ", "))}"
  }
}
