import LarderEngine

/// Scans through cold objects that interrupt requests to a hot set, a weakness of LRU.
enum ScanGenerator: Generator {
  static let description = GeneratorDescription(
    name: "scan",
    summary: """
      A hot set with Zipf popularity, interrupted by scans that walk through cold objects in \
      order. A policy that resists scans keeps the hot set.
      """,
    parameters: [
      .objects(default: "10k", "Objects of the hot set."),
      .exponent(default: "0.9", "Exponent of Zipf's law within the hot set."),
      Parameter(
        "cold", .count(1...Parameter.objectsMax), default: "1M",
        "Cold objects; a scan goes on where the last one stopped and begins again after the last."),
      Parameter("share", .share, default: "30%", "Share of the requests that are scans."),
      Parameter(
        "length", .count(1...1_000_000_000), default: "5k", "Requests of a scan."),
    ],
    source: """
      The pattern 2Q was made for (Johnson and Shasha, VLDB 1994); the figures are round numbers, \
      half a hot set per scan.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let hot = try setup.parameters.whole("objects")
    let cold = try setup.parameters.whole("cold")
    let share = try setup.parameters.number("share")
    let length = try setup.parameters.whole("length")
    // On average, length * (1 - share) / share requests to the hot set lie between two scans.
    let start = share / (share + Double(length) * (1 - share))
    return GeneratorPlan(
      keyLimit: hot + cold,
      stream: Stream(
        random: RandomStream(seed: setup.seed),
        sampler: ZipfSampler(count: hot, exponent: try setup.parameters.number("exponent")),
        hot: UInt64(hot), cold: UInt64(cold), length: length,
        start: RandomStream.threshold(start)))
  }

  private struct Stream: KeyStream {
    var random: RandomStream
    let sampler: ZipfSampler
    let hot: UInt64
    let cold: UInt64
    let length: Int
    let start: UInt64
    var position: UInt64 = 0
    var left = 0

    @inline(__always) mutating func next() -> UInt64 {
      if left == 0 {
        guard random.happens(start) else { return sampler.rank(&random) - 1 }
        left = length
      }
      left &-= 1
      let key = hot &+ position
      position &+= 1
      if position == cold { position = 0 }
      return key
    }
  }
}
