import LarderEngine

extension CacheContender {
  /// Larder's own caches: `MemoryCache` and `DiskCache`.
  static let larder = CacheContender(
    name: ContenderRegistry.defaultName,
    summary: "Larder's own caches, which do what the simulation does",
    kinds: [.memory, .disk], runsPolicies: true
  ) { setup in
    switch setup.simulation.arrangement {
    case .memory(let tier): return try LarderMemory(tier, setup)
    case .disk(let tier): return try LarderDisk(tier, setup)
    case .hybrid: throw ExecutionError.kind(cache: ContenderRegistry.defaultName, kind: .hybrid)
    }
  }
}
