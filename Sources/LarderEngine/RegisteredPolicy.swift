/// A policy in the registry: its description, and the ways to run it.
public struct RegisteredPolicy: Sendable {
  /// Name, parameters, needs and paper.
  public let description: PolicyDescription
}
