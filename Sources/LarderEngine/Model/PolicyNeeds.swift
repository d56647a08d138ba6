/// The knowledge without which a policy is not itself.
///
/// Without it a policy still runs: sizes and costs count as 1, and nothing ever expires. Only the
/// future and a library cannot be made up: `nextUse` and `boosting` must be there for a policy that
/// needs them.
public struct PolicyNeeds: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// A set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The object's size.
  public static let size = PolicyNeeds(rawValue: 1)
  /// When the object is requested next: possible only where the whole trace is known.
  public static let nextUse = PolicyNeeds(rawValue: 2)
  /// When the entry expires.
  public static let ttl = PolicyNeeds(rawValue: 4)
  /// What a fetch costs.
  public static let cost = PolicyNeeds(rawValue: 8)
  /// A library that trains models: without it the policy cannot be made. See `GradientBoosting`.
  public static let boosting = PolicyNeeds(rawValue: 16)

  /// The names of the needs in the set, as `larder policies` prints them.
  public var names: [String] {
    var names: [String] = []
    if contains(.size) { names.append("size") }
    if contains(.nextUse) { names.append("next use") }
    if contains(.ttl) { names.append("ttl") }
    if contains(.cost) { names.append("cost") }
    if contains(.boosting) { names.append("LightGBM") }
    return names
  }
}
