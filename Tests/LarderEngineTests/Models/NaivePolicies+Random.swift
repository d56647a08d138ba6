import LarderEngine

/// The models of policies that draw random numbers, in the same order as the engine.
extension NaivePolicies {
  static let randomNames = [
    "random", "hyperbolic", "lhd", "lecar", "cacheus", "redis-lru", "redis-lfu",
  ]

  static func randomSpecs(of name: String) -> [String] {
    switch name {
    case "hyperbolic": ["hyperbolic", "hyperbolic:samples=3", "hyperbolic:size=true:samples=8"]
    case "lhd": ["lhd", "lhd:samples=3:period=2000"]
    case "lecar": ["lecar", "lecar:rate=2:discount=0.5", "lecar:ghost=2"]
    case "cacheus": ["cacheus", "cacheus:ghost=2"]
    case "redis-lru":
      [
        "redis-lru", "redis-lru:samples=2:pool=3:resolution=10:memory=values",
        "redis-lru:clock=requests:rate=2:memory=values", "redis-lru:empty=0",
      ]
    case "redis-lfu":
      [
        "redis-lfu",
        "redis-lfu:samples=2:pool=3:log-factor=0:clock=requests:rate=1:memory=values",
        "redis-lfu:decay=0:memory=values", "redis-lfu:log-factor=1:decay=2:memory=values",
      ]
    default: [name]
    }
  }

  /// Returns the model of a policy, or nil if this family has none.
  static func makeRandom(
    _ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit, seed: UInt64
  ) throws -> (any NaivePolicy)? {
    switch spec.name {
    case "auto":
      // Its portfolio may draw random numbers.
      return try NaiveAuto(
        PolicySetup(capacity: capacity, unit: unit, objects: 0, seed: seed, spec: spec))
    case "random": return NaiveRandom(random: SeededGenerator(seed: seed))
    case "hyperbolic":
      return NaiveHyperbolic(
        samples: try spec.integer("samples", default: 64, in: 1...1024),
        dividesBySize: try spec.flag("size", default: false), seed: seed)
    case "lhd":
      return NaiveLHD(
        capacity: capacity, samples: try spec.integer("samples", default: 32, in: 1...256),
        period: try spec.integer("period", default: 1 << 20, in: 1...(1 << 40)), seed: seed)
    case "lecar":
      return NaiveLeCaR(
        size: NaiveCacheSize(capacity, unit),
        rate: try spec.number("rate", default: 0.45, in: 0...10),
        discount: try spec.number("discount", default: 0.005, in: 0...1),
        ghostShare: try spec.number("ghost", default: 0.5, in: 0...100), seed: seed)
    case "cacheus":
      return NaiveCacheus(
        capacity: capacity, unit: unit,
        ghostShare: try spec.number("ghost", default: 0.5, in: 0...100), seed: seed)
    case "redis-lru", "redis-lfu":
      return NaiveRedis(spec, seed: seed, capacity: capacity, unit: unit)
    default: return nil
    }
  }
}
