import LarderEngine

/// The models by the names that users type.
enum NaivePolicies {
  static let names =
    [
      "fifo", "lru", "mru", "lru-mad", "la-cache", "lfu", "clock", "sieve", "slru", "s3-fifo",
      "ttl", "cost",
      "gdsf",
      "belady", "2q", "arc", "car", "lirs", "lfuda", "greedydual",
      "qd-lp", "lru-k", "mq", "clock-pro",
      "tinylfu", "w-tinylfu", "belady-size", "s4-fifo", "clock2q-plus", "tinyufo", "auto",
    ] + NaiveServers.names + randomNames

  static func specs(of name: String) -> [String] {
    switch name {
    case "clock": ["clock", "clock:bits=2", "clock:bits=3"]
    case "la-cache":
      [
        "la-cache", "la-cache:history=0.5", "la-cache:history=2", "la-cache:admission=all",
        "la-cache:admission=all:history=1",
      ]
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
    case "qd-lp": ["qd-lp", "qd-lp:small=0.4", "qd-lp:small=0.25:ghost=0.5", "qd-lp:ghost=2"]
    case "lru-k":
      [
        "lru-k", "lru-k:k=1", "lru-k:k=3:history=1", "lru-k:history=0.5",
      ]
    case "mq": ["mq", "mq:queues=3:life=0.5", "mq:queues=1:ghost=0", "mq:ghost=0.5:life=1"]
    case "tinylfu": ["tinylfu"]
    case "w-tinylfu":
      [
        "w-tinylfu", "w-tinylfu:window=0.3", "w-tinylfu:window=0.2:protected=0.5",
        "w-tinylfu:window=adaptive",
      ]
    case "s4-fifo":
      [
        "s4-fifo", "s4-fifo:small=0.3:skip=0.25", "s4-fifo:refuse-large=false:skip=0.5",
        "s4-fifo:small=0.5:threshold=1:ghost=3", "s4-fifo:small=0.4:threshold=3:ghost-to-main=1",
      ]
    case "clock2q-plus":
      [
        "clock2q-plus", "clock2q-plus:small=0.3", "clock2q-plus:refuse-large=false:window=0",
        "clock2q-plus:small=0.6:threshold=2:ghost=2:window=0.29",
      ]
    case "tinyufo": ["tinyufo", "tinyufo:counters=exact"]
    case "auto":
      [
        "auto", "auto:shadow=3:epoch=0.01:margin=0:half-life=1",
        "auto:policies=mru/lru/gdsf/s4-fifo:shadow=20:margin=0",
        "auto:policies=w-tinylfu/lirs(hir=0.3)/mq(queues=3;life=0.5)/arc:shadow=2:margin=0.001",
        "auto:policies=arc/mru/lirs/mq/w-tinylfu:shadow=8:margin=0",
      ]
    case "lrb", "3l-cache": learnedSpecs(of: name)
    default: NaiveServers.specs[name] ?? randomSpecs(of: name)
    }
  }

  static func make(
    _ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit, seed: UInt64 = 0
  ) throws -> (any NaivePolicy)? {
    if let server = NaiveServers.make(spec, capacity: capacity, unit: unit) { return server }
    if let value = NaiveGreedyDual.values[spec.name] { return NaiveGreedyDual(value: value) }
    switch spec.name {
    case "fifo": return NaiveFIFO()
    case "lru": return NaiveLRU()
    case "mru": return NaiveLRU(isMRU: true)
    case "lru-mad": return NaiveLRUMAD()
    case "la-cache":
      return NaiveLACache(
        capacity: capacity, history: try spec.number("history", default: 0, in: 0...1000),
        unit: unit, admitsAll: spec.values["admission"] == "all")
    case "lfu": return NaiveLFU()
    case "clock": return NaiveClock(bits: try spec.integer("bits", default: 1, in: 1...8))
    case "sieve": return NaiveSieve()
    case "slru":
      return NaiveSLRU(
        capacity: capacity, segments: try spec.integer("segments", default: 4, in: 1...64),
        fill: try spec.flag("fill", default: false))
    case "s3-fifo", "qd-lp":
      return NaiveS3FIFO(
        isQDLP: spec.name == "qd-lp", capacity: capacity,
        small: try spec.number("small", default: 0.1, in: 0...1),
        ghost: try spec.number("ghost", default: 0.9, in: 0...10))
    case "ttl": return NaiveTTL()
    case "belady": return NaiveBelady()
    case "belady-size": return NaiveBeladySize()
    case "2q":
      return NaiveTwoQ(
        capacity: capacity, in: try spec.number("in", default: 0.25, in: 0...1),
        ghost: try spec.number("ghost", default: 0.5, in: 0...10))
    case "arc": return NaiveARC(capacity: capacity)
    case "car": return NaiveCAR(capacity: capacity)
    case "lirs":
      return NaiveLIRS(
        capacity: capacity, hir: try spec.number("hir", default: 0.01, in: 0...1),
        stack: try spec.number("stack", default: 0, in: 0...1000))
    case "lru-k":
      return NaiveLRUK(
        capacity: capacity, k: try spec.integer("k", default: 2, in: 1...8),
        history: try spec.number("history", default: 0, in: 0...10))
    case "mq":
      return NaiveMQ(
        capacity: capacity, queues: try spec.integer("queues", default: 8, in: 1...16),
        ghost: try spec.number("ghost", default: 4, in: 0...10),
        life: try spec.number("life", default: 2, in: 0...10))
    case "clock-pro": return NaiveClockPro(capacity: capacity)
    case "s4-fifo", "clock2q-plus": return NaiveS4FIFO(spec, capacity: capacity)
    case "tinyufo": return NaiveTinyUFO(spec, capacity: capacity, unit: unit)
    case "tinylfu":
      return NaiveTinyLFU(
        sketch: NaiveSketch(spec, capacity: capacity, unit: unit), capacity: capacity)
    case "w-tinylfu":
      let isAdaptive = spec.values["window"] == "adaptive"
      return NaiveWTinyLFU(
        NaiveSketch(spec, capacity: capacity, unit: unit), capacity: capacity,
        window: isAdaptive ? nil : try spec.number("window", default: 0.01, in: 0...1),
        protected: try spec.number("protected", default: 0.8, in: 0...1))
    default: return try makeRandom(spec, capacity: capacity, unit: unit, seed: seed)
    }
  }
}
