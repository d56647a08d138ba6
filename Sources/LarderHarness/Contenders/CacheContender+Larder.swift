import LarderEngine
import LarderWorkloads

extension CacheContender {
  /// Larder's own caches: `MemoryCache`, `DiskCache` and `HybridCache`.
  static let larder = CacheContender(
    name: ConfigurationSpec.defaultCache,
    summary: "Larder's caches, which count what the simulation counts",
    kinds: [.memory, .disk, .hybrid], runsPolicies: true
  ) { setup in
    switch setup.simulation.arrangement {
    case .memory(let tier): return try LarderMemory(tier, setup)
    case .disk(let tier): return try LarderDisk(tier, setup)
    case .hybrid(let memory, let disk, let rules):
      return try LarderHybrid(memory: memory, disk: disk, rules: rules, setup)
    }
  }
}
