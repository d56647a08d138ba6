import LarderEngine

/// Input of a generator's factory.
public struct GeneratorSetup: Sendable {
  /// Parameters of the generator.
  public let parameters: ParameterReader
  /// Number of records that will be drawn.
  public let requests: Int
  /// Seed of all random choices.
  public let seed: UInt64
  /// Seed of the properties of objects: size and TTL. Sources that share their objects share it.
  public let objectSeed: UInt64

  /// A whole number: a count, bytes or seconds.
  public func whole(_ name: String) throws(ComponentError) -> Int { try parameters.whole(name) }

  /// A number: any, seconds or a share.
  public func number(_ name: String) throws(ComponentError) -> Double {
    try parameters.number(name)
  }

  func sampler(of objects: Int) throws(ComponentError) -> ZipfSampler {
    ZipfSampler(count: objects, exponent: try number("exponent"))
  }

  func sizes(
    _ name: String, sigma: Double, _ bounds: ClosedRange<UInt32>
  ) throws(ComponentError) -> ValueDistribution {
    DistributionRegistry.logNormal(
      median: Double(try whole(name)), sigma: sigma, low: bounds.lowerBound,
      high: bounds.upperBound)
  }

  /// Sufficient number of new objects for requests of which each creates one with a probability, in
  /// all but one of a thousand million traces: the mean and six standard deviations.
  func arrivals(share: Double) -> Int {
    let mean = Double(requests) * share
    let spread = (mean * (1 - share)).squareRoot()
    return min(requests, Int(mean + 6 * spread) + 10)
  }
}

extension Parameter {
  static let objectsMax = 4_294_967_294

  static func objects(
    _ value: String, _ summary: String = "Number of distinct objects.", from origin: String = ""
  ) -> Parameter {
    count("objects", 1...objectsMax, value, summary, from: origin)
  }

  static func exponent(
    _ value: String, _ summary: String = "Exponent of Zipf's law; 0: all equally popular.",
    from origin: String = ""
  ) -> Parameter {
    number("exponent", 0...Double.greatestFiniteMagnitude, value, summary, from: origin)
  }

  static func count(
    _ name: String, _ range: ClosedRange<Int>, _ value: String, _ summary: String,
    from origin: String = ""
  ) -> Parameter {
    Parameter(name, .count(range), default: value, summary, origin: origin)
  }

  static func number(
    _ name: String, _ range: ClosedRange<Double>, _ value: String, _ summary: String,
    from origin: String = ""
  ) -> Parameter {
    Parameter(name, .number(range), default: value, summary, origin: origin)
  }

  static func share(
    _ name: String, _ value: String, _ summary: String, from origin: String = ""
  ) -> Parameter {
    Parameter(name, .share, default: value, summary, origin: origin)
  }

  static func time(
    _ name: String, _ range: ClosedRange<Double>, _ value: String, _ summary: String,
    from origin: String = ""
  ) -> Parameter {
    Parameter(name, .duration(range), default: value, summary, origin: origin)
  }

  static func medianSize(
    _ name: String, _ value: String, _ summary: String, least: Int = 256, from origin: String = ""
  ) -> Parameter {
    Parameter(
      name, .bytes(least...16_777_216), default: value, "Median size of \(summary).",
      origin: origin)
  }
}
