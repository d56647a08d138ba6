import Larder
public import LarderEngine
import LarderExperiments

/// The caches that a workload can name. A cache of this package is one file and one line here;
/// other programs register theirs with `add`.
public enum ContenderRegistry {
  private static let standard: [CacheContender] =
    [
      .larder,
      .foundation,
      .process,
    ] + CacheContender.servers

  private static let added = Locked<[CacheContender]>([])

  /// All caches: Larder's, the baselines, and registered ones.
  public static var all: [CacheContender] { standard + added.withLock { $0 } }

  /// Registers a cache under test.
  ///
  /// - Throws: if its name is taken.
  public static func add(_ contender: CacheContender) throws(ComponentError) {
    let isNew = added.withLock { added in
      if (standard + added).contains(where: { $0.name == contender.name }) { return false }
      added.append(contender)
      return true
    }
    if isNew { return }
    throw ComponentError(
      component: contender.name, parameter: nil,
      message: "a cache of this name is already registered")
  }

  /// The cache of a name, or nil.
  public static func named(_ name: String) -> CacheContender? { all.first { $0.name == name } }
}

extension ContenderRegistry {
  package static func checked(
    _ name: String, kind: ConfigurationKind
  ) throws(ContenderError) -> CacheContender {
    guard let contender = named(name) else { throw .unknown(name, known: all.map(\.name)) }
    guard contender.kinds.contains(kind) else {
      throw .kind(
        name, kind, possible: ConfigurationKind.allCases.filter(contender.kinds.contains))
    }
    return contender
  }
}

extension ComponentChecks {
  package static let registered = ComponentChecks.registered { name, kind in
    try ContenderRegistry.checked(name, kind: kind).runsPolicies
  }
}

extension WorkloadDecoder {
  package init() { self.init(checks: .registered) }
}

extension CacheFacts {
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
