import LarderEngine
import LarderTraces

/// What decides whether the policies, generators and formats that a workload names exist and have
/// sensible parameters. Whatever is thrown is reported with file and line.
public struct ComponentChecks: Sendable {
  /// Refuses a policy; usually throws `PolicyError`.
  public var policy: @Sendable (PolicySpec) throws -> Void
  /// Refuses a generator with its distributions and operations; usually throws `ComponentError`.
  public var generator: @Sendable (GeneratorSpec) throws -> Void
  /// Refuses a trace format; usually throws `ComponentError`.
  public var format: @Sendable (ComponentSpec) throws -> Void

  /// Checks; see the properties for the meaning of each part.
  public init(
    policy: @escaping @Sendable (PolicySpec) throws -> Void,
    generator: @escaping @Sendable (GeneratorSpec) throws -> Void,
    format: @escaping @Sendable (ComponentSpec) throws -> Void
  ) {
    self.policy = policy
    self.generator = generator
    self.format = format
  }

  /// Lets every name and parameter pass.
  public static let none = ComponentChecks(
    policy: { _ in }, generator: { _ in }, format: { _ in })

  /// Asks the registries of this build.
  public static let registered = ComponentChecks(
    policy: { try PolicyRegistry.check($0) }, generator: { _ in }, format: { _ in })
}

extension PolicyRegistry {
  /// Refuses a policy that no file here implements, and parameters that it does not have. Whether
  /// their values make sense, the policy says when it is made.
  static func check(_ spec: PolicySpec) throws(PolicyError) {
    guard let policy = all.first(where: { $0.description.name == spec.name })?.description else {
      throw .unknownPolicy(
        spec.name, nearest: NearestName.of(spec.name, in: all.map(\.description.name)))
    }
    let known = policy.parameters.map(\.name)
    for parameter in spec.values.keys.sorted() where !known.contains(parameter) {
      throw .unknownParameter(policy: spec.name, parameter: parameter, known: known)
    }
  }
}
