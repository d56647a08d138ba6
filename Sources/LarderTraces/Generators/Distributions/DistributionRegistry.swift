import LarderEngine

/// What a distribution's values are.
enum DistributedQuantity {
  /// Sizes in bytes, at least 1.
  case bytes
  /// Times to live in seconds; 0 means no limit.
  case seconds
}

/// All distributions of sizes and times to live, by name.
public enum DistributionRegistry {
  /// Every distribution with its parameters, as sizes in bytes are written.
  public static let sizes: [DistributionDescription] = descriptions(for: .bytes)
  /// Every distribution with its parameters, as times to live in seconds are written.
  public static let ttls: [DistributionDescription] = descriptions(for: .seconds)

  /// The distribution that a spec asks for.
  ///
  /// - Throws: `ComponentError` for an unknown name or parameter, or a value that cannot be.
  static func distribution(
    _ spec: ComponentSpec, of quantity: DistributedQuantity
  ) throws(ComponentError) -> ValueDistribution {
    let descriptions = quantity == .bytes ? sizes : ttls
    guard let description = descriptions.first(where: { $0.name == spec.name }) else {
      let known = descriptions.map(\.name)
      let hint = spec.name.nearest(among: known).map { "did you mean '\($0)'?" }
      throw ComponentError(
        component: spec.name, parameter: nil,
        message: "unknown distribution; \(hint ?? "known are \(known.joined(separator: ", "))")")
    }
    let reader = try ParameterReader(spec, parameters: description.parameters)
    switch spec.name {
    case "constant": return .constant(try whole(reader, "value", quantity))
    case "uniform":
      let (low, high) = try bounds(reader, quantity)
      return .uniform(low: low, high: high)
    case "log-normal":
      let (low, high) = try bounds(reader, quantity)
      let median = try whole(reader, "median", quantity)
      return logNormal(
        median: Double(median), sigma: try reader.number("sigma"), low: low, high: high)
    case "pareto":
      let (low, high) = try bounds(reader, quantity)
      return .pareto(alpha: try reader.number("alpha"), low: low, high: high)
    default: return try list(reader)
    }
  }

  private static func whole(
    _ reader: ParameterReader, _ name: String, _ quantity: DistributedQuantity
  ) throws(ComponentError) -> UInt32 {
    switch quantity {
    case .bytes: UInt32(try reader.bytes(name))
    case .seconds: UInt32(try reader.seconds(name).rounded())
    }
  }

  private static func bounds(
    _ reader: ParameterReader, _ quantity: DistributedQuantity
  ) throws(ComponentError) -> (low: UInt32, high: UInt32) {
    let low = try whole(reader, "min", quantity)
    let high = try whole(reader, "max", quantity)
    guard low <= high else {
      throw reader.badValue("max", expected: "at least min (\(reader.text("min")))")
    }
    return (low, high)
  }

  private static func list(_ reader: ParameterReader) throws(ComponentError) -> ValueDistribution {
    let values = try reader.wholeList("values")
    let weights = try reader.numberList("weights")
    guard weights.isEmpty || weights.count == values.count else {
      throw reader.badValue("weights", expected: "\(values.count) weights, one per value")
    }
    let total = weights.reduce(0, +)
    guard weights.isEmpty || (total > 0 && total.isFinite) else {
      throw reader.badValue("weights", expected: "weights with a sum above 0")
    }
    let table = AliasTable(weights: weights.isEmpty ? values.map { _ in 1 } : weights)
    return .list(values: values.map { UInt32($0) }, table: table)
  }
}
