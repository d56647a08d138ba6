import LarderEngine

extension RegisteredPolicy {
  package static let redisLRU = RegisteredPolicy(RedisLRU.self)
}

/// Redis's allkeys-lru: evicts the longest idle of the candidates that samples have found so far.
/// Modelled on src/evict.c of Redis 7 and Valkey. Idleness is measured by a clock of 24 bits that
/// counts whole seconds, so within a second all objects are equally idle.
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

  var residents: SampledSet<UInt32>
  var pool: EvictionPool
  var random: SeededGenerator
  var time: RequestTime
  let samples: Int
  // Microseconds.
  private let resolution: UInt64

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let samples = try spec.integer("samples", default: 5, in: 1...64)
    let places = try spec.integer("pool", default: 16, in: 1...64)
    let resolution = try spec.integer("resolution", default: 1000, in: 1...3_600_000)
    let time = try RequestTime(spec)
    self.samples = samples
    self.resolution = UInt64(resolution) * 1000
    self.time = time
    pool = EvictionPool(places: places)
    residents = SampledSet(objects: setup.objects, capacity: setup.expectedResidents)
    random = SeededGenerator(seed: setup.seed)
  }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    residents[request.id] = clock
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    residents.insert(request.id, clock)
  }

  @inline(__always) func score(_ kept: UInt32) -> UInt32 { clock &- kept & RedisLRU.clockMask }

  private var clock: UInt32 {
    UInt32(truncatingIfNeeded: time.now / resolution) & RedisLRU.clockMask
  }
}
