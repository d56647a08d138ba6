import LarderEngine
import LarderTraces

extension TraceSampling {
  /// A tier for a replay of the sample: with the capacity and the limit on objects that it has for
  /// the sampled ones.
  package func scaled(_ tier: TierSetup) -> TierSetup {
    var tier = tier
    tier.capacity = scaled(tier.capacity)
    tier.objectsMax = tier.objectsMax.map { scaled($0) }
    return tier
  }

  /// The same for all tiers.
  package func scaled(_ arrangement: Arrangement) -> Arrangement {
    switch arrangement {
    case .memory(let tier): .memory(scaled(tier))
    case .disk(let tier): .disk(scaled(tier))
    case .hybrid(let memory, let disk, let rules):
      .hybrid(memory: scaled(memory), disk: scaled(disk), rules: rules)
    }
  }
}

extension TraceFacts {
  /// Which part of the objects the trace has.
  package var sampling: TraceSampling { TraceSampling(rate: samplingRate ?? 1) }
}
