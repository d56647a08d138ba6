import Larder
import LarderEngine
import LarderPolicies
import LarderTraces

/// Checks that the policies, generators, formats, caches and presets of a workload exist and have
/// valid parameters. Errors are reported with file and line.
package struct ComponentChecks: Sendable {
  /// Validates a policy; usually throws `PolicyError`.
  package var policy: @Sendable (PolicySpec) throws -> Void
  /// Validates an admission filter; usually throws `PolicyError`.
  package var admission: @Sendable (PolicySpec) throws -> Void = { _ in }
  /// Validates a generator with its distributions and operations; usually throws `ComponentError`.
  package var generator: @Sendable (GeneratorSpec) throws -> Void
  /// Validates a trace format; usually throws `ComponentError`.
  package var format: @Sendable (ComponentSpec) throws -> Void
  /// Validates a cache and its support of the kind; returns true if it runs policies.
  package var cache: @Sendable (String, ConfigurationKind) throws -> Bool = { _, _ in true }
  /// Returns the configuration of a preset.
  package var preset: @Sendable (String) throws -> ConfigurationSpec = {
    ConfigurationSpec(name: $0, kind: .memory, preset: $0)
  }

  /// Accepts all names and parameters.
  package static let none = ComponentChecks(
    policy: { _ in }, generator: { _ in }, format: { _ in })

  /// Checks against the registries of this build; see the property for `cache`.
  package static func registered(
    cache: @escaping @Sendable (String, ConfigurationKind) throws -> Bool
  ) -> ComponentChecks {
    ComponentChecks(
      policy: { try PolicyRegistry.validate($0) },
      admission: { try AdmissionRegistry.validate($0) },
      generator: { spec in
        // Creating the source validates everything that can be validated without generating.
        _ = try SourceSpec.generator(spec).makeSource(seed: 1) { reference in
          throw TraceError("expected no trace", in: reference.path)
        }
      },
      format: { spec in
        _ = try FormatRegistry.format(of: spec)?.options(spec)
      },
      cache: cache,
      preset: { name in
        guard let preset = CachePreset.named(name) else {
          throw ContenderError.unknownPreset(name, known: CachePreset.all.map(\.name))
        }
        return try ConfigurationSpec(preset: preset)
      })
  }
}

/// An invalid cache or preset of a workload.
package enum ContenderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No cache has the name.
  case unknown(String, known: [String])
  /// The cache does not support the kind.
  case kind(String, ConfigurationKind, possible: [ConfigurationKind])
  /// No preset has the name.
  case unknownPreset(String, known: [String])

  /// One-line message.
  package var description: String {
    switch self {
    case .unknown(let name, let known):
      return "unknown cache '\(name)'\(Self.hint(name, known))"
    case .kind(let name, let kind, let possible):
      let kinds = possible.map(\.rawValue).joined(separator: " or ")
      return "'\(name)' does not support the kind \(kind.rawValue); it supports \(kinds)"
    case .unknownPreset(let name, let known):
      return "unknown preset '\(name)'\(Self.hint(name, known))"
    }
  }

  private static func hint(_ name: String, _ known: [String]) -> String {
    UnknownName.hint(name, among: known, nil) + " ('larder list caches' lists them all)"
  }
}
