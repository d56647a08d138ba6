import LarderEngine

/// A sequence of distinct objects, for which caches are useless.
enum SequentialGenerator: Generator {
  static let description = GeneratorDescription(
    name: "sequential",
    summary: """
      One new object after another. With `each` above 1, every object is requested that many \
      times in a row and then never again.
      """,
    parameters: [
      Parameter(
        "each", .count(1...1_000_000_000), default: "1", "Consecutive requests per object.")
    ],
    source: "The textbook case: a scan.")

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let each = try setup.parameters.whole("each")
    return GeneratorPlan(
      keyLimit: (setup.requests - 1) / each + 1, stream: Stream(each: each, left: each))
  }

  private struct Stream: KeyStream {
    let each: Int
    var left: Int
    var key: UInt64 = 0

    @inline(__always) mutating func next() -> UInt64 {
      if left == 0 {
        left = each
        key &+= 1
      }
      left &-= 1
      return key
    }
  }
}
