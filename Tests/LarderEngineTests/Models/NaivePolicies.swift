import LarderEngine

/// The models by the names that users type.
enum NaivePolicies {
  /// Every name that `make` knows.
  static let names = [
    "fifo", "lru", "mru", "lfu", "clock", "sieve", "slru", "s3-fifo", "ttl", "cost", "gdsf",
    "belady", "2q", "arc", "car", "lirs", "lfuda", "greedydual",
  ]

  /// Specs that exercise every parameter; the plain name is always the first.
  static func specs(of name: String) -> [String] {
    switch name {
    case "clock": ["clock", "clock:bits=2", "clock:bits=3"]
    case "slru":
      [
        "slru", "slru:fill=true", "slru:segments=2", "slru:segments=3:fill=true", "slru:segments=5",
      ]
    case "s3-fifo":
      [
        "s3-fifo", "s3-fifo:small=0.3", "s3-fifo:ghost=0", "s3-fifo:small=0.5:ghost=2",
        "s3-fifo:small=0.25:ghost=0.5",
      ]
    case "2q": ["2q", "2q:in=0.5", "2q:in=0.1:ghost=2", "2q:ghost=0"]
    case "lirs": ["lirs", "lirs:hir=0.3", "lirs:hir=0.2:stack=0.5", "lirs:stack=2"]
    default: [name]
    }
  }

  /// The model of a policy, or nil when it has none (`random`).
  static func make(_ spec: PolicySpec, capacity: UInt64) throws -> (any NaivePolicy)? {
    switch spec.name {
    case "fifo": return NaiveFIFO()
    case "lru": return NaiveLRU()
    case "mru": return NaiveMRU()
    case "lfu": return NaiveLFU()
    case "clock": return NaiveClock(bits: try spec.integer("bits", default: 1, in: 1...8))
    case "sieve": return NaiveSieve()
    case "slru":
      return NaiveSLRU(
        capacity: capacity, segments: try spec.integer("segments", default: 4, in: 1...64),
        fill: try spec.flag("fill", default: false))
    case "s3-fifo":
      return NaiveS3FIFO(
        capacity: capacity, small: try spec.number("small", default: 0.1, in: 0...1),
        ghost: try spec.number("ghost", default: 0.9, in: 0...10))
    case "ttl": return NaiveTTL()
    case "cost": return NaiveGDSF(countsRequests: false)
    case "gdsf": return NaiveGDSF(countsRequests: true)
    case "belady": return NaiveBelady()
    case "2q":
      return NaiveTwoQ(
        capacity: capacity, in: try spec.number("in", default: 0.25, in: 0...1),
        ghost: try spec.number("ghost", default: 0.5, in: 0...10))
    case "arc": return NaiveARC(capacity: capacity)
    case "car": return NaiveCAR(capacity: capacity)
    case "lirs":
      return NaiveLIRS(
        capacity: capacity, hir: try spec.number("hir", default: 0.01, in: 0...1),
        stack: try spec.number("stack", default: 0, in: 0...100))
    case "lfuda": return NaiveLFUDA()
    case "greedydual": return NaiveGreedyDual()
    default: return nil
    }
  }
}
