import Larder

/// What a report says of a configuration whose cache is a preset, or not Larder's own.
public struct CacheFacts: Sendable, Hashable, Codable {
  /// The configuration's name.
  public var configuration: String
  /// The cache that is executed: see `ContenderRegistry`.
  public var cache: String
  /// The preset, nil for none.
  public var preset: String?
  /// What it is or models, and where it differs.
  public var summary: String
  /// A preset's limits in words; nil where the sweep sets them.
  public var limits: String?

  /// The facts.
  public init(
    configuration: String, cache: String, preset: String? = nil, summary: String,
    limits: String? = nil
  ) {
    self.configuration = configuration
    self.cache = cache
    self.preset = preset
    self.summary = summary
    self.limits = limits
  }
}

extension CacheFacts {
  /// The facts of the configurations that `cells` have, in their order; nil where all are simply
  /// Larder's caches.
  public static func all(of cells: [PlannedCell]) -> [CacheFacts]? {
    var facts: [CacheFacts] = []
    for planned in cells {
      let configuration = planned.cell.configuration
      guard !facts.contains(where: { $0.configuration == configuration }) else { continue }
      if let preset = planned.preset.flatMap(CachePreset.named) {
        facts.append(
          CacheFacts(
            configuration: configuration, cache: planned.contender, preset: preset.name,
            summary:
              "\(preset.summary). Models: \(preset.models) Differences: \(preset.differences)",
            limits: planned.setup.limits))
      } else if planned.contender != ContenderRegistry.defaultName {
        facts.append(
          CacheFacts(
            configuration: configuration, cache: planned.contender,
            summary: ContenderRegistry.named(planned.contender)?.summary ?? ""))
      }
    }
    return facts.isEmpty ? nil : facts
  }
}
