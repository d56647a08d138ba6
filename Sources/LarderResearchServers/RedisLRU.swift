import LarderEngine

extension RegisteredPolicy {
  package static let redisLRU = RegisteredPolicy(RedisLRU.self)
}

/// Redis's allkeys-lru: evicts the longest idle of the candidates that samples have found so far.
/// Modelled on src/evict.c of Redis 7 and Valkey. Idleness is measured by a clock of 24 bits that
/// counts whole seconds.
struct RedisLRU: EvictionPolicy, SampledPoolPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "redis-lru", family: .random,
    summary: "Redis's allkeys-lru: draws 5 objects, adds them to a pool of 16 candidates, and "
      + "evicts the one that was idle longest, in whole seconds.",
    parameters: poolParameters + [
      PolicyParameter(
        "resolution", default: "1000", "resolution of the clock in milliseconds, 1 to 3600000")
    ] + RequestTime.parameters, entryMemory: EntryMemory(key: "a key", default: 16, entryBytes),
    isRandom: true, learns: true, server: "Redis",
    paper: "Redis 7 and Valkey 8, src/evict.c, maxmemory-policy allkeys-lru")

  private static var clockMask: UInt32 { (1 << 24) - 1 }

  var state: SampledPool
  // Microseconds.
  private let resolution: UInt64

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let state = try SampledPool(setup)
    let resolution = try spec.integer("resolution", default: 1000, in: 1...3_600_000)
    self.resolution = UInt64(resolution) * 1000
    self.state = state
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    state.time.tick()
    state.residents[request.id] = clock
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    state.time.tick()
    state.residents.insert(request.id, clock)
  }

  @inline(__always) func score(_ kept: UInt32) -> UInt32 { clock &- kept & RedisLRU.clockMask }

  private var clock: UInt32 {
    UInt32(truncatingIfNeeded: state.time.now / resolution) & RedisLRU.clockMask
  }
}
