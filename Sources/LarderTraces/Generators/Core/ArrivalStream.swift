import LarderEngine

/// Maximum number of new objects of a generator, which bounds its keys.
enum ArrivalBudget {
  /// Sufficient number for requests of which each creates an object with the given probability, in
  /// all but one of a thousand million traces: the mean and six standard deviations.
  static func objects(requests: Int, share: Double) -> Int {
    let mean = Double(requests) * share
    let spread = (mean * (1 - share)).squareRoot()
    return min(requests, Int(mean + 6 * spread) + 10)
  }
}

/// Requests by Zipf's law, of which a share is for objects that are requested for the first time.
struct ArrivalStream: KeyStream {
  private var random: RandomStream
  private let sampler: ZipfSampler
  private let threshold: UInt64
  /// Number of objects so far; those of the law exist from the beginning.
  private var count: UInt64
  private let limit: UInt64
  /// True if the newest objects are the most popular, false if they are not requested again.
  private let ranksNewest: Bool

  /// The plan of a generator with the parameters `objects`, `exponent` and, called `share`, that of
  /// new objects.
  static func plan(
    _ setup: GeneratorSetup, share name: String, ranksNewest: Bool
  ) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.whole("objects")
    let share = try setup.parameters.number(name)
    let limit = objects + ArrivalBudget.objects(requests: setup.requests, share: share)
    return GeneratorPlan(
      keyLimit: limit,
      stream: ArrivalStream(
        random: RandomStream(seed: setup.seed),
        sampler: ZipfSampler(count: objects, exponent: try setup.parameters.number("exponent")),
        threshold: RandomStream.threshold(share), count: UInt64(objects), limit: UInt64(limit),
        ranksNewest: ranksNewest))
  }

  @inline(__always) mutating func next() -> UInt64 {
    if random.happens(threshold), count < limit {
      count &+= 1
      return count &- 1
    }
    let rank = sampler.rank(&random)
    return ranksNewest ? count &- rank : rank - 1
  }
}

extension Parameter {
  /// Maximum number of objects that a prepared trace can number.
  static let objectsMax = 4_294_967_294

  static func objects(
    default value: String, _ summary: String = "Number of distinct objects.", origin: String = ""
  ) -> Parameter {
    Parameter("objects", .count(1...objectsMax), default: value, summary, origin: origin)
  }

  static func exponent(
    default value: String,
    _ summary: String = "Exponent of Zipf's law; 0 makes all objects equally popular.",
    origin: String = ""
  ) -> Parameter {
    Parameter(
      "exponent", .number(0...Double.greatestFiniteMagnitude), default: value, summary,
      origin: origin)
  }
}
