import LarderEngine

extension RegisteredPolicy {
  package static let redisLRU = RegisteredPolicy(RedisLRU.self)
  package static let redisLFU = RegisteredPolicy(RedisLFU.self)
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
    state.insert(request, clock)
  }

  @inline(__always) func score(_ kept: UInt32) -> UInt32 { clock &- kept & RedisLRU.clockMask }

  private var clock: UInt32 {
    UInt32(truncatingIfNeeded: state.time.now / resolution) & RedisLRU.clockMask
  }
}

/// Redis's allkeys-lfu: the least frequently used of the candidates that samples have found so far.
/// Modelled on src/evict.c of Redis 7 and Valkey.
struct RedisLFU: EvictionPolicy, SampledPoolPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "redis-lfu", family: .random,
    summary: "Redis's allkeys-lfu: draws 5 objects, adds them to a pool of 16 candidates, and "
      + "evicts the one with the lowest logarithmic counter, which decays by the minute.",
    parameters: poolParameters + [
      PolicyParameter(
        "log-factor", default: "10",
        "logarithm factor of the counters: the higher, the slower "
          + "they grow, 0 to 1000"),
      PolicyParameter(
        "decay", default: "1", "minutes without a request that lower a counter by 1; 0: no decay"),
    ] + RequestTime.parameters, entryMemory: EntryMemory(key: "a key", default: 16, entryBytes),
    isRandom: true, learns: true, server: "Redis",
    paper: "Redis 7 and Valkey 8, src/evict.c, maxmemory-policy allkeys-lfu")

  private static var firstCount: UInt32 { 5 }
  private static var highestCount: UInt32 { 255 }
  private static var minuteMask: UInt32 { (1 << 16) - 1 }

  var state: SampledPool
  private let factor: Double
  private let decay: UInt32

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let state = try SampledPool(setup)
    let factor = try spec.integer("log-factor", default: 10, in: 0...1000)
    let decay = try spec.integer("decay", default: 1, in: 0...65_535)
    self.factor = Double(factor)
    self.decay = UInt32(decay)
    self.state = state
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    state.time.tick()
    var count = decayed(state.residents[request.id])
    if count < RedisLFU.highestCount {
      let above = count > RedisLFU.firstCount ? Double(count - RedisLFU.firstCount) : 0
      if state.random.nextUnit() < 1 / (above * factor + 1) { count += 1 }
    }
    state.residents[request.id] = minutes << 8 | count
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    state.time.tick()
    state.insert(request, minutes << 8 | RedisLFU.firstCount)
  }

  @inline(__always) func score(_ kept: UInt32) -> UInt32 { RedisLFU.highestCount - decayed(kept) }

  @inline(__always) private func decayed(_ kept: UInt32) -> UInt32 {
    let count = kept & 255
    guard decay > 0 else { return count }
    // 16 bits, which wrap around.
    let elapsed = minutes &- (kept >> 8) & RedisLFU.minuteMask
    return count - min(count, elapsed / decay)
  }

  private var minutes: UInt32 {
    UInt32(truncatingIfNeeded: state.time.now / 60_000_000) & RedisLFU.minuteMask
  }
}
