import Larder
import LarderSimulation
import LarderWorkloads

extension CacheFacts {
  /// The facts of the configurations that `cells` have, in their order; nil where all are simply
  /// Larder's caches.
  package static func all(of cells: [PlannedCell]) -> [CacheFacts]? {
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
      } else if planned.contender != ConfigurationSpec.defaultCache {
        facts.append(
          CacheFacts(
            configuration: configuration, cache: planned.contender,
            summary: ContenderRegistry.named(planned.contender)?.summary ?? ""))
      }
    }
    return facts.isEmpty ? nil : facts
  }
}
