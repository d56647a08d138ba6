import Larder
import LarderEngine
import LarderTraces

/// What decides whether the policies, generators, formats, caches and presets that a workload names
/// exist and have sensible parameters. Whatever is thrown is reported with file and line.
package struct ComponentChecks: Sendable {
  /// Refuses a policy; usually throws `PolicyError`.
  package var policy: @Sendable (PolicySpec) throws -> Void
  /// Refuses an admission filter; usually throws `PolicyError`.
  package var admission: @Sendable (PolicySpec) throws -> Void = { _ in }
  /// Refuses a generator with its distributions and operations; usually throws `ComponentError`.
  package var generator: @Sendable (GeneratorSpec) throws -> Void
  /// Refuses a trace format; usually throws `ComponentError`.
  package var format: @Sendable (ComponentSpec) throws -> Void
  /// Refuses a cache, or one that cannot have the shape; tells whether it runs policies.
  package var cache: @Sendable (String, ConfigurationKind) throws -> Bool = { _, _ in true }
  /// The configuration that a preset stands for.
  package var preset: @Sendable (String) throws -> ConfigurationSpec = {
    ConfigurationSpec(name: $0, kind: .memory, preset: $0)
  }

  /// Lets every name and parameter pass.
  package static let none = ComponentChecks(
    policy: { _ in }, generator: { _ in }, format: { _ in })

  /// Asks the registries of this build; `cache` is as the property.
  package static func registered(
    cache: @escaping @Sendable (String, ConfigurationKind) throws -> Bool
  ) -> ComponentChecks {
    ComponentChecks(
      policy: { try PolicyRegistry.validate($0) },
      admission: { try AdmissionRegistry.validate($0) },
      generator: { spec in
        // Making the source reads and checks everything that can be without generating.
        _ = try SourceSpec.generator(spec).makeSource(seed: 1) { reference in
          throw TraceError("expected no trace", in: reference.path)
        }
      },
      format: { spec in
        let format = try FormatRegistry.format(named: spec.name)
        _ = try FormatOptions(spec, of: format.description)
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

/// Why a workload cannot have the cache or preset that it names.
package enum ContenderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No cache has the name.
  case unknown(String, known: [String])
  /// The cache cannot have the shape.
  case kind(String, ConfigurationKind, possible: [ConfigurationKind])
  /// No preset has the name.
  case unknownPreset(String, known: [String])

  /// One line for a person.
  package var description: String {
    switch self {
    case .unknown(let name, let known):
      return "unknown cache '\(name)'\(Self.hint(name, known))"
    case .kind(let name, let kind, let possible):
      let kinds = possible.map(\.rawValue).joined(separator: " or ")
      return "'\(name)' cannot be a \(kind.rawValue) cache; it can be \(kinds)"
    case .unknownPreset(let name, let known):
      return "unknown preset '\(name)'\(Self.hint(name, known))"
    }
  }

  private static func hint(_ name: String, _ known: [String]) -> String {
    let nearest = name.nearest(among: known).map { "; did you mean '\($0)'?" } ?? ""
    return "\(nearest) ('larder list caches' lists them all)"
  }
}
