/// Popular objects among many that are requested only once.
enum OneHitWondersGenerator: Generator {
  static let description = GeneratorDescription(
    name: "one-hit-wonders",
    summary: """
      A share of the requests is for objects requested only once; the rest follows Zipf's law. \
      Admitting everything wastes the cache.
      """,
    parameters: [
      .objects(default: "100k", "Objects that are requested again."),
      .exponent(default: "0.9"),
      GeneratorParameter(
        "share", .share, default: "25%", "Share of the requests that are one-hit wonders.",
        origin: "a round number; on a CDN's servers about three objects in four are requested once "
          + "(Maggs and Sitaraman)"),
    ],
    source: """
      Maggs and Sitaraman, Algorithmic Nuggets in Content Delivery, ACM SIGCOMM CCR 45 (2015); \
      Yang et al., FIFO Queues are All You Need for Cache Eviction, SOSP 2023.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.count("objects")
    let share = try setup.parameters.share("share")
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
    /// Number of keys used so far.
    var count: UInt64
    let limit: UInt64

    @inline(__always) mutating func next() -> UInt64 {
      if random.happens(threshold), count < limit {
        count &+= 1
        return count &- 1
      }
      return sampler.rank(&random) - 1
    }
  }
}
