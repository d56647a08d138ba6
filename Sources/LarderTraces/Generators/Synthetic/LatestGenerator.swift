/// A growing set of objects in which the newest are the most popular.
enum LatestGenerator: Generator {
  static let description = GeneratorDescription(
    name: "latest",
    summary: """
      A share of the requests is for new objects; the others choose among the newest objects by \
      Zipf's law, the newest first.
      """,
    parameters: [
      .objects(default: "100k", "Number of newest objects that requests choose from."),
      .exponent(
        default: "0.99", "Exponent of Zipf's law over the age in objects.",
        origin: "YCSB's Zipfian constant"),
      GeneratorParameter(
        "new", .share, default: "5%", "Share of requests for a new object.",
        origin: "workload D of YCSB"),
    ],
    source: "The latest distribution of YCSB (Cooper et al., SoCC 2010).")

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.count("objects")
    let share = try setup.parameters.share("new")
    let budget = ArrivalBudget.objects(requests: setup.requests, share: share)
    return GeneratorPlan(
      keyLimit: objects + budget,
      stream: Stream(
        random: RandomStream(seed: setup.seed),
        sampler: ZipfSampler(count: objects, exponent: try setup.parameters.number("exponent")),
        threshold: RandomStream.threshold(share), count: UInt64(objects),
        limit: UInt64(objects + budget)))
  }

  private struct Stream: KeyStream {
    var random: RandomStream
    let sampler: ZipfSampler
    let threshold: UInt64
    /// Number of objects so far; those of the initial window exist from the beginning.
    var count: UInt64
    let limit: UInt64

    @inline(__always) mutating func next() -> UInt64 {
      if random.happens(threshold), count < limit {
        count &+= 1
        return count &- 1
      }
      return count &- sampler.rank(&random)
    }
  }
}
