import LarderEngine

/// Zipf-distributed popularity with independent requests.
enum ZipfGenerator: Generator {
  static let description = GeneratorDescription(
    name: "zipf",
    summary: """
      Independent requests; the object of rank k is requested in proportion to 1 / k^exponent. \
      Exact for every exponent.
      """,
    parameters: [
      .objects(default: "1M"),
      .exponent(default: "1.0"),
      Parameter(
        "scatter", .flag, default: "false",
        "Spread popular objects over the keys; otherwise key 0 is the most popular."),
    ],
    source: """
      Breslau et al., Web Caching and Zipf-like Distributions, INFOCOM 1999: web exponents 0.64 to \
      0.83; 1.0 is Zipf's original law.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.whole("objects")
    let sampler = ZipfSampler(count: objects, exponent: try setup.parameters.number("exponent"))
    let random = RandomStream(seed: setup.seed)
    if try setup.parameters.flag("scatter") == true {
      return GeneratorPlan(
        keyLimit: objects,
        stream: Scattered(
          random: random, sampler: sampler,
          permutation: Permutation(count: objects, seed: setup.objectSeed)))
    }
    return GeneratorPlan(keyLimit: objects, stream: Ranked(random: random, sampler: sampler))
  }

  private struct Ranked: KeyStream {
    var random: RandomStream
    let sampler: ZipfSampler

    @inline(__always) mutating func next() -> UInt64 { sampler.rank(&random) - 1 }
  }

  private struct Scattered: KeyStream {
    var random: RandomStream
    let sampler: ZipfSampler
    let permutation: Permutation

    @inline(__always) mutating func next() -> UInt64 { permutation(sampler.rank(&random) - 1) }
  }
}
