import Larder
import LarderEngine
import LarderExperiments

/// The caches that a workload can name. Adding one is one file and one line here; a program with
/// caches of its own adds them with `add`.
public enum ContenderRegistry {
  private static let standard: [CacheContender] = [
    .larder,
    .foundation,
    .textbookLRU,
    .plainFiles,
    .rawSQLite,
    .process,
  ]

  private static let added = Locked<[CacheContender]>([])

  /// All of them: ours, the baselines, and what was added.
  public static var all: [CacheContender] { standard + added.withLock { $0 } }

  /// Adds a contender, in place of one of the same name that was added before.
  public static func add(_ contender: CacheContender) {
    added.withLock { added in
      added.removeAll { $0.name == contender.name }
      added.append(contender)
    }
  }

  /// The contender of a name, or nil.
  public static func named(_ name: String) -> CacheContender? {
    all.last { $0.name == name }
  }
}

extension ContenderRegistry {
  /// The contender of a name, if it can have the shape.
  ///
  /// - Throws: `ContenderError` when there is none, or it cannot.
  package static func checked(
    _ name: String, kind: ConfigurationKind
  ) throws(ContenderError) -> CacheContender {
    guard let contender = named(name) else {
      throw .unknown(name, known: all.map(\.name))
    }
    guard contender.kinds.contains(kind) else {
      throw .kind(
        name, kind, possible: ConfigurationKind.allCases.filter(contender.kinds.contains))
    }
    return contender
  }
}

extension ComponentChecks {
  /// Asks the registries of this build, that of caches among them.
  package static let registered = ComponentChecks.registered { name, kind in
    try ContenderRegistry.checked(name, kind: kind).runsPolicies
  }
}

extension WorkloadDecoder {
  /// A decoder that knows the components of this build.
  package init() { self.init(checks: .registered) }
}

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
