import LarderEngine

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
      Parameter(
        "share", .share, default: "25%", "Share of the requests that are one-hit wonders.",
        origin: "a round number; on a CDN's servers about three objects in four are requested once "
          + "(Maggs and Sitaraman)"),
    ],
    source: """
      Maggs and Sitaraman, Algorithmic Nuggets in Content Delivery, ACM SIGCOMM CCR 45 (2015); \
      Yang et al., FIFO Queues are All You Need for Cache Eviction, SOSP 2023.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    try ArrivalStream.plan(setup, share: "share", ranksNewest: false)
  }
}
