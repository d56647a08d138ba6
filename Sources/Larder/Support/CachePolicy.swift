public import LarderEngine

/// The policy that chooses what a full cache evicts, by name and with its parameters.
///
///     MemoryCacheConfiguration(limits: limits, policy: .s3FIFO)
///     MemoryCacheConfiguration(limits: limits, policy: .named("s3-fifo:small=0.2"))
///     MemoryCacheConfiguration(limits: limits, policy: "s3-fifo:small=0.2")
///
/// Names and parameters are those of the command line (`larder policies`) and of policies that the
/// program has added to the registry. Whether they exist is checked when a cache is made. The
/// constants are in `CachePolicy+Names.swift`; of what each does `docs/policies.md` tells more.
public struct CachePolicy: Sendable, Hashable, CustomStringConvertible {
  /// Why a policy or an admission filter cannot be used, as in `MemoryCacheError.policy`.
  public typealias Fault = PolicyError

  /// Its name with the parameters that are given, such as `s3-fifo:small=0.2`.
  public let description: String

  /// A policy by its name, which may be followed by parameters.
  public init(_ text: String) { description = text }

  /// The same, where a value is expected: `policy: .named("s3-fifo:small=0.2")`.
  public static func named(_ text: String) -> CachePolicy { CachePolicy(text) }
}

extension CachePolicy: ExpressibleByStringLiteral {
  /// A policy as a literal.
  public init(stringLiteral value: String) { self.init(value) }
}
