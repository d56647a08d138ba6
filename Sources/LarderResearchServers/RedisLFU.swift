import LarderEngine

extension RegisteredPolicy {
  package static let redisLFU = RegisteredPolicy(RedisLFU.self)
}

/// Redis's allkeys-lfu: the least frequently used of the candidates that samples have found so far.
/// Modelled on src/evict.c of Redis 7 and Valkey. A logarithmic counter of 8 bits is incremented
/// with a probability that falls as it grows, and decremented for each period without a request.
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

  var residents: SampledSet<UInt32>
  var pool: EvictionPool
  var random: SeededGenerator
  var time: RequestTime
  let samples: Int
  private let factor: Double
  private let decay: UInt32

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let samples = try spec.integer("samples", default: 5, in: 1...64)
    let places = try spec.integer("pool", default: 16, in: 1...64)
    let factor = try spec.integer("log-factor", default: 10, in: 0...1000)
    let decay = try spec.integer("decay", default: 1, in: 0...65_535)
    let time = try RequestTime(spec)
    self.samples = samples
    self.factor = Double(factor)
    self.decay = UInt32(decay)
    self.time = time
    pool = EvictionPool(places: places)
    residents = SampledSet(objects: setup.objects, capacity: setup.expectedResidents)
    random = SeededGenerator(seed: setup.seed)
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    var count = decayed(residents[request.id])
    if count < RedisLFU.highestCount {
      let above = count > RedisLFU.firstCount ? Double(count - RedisLFU.firstCount) : 0
      if random.nextUnit() < 1 / (above * factor + 1) { count += 1 }
    }
    residents[request.id] = minutes << 8 | count
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    residents.insert(request.id, minutes << 8 | RedisLFU.firstCount)
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
    UInt32(truncatingIfNeeded: time.now / 60_000_000) & RedisLFU.minuteMask
  }
}
