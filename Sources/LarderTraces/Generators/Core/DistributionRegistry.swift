import LarderEngine

enum DistributedQuantity {
  /// Sizes in bytes, at least 1.
  case bytes
  /// TTLs in seconds; 0 means no limit.
  case seconds
}

package enum DistributionRegistry {
  package static let sizes: [DistributionDescription] = descriptions(for: .bytes)
  package static let ttls: [DistributionDescription] = descriptions(for: .seconds)

  static func distribution(
    _ spec: ComponentSpec, of quantity: DistributedQuantity
  ) throws(ComponentError) -> ValueDistribution {
    let descriptions = quantity == .bytes ? sizes : ttls
    guard let description = descriptions.first(where: { $0.name == spec.name }) else {
      let hint = UnknownName.hint(spec.name, among: descriptions.map(\.name))
      throw ComponentError(
        component: spec.name, parameter: nil, message: "unknown distribution\(hint)")
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
    case .bytes: UInt32(try reader.whole(name))
    case .seconds: UInt32(try reader.number(name).rounded())
    }
  }

  private static func bounds(
    _ reader: ParameterReader, _ quantity: DistributedQuantity
  ) throws(ComponentError) -> (low: UInt32, high: UInt32) {
    let low = try whole(reader, "min", quantity)
    let high = try whole(reader, "max", quantity)
    guard low <= high else {
      throw reader.wrong("max", expected: "at least min (\(reader.text("min") ?? "\(low)"))")
    }
    return (low, high)
  }

  private static func list(_ reader: ParameterReader) throws(ComponentError) -> ValueDistribution {
    let values = try reader.wholeList("values")
    let weights = try reader.numberList("weights")
    guard weights.isEmpty || weights.count == values.count else {
      throw reader.wrong("weights", expected: "\(values.count) weights, one per value")
    }
    let total = weights.reduce(0, +)
    guard weights.isEmpty || (total > 0 && total.isFinite) else {
      throw reader.wrong("weights", expected: "weights with a sum above 0")
    }
    let table = AliasTable(weights: weights.isEmpty ? values.map { _ in 1 } : weights)
    return .list(values: values.map { UInt32($0) }, table: table)
  }
}

/// A distribution of sizes in bytes or TTLs in seconds. A value is drawn from 64 bits, which come
/// from the object's key, so that an object always has the same value.
enum ValueDistribution: Sendable {
  case constant(UInt32)
  case uniform(low: UInt32, high: UInt32)
  /// The logarithm is normal; values outside `low ... high` are moved to the nearer bound.
  case logNormal(logMedian: Double, sigma: Double, low: UInt32, high: UInt32)
  /// Bounded Pareto: P(X > x) falls as x^-alpha between `low` and `high`.
  case pareto(alpha: Double, low: UInt32, high: UInt32)
  case list(values: [UInt32], table: AliasTable)

  func value(_ bits: UInt64) -> UInt32 {
    switch self {
    case .constant(let value): return value
    case .uniform(let low, let high):
      return low + UInt32(bits.multipliedFullWidth(by: UInt64(high - low) + 1).high)
    case .logNormal(let logMedian, let sigma, let low, let high):
      // The middle of a step, never 0 or 1.
      let z = DeterministicMath.normalQuantile(RandomStream.unit(bits) + 0x1p-54)
      return Self.whole(DeterministicMath.exp(logMedian + sigma * z), low, high)
    case .pareto(let alpha, let low, let high):
      let ratio = DeterministicMath.pow(Double(low) / Double(high), alpha)
      let rest = 1 - RandomStream.unit(bits) * (1 - ratio)
      return Self.whole(Double(low) / DeterministicMath.pow(rest, 1 / alpha), low, high)
    case .list(let values, let table): return values[table.index(bits)]
    }
  }

  var constantValue: UInt32? { if case .constant(let value) = self { value } else { nil } }

  private static func whole(_ value: Double, _ low: UInt32, _ high: UInt32) -> UInt32 {
    UInt32(min(max(value.rounded(), Double(low)), Double(high)))
  }
}

/// Values of a distribution by object: drawn from the key and the seed, so that the order and
/// number of requests do not matter. Values that cost more than a memory access are kept in a
/// table.
struct ObjectValues {
  private let distribution: ValueDistribution
  private let seed: UInt64
  /// Drawn values by key; 0 if not drawn yet. Empty without a table.
  private var drawn: [UInt32]

