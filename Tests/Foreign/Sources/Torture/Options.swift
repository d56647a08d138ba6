/// Options of the command line.
struct Options {
  var scenario = ""
  var rounds: Int?
  var seconds: Double?
  var seed: UInt64 = 1
  var round: Int?
  var batch: Range<Int>?

  init?(_ arguments: [String]) {
    guard let scenario = arguments.first else { return nil }
    self.scenario = scenario
    var rest = arguments.dropFirst()
    while let name = rest.popFirst() {
      guard let text = rest.popFirst() else { return nil }
      switch name {
      case "--rounds":
        guard let number = Int(text), number > 0 else { return nil }
        rounds = number
      case "--seconds":
        guard let number = Double(text), number > 0, number.isFinite else { return nil }
        seconds = number
      case "--seed":
        guard let number = UInt64(text) else { return nil }
        seed = number
      case "--round":
        guard let number = Int(text), number >= 0 else { return nil }
        round = number
      case "--batch":
        let ends = text.split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] < ends[1] else { return nil }
        batch = ends[0]..<ends[1]
      default:
        return nil
      }
    }
  }
}
