import ArgumentParser
import LarderSimulation
import LarderWorkloads

/// How miss-ratio curves come about.
struct SamplingOptions: ParsableArguments {
  @Option(
    help: """
      How to compute the curves: auto, exact, shards (LRU, from a sample of the objects) or \
      miniature (any policy, simulated on a sample).
      """)
  var method: String = CurveMethod.auto.rawValue

  @Option(help: "Share of the objects to sample: 0.001 or 0.1%. 1 is exact.")
  var rate: String?

  @Option(help: "Number of objects that SHARDS samples, instead of --rate.")
  var samples: Int?

  @Option(help: "Seed of the sample and of random policies.")
  var seed: UInt64 = 1

  @Flag(help: "Compare estimates with exact counts; takes as long as computing these.")
  var measureError = false

  func validate() throws {
    let names = CurveMethod.allCases.map(\.rawValue)
    guard CurveMethod(rawValue: method) != nil else {
      throw ValidationError(
        "--method expects \(names.dropLast().joined(separator: ", ")) or \(names.last ?? ""), "
          + "found '\(method)'")
    }
    if let samples {
      guard method == CurveMethod.shards.rawValue else {
        throw ValidationError("--samples requires --method shards")
      }
      guard (1...1 << 30).contains(samples) else {
        throw ValidationError("--samples expects a number of at least 1, found \(samples)")
      }
      if rate != nil {
        throw ValidationError("--samples and --rate exclude each other; use one of them")
      }
    }
    if rate != nil, method == CurveMethod.exact.rawValue {
      throw ValidationError("--rate requires --method shards, miniature or auto")
    }
  }

  /// Puts the options into the settings.
  func apply(to settings: inout CurveSettings) throws {
    settings.method = CurveMethod(rawValue: method) ?? .auto
    settings.samples = samples
    settings.seed = seed
    settings.measuresError = measureError
    guard let rate else { return }
    let value = Share(parsing: rate).map { Double($0.billionths) / 1e9 } ?? Double(rate)
    guard let value, value > 0, value <= 1 else {
      throw UsageError("--rate '\(rate)': expected a share of the objects such as 0.001 or 0.1%")
    }
    settings.rate = value
  }
}