  /// Maximum number of objects with a table, of 128 MiB; above it, values are computed each time.
  private static let tableMax = 1 << 25

  init(_ distribution: ValueDistribution, keyLimit: Int?, seed: UInt64) {
    self.distribution = distribution
    self.seed = seed
    let wantsTable =
      switch distribution {
      case .constant, .uniform: false
      default: true
      }
    let size = wantsTable ? keyLimit ?? .max : .max
    drawn = size <= Self.tableMax ? [UInt32](repeating: 0, count: size) : []
  }

  mutating func fillSizes(of records: UnsafeMutableBufferPointer<TraceRecord>) {
    each(records) { $0.size = $1 }
  }

  mutating func fillTTLs(of records: UnsafeMutableBufferPointer<TraceRecord>) {
    each(records) { $0.ttl = $1 }
  }

  @inline(__always) mutating func value(of key: UInt64) -> UInt32 {
    if drawn.isEmpty { return distribution.value(RandomStream.derived(seed, key)) }
    let place = Int(truncatingIfNeeded: key)
    var value = drawn[place]
    if value == 0 {
      value = distribution.value(RandomStream.derived(seed, key))
      drawn[place] = value
    }
    return value
  }

  @inline(__always) private mutating func each(
    _ records: UnsafeMutableBufferPointer<TraceRecord>,
    _ store: (inout TraceRecord, UInt32) -> Void
  ) {
    if let constant = distribution.constantValue {
      for index in records.indices { store(&records[index], constant) }
    } else {
      for index in records.indices { store(&records[index], value(of: records[index].key)) }
    }
  }
}

package struct DistributionDescription: Sendable {
  package let name: String
  package let summary: String
  package let parameters: [Parameter]
}

extension DistributionRegistry {
  static func logNormal(
    median: Double, sigma: Double, low: UInt32, high: UInt32
  ) -> ValueDistribution {
    .logNormal(logMedian: DeterministicMath.log(median), sigma: sigma, low: low, high: high)
  }

  static func descriptions(for quantity: DistributedQuantity) -> [DistributionDescription] {
    let isSize = quantity == .bytes
    func kind(from least: Int) -> ParameterKind {
      isSize ? .bytes(1...4_294_967_295) : .duration(Double(least)...3_153_600_000)
    }
    func bound(_ name: String, _ size: String, _ ttl: String, _ summary: String) -> Parameter {
      Parameter(
        name, kind(from: name == "value" ? 0 : 1), default: isSize ? size : ttl, summary)
    }
    func bounds(_ sizes: (String, String), _ ttls: (String, String)) -> [Parameter] {
      [
        bound("min", sizes.0, ttls.0, "The smallest value."),
        bound("max", sizes.1, ttls.1, "The largest value."),
      ]
    }
    return [
      DistributionDescription(
        name: "constant", summary: "Constant.",
        parameters: [bound("value", "1KiB", "1d", "The value.")]),
      DistributionDescription(
        name: "uniform", summary: "Every whole number between the bounds equally likely.",
        parameters: bounds(("1KiB", "64KiB"), ("1m", "1d"))),
      DistributionDescription(
        name: "log-normal",
        summary: "The logarithm is normal. Values outside the bounds are clamped to them.",
        parameters: [
          bound("median", "8KiB", "1h", "Half of the objects are below this."),
          .number("sigma", 0...20, "1.2", "Standard deviation of the natural logarithm."),
        ] + bounds(("1", "1GiB"), ("1", "365d"))),
      DistributionDescription(
        name: "pareto",
        summary: "Bounded Pareto: the share above x falls as x^-alpha between the bounds.",
        parameters: [
          .number("alpha", 0.01...100, "1.2", "Tail exponent: large values are rarer if larger.")
        ] + bounds(("1KiB", "100MiB"), ("1m", "30d"))),
      DistributionDescription(
        name: "list", summary: "One of the values given, by weight.",
        parameters: [
          Parameter("values", .list(kind(from: 0)), default: nil, "The values."),
          Parameter(
            "weights", .list(.number(0...1e15)), default: "",
            "A weight for each value; equal by default."),
        ]),
    ]
  }
}
