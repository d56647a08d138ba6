import ArgumentParser
import LarderSimulation
import LarderWorkloads

/// How miss-ratio curves come about.
struct SamplingOptions: ParsableArguments {
  @Option(
    help: """
      auto, exact, shards (LRU from a sample of the objects) or miniature (any policy, simulated \
      on a sample).
      """)
  var method: String = CurveMethod.auto.rawValue

  @Option(help: "The share of the objects to sample: 0.001 or 0.1%. 1 is exact.")
  var rate: String?

  @Option(help: "Let SHARDS keep this many objects, whatever the trace has, in place of --rate.")
  var samples: Int?

  @Option(help: "Chooses the sample, and seeds random policies.")
  var seed: UInt64 = 1

  @Flag(help: "Compare estimates with exact counts, which takes as long as those.")
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
        throw ValidationError("--samples belongs to --method shards")
      }
      guard (1...1 << 30).contains(samples) else {
        throw ValidationError("--samples expects a number of at least 1, found \(samples)")
      }
      if rate != nil {
        throw ValidationError("--samples and --rate exclude each other: give one of them")
      }
    }
    if rate != nil, method == CurveMethod.exact.rawValue {
      throw ValidationError("--rate belongs to --method shards, miniature or auto")
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
