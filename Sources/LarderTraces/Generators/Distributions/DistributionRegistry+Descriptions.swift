import LarderEngine

/// What a distribution says of itself.
public struct DistributionDescription: Sendable {
  /// The name users type, such as `log-normal`.
  public let name: String
  /// The shape, in a sentence.
  public let summary: String
  /// The parameters that may follow the name.
  public let parameters: [GeneratorParameter]
}

extension DistributionRegistry {
  /// A log-normal distribution from its median.
  static func logNormal(
    median: Double, sigma: Double, low: UInt32, high: UInt32
  ) -> ValueDistribution {
    .logNormal(logMedian: DeterministicMath.log(median), sigma: sigma, low: low, high: high)
  }

  static func descriptions(for quantity: DistributedQuantity) -> [DistributionDescription] {
    let isSize = quantity == .bytes
    let least = isSize ? 1 : 0
    let most = isSize ? 4_294_967_295 : 3_153_600_000
    func kind(from low: Int) -> ParameterKind {
      isSize ? .bytes(low...most) : .duration(Double(low)...Double(most))
    }
    func bound(_ name: String, _ text: String, _ summary: String) -> GeneratorParameter {
      GeneratorParameter(name, kind(from: name == "value" ? least : 1), default: text, summary)
    }
    let low = bound("min", isSize ? "1" : "1", "The smallest value.")
    let high = bound("max", isSize ? "1GiB" : "365d", "The largest value.")
    return [
      DistributionDescription(
        name: "constant", summary: "The same for every object.",
        parameters: [bound("value", isSize ? "1KiB" : "1d", "The value.")]),
      DistributionDescription(
        name: "uniform", summary: "Every whole number between the bounds equally likely.",
        parameters: [
          bound("min", isSize ? "1KiB" : "1m", "The smallest value."),
          bound("max", isSize ? "64KiB" : "1d", "The largest value."),
        ]),
      DistributionDescription(
        name: "log-normal",
        summary: "The logarithm is normal. Values outside the bounds are clamped to them.",
        parameters: [
          bound("median", isSize ? "8KiB" : "1h", "Half of the objects are below this."),
          GeneratorParameter(
            "sigma", .number(0...20), default: "1.2",
            "Standard deviation of the natural logarithm."),
          low, high,
        ]),
      DistributionDescription(
        name: "pareto",
        summary: "Bounded Pareto: the share above x falls as x^-alpha between the bounds.",
        parameters: [
          GeneratorParameter(
            "alpha", .number(0.01...100), default: "1.2",
            "Tail exponent: the larger, the rarer large values are."),
          bound("min", isSize ? "1KiB" : "1m", "The smallest value."),
          bound("max", isSize ? "100MiB" : "30d", "The largest value."),
        ]),
      DistributionDescription(
        name: "list", summary: "One of the values given, by weight.",
        parameters: [
          GeneratorParameter("values", .list(kind(from: least)), default: nil, "The values."),
          GeneratorParameter(
            "weights", .list(.number(0...1e15)), default: "",
            "A weight for each value; equal by default."),
        ]),
    ]
  }
}
