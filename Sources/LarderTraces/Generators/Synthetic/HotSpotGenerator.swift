import LarderEngine

/// A few objects get most of the requests, all others the rest.
enum HotSpotGenerator: Generator {
  static let description = GeneratorDescription(
    name: "hot-spot",
    summary: """
      A share of the objects is hot and gets a share of the requests; within the hot and within \
      the cold objects all are equally likely.
      """,
    parameters: [
      .objects(default: "1M"),
      Parameter("hot", .share, default: "20%", "Share of hot objects."),
      Parameter(
        "share", .share, default: "80%", "Share of requests for hot objects."),
    ],
    source: """
      The hotspot distribution of YCSB (Cooper et al., SoCC 2010), with the 80-20 rule as in Gray \
      et al., SIGMOD 1994.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.whole("objects")
    let part = try setup.parameters.number("hot")
    let share = try setup.parameters.number("share")
    let hot = min(objects, Int((Double(objects) * part).rounded()))
    // Without hot or without cold objects all requests go to the others.
    let threshold =
      hot == 0 ? 0 : hot == objects ? UInt64.max : RandomStream.threshold(share)
    return GeneratorPlan(
      keyLimit: objects,
      stream: Stream(
        random: RandomStream(seed: setup.seed), hot: UInt64(hot),
        cold: UInt64(max(1, objects - hot)), objects: UInt64(objects), threshold: threshold))
  }

  private struct Stream: KeyStream {
    var random: RandomStream
    let hot: UInt64
    let cold: UInt64
    let objects: UInt64
    let threshold: UInt64

    @inline(__always) mutating func next() -> UInt64 {
      if random.happens(threshold) { return random.next(below: hot) }
      return min(hot &+ random.next(below: cold), objects &- 1)
    }
  }
}
