import LarderEngine

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
      Parameter(
        "new", .share, default: "5%", "Share of requests for a new object.",
        origin: "workload D of YCSB"),
    ],
    source: "The latest distribution of YCSB (Cooper et al., SoCC 2010).")

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    try ArrivalStream.plan(setup, share: "new", ranksNewest: true)
  }
}
