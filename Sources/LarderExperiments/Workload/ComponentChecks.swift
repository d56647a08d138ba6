import Larder
import LarderEngine
import LarderPolicies
import LarderTraces

/// Checks that the policies, generators, formats, caches and presets of a workload exist and have
/// valid parameters.
package struct ComponentChecks: Sendable {
  package var policy: @Sendable (PolicySpec) throws -> Void
  package var admission: @Sendable (PolicySpec) throws -> Void = { _ in }
  package var generator: @Sendable (GeneratorSpec) throws -> Void
  package var format: @Sendable (ComponentSpec) throws -> Void
  package var cache: @Sendable (String, ConfigurationKind) throws -> Bool = { _, _ in true }
  package var preset: @Sendable (String) throws -> ConfigurationSpec = {
    ConfigurationSpec(name: $0, kind: .memory, preset: $0)
  }

  package static let none = ComponentChecks(
    policy: { _ in }, generator: { _ in }, format: { _ in })

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

package enum ContenderError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknown(String, known: [String])
  case kind(String, ConfigurationKind, possible: [ConfigurationKind])
  case unknownPreset(String, known: [String])

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
