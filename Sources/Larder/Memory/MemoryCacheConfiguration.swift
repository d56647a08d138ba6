public import LarderEngine
import LarderLibc

/// The configuration of a memory cache.
public struct MemoryCacheConfiguration: Sendable {
  /// Limits on its content.
  public var limits: MemoryCacheLimits
  /// The policy, such as `lru` or `s3-fifo:small=0.2`; not one that needs to know the future.
  public var policy: CachePolicy
  /// The admission filter, such as `second-hit` or `size:max=0.05`; entries that it rejects are not
  /// stored. Nil admits everything.
  public var admission: String?
  /// Number of shards, each with a lock: a power of two, at most 1024. With one, the cache does
  /// exactly what a simulation does. Nil chooses one per 1024 entries, at most 16, or per 64 MiB of
  /// weight, at most 4 below 32 GiB.
  public var shards: Int?
  /// Hash function for keys.
  public var hashing: KeyHashing
  /// The clock.
  public var clock: any CacheClock
  /// Share of the cache that is kept under memory pressure.
  public var pressureRule: MemoryPressureRule
  /// True to observe the system's memory pressure, with one source for all caches of the process.
  /// The default on Apple's systems; Linux allows it to some processes only, and creating the cache
  /// throws `MemoryCacheError.memoryPressure` otherwise.
  public var observesMemoryPressure: Bool
  /// Age from which `value(for:load:)` returns a value and reloads it in the background, to 2^20
  /// microseconds; at least a second, nil for none. Permanent entries are not reloaded.
  public var refreshAfterWrite: Duration?
  /// Time after its expiry during which `value(for:load:)` still returns a value while it is
  /// reloaded; nil for none. For `value(for:)` the entry is a miss, and counts as an expiration.
  public var staleWhileRevalidate: Duration?
  /// Time limit of a load, at least a millisecond; nil for none, and a minute for a reload in the
  /// background. When it has passed, the load is cancelled and ends with `LoadError.timedOut`. A
  /// wait because of `loadsMax` has the same limit, and ends with `LoadError.waitTimedOut`.
  public var loadTimeout: Duration?
  /// Maximum number of loads at the same time, at least 1; nil for no limit. Others wait in order;
  /// a load of several keys is one. Loads that a loader waits for start at once, so loaders of two
  /// caches with such limits must not request keys of each other.
  public var loadsMax: Int?
  /// Idle time after which an entry expires, in addition to its lifetime; nil for never. Access
  /// times are kept to a 16th of it, at most 2^20 microseconds: an entry expires at most that much
  /// later. Permanent entries do not expire. Costs 16 bytes per entry.
  public var expireAfterAccess: Duration?
  /// Maximum delay after its expiry until an entry is removed without being requested, at least a
  /// millisecond, besides the time for which the machine is suspended; nil keeps it until a call
  /// finds it. Listeners are called on a thread of the dispatch library. Costs 8 bytes per entry.
  public var promptExpiry: Duration?
  /// Maximum number of remembered keys without a value, in addition to the limits.
  package var negativeCount = 10_000
  /// Seed of random policies.
  package var seed: UInt64 = 0
  package var fingerprints = KeyFingerprints.hashes
  /// True to count as a simulation does: entries have exactly the given weight, in a hybrid cache
  /// the bytes of their values alone, and each tier of a hybrid cache knows only its own limit on
  /// age.
  package var isSimulated = false
  package var pressureHub = PressureHub.system
  /// Timer for the expiry of entries; nil for the system's.
  package var expiryAlarm: (any ExpiryAlarm)?

  /// Creates a configuration; see the properties for the meaning of each part.
  public init(
    limits: MemoryCacheLimits, policy: CachePolicy = .lru, admission: String? = nil,
    shards: Int? = nil, hashing: KeyHashing = .standard,
    clock: any CacheClock = SystemCacheClock.monotonic(),
    pressureRule: MemoryPressureRule = MemoryPressureRule(),
    observesMemoryPressure: Bool = MemoryPressureRule.isObservedByDefault,
    refreshAfterWrite: Duration? = nil, staleWhileRevalidate: Duration? = nil,
    expireAfterAccess: Duration? = nil, promptExpiry: Duration? = nil,
    loadTimeout: Duration? = nil, loadsMax: Int? = nil
  ) {
    self.limits = limits
    self.policy = policy
    self.admission = admission
    self.shards = shards
    self.hashing = hashing
    self.clock = clock
    self.pressureRule = pressureRule
    self.observesMemoryPressure = observesMemoryPressure
    self.refreshAfterWrite = refreshAfterWrite
    self.staleWhileRevalidate = staleWhileRevalidate
    self.expireAfterAccess = expireAfterAccess
    self.promptExpiry = promptExpiry
    self.loadTimeout = loadTimeout
    self.loadsMax = loadsMax
  }

  func shardCount() throws(MemoryCacheError) -> Int {
    if let shards {
      guard shards > 0, shards <= 1024, shards.nonzeroBitCount == 1 else {
        throw .shards(shards)
      }
      return shards
    }
    let byWeight = limits.weight.map { max(min($0 >> 26, 4), $0 >> 32) } ?? 16
    let parts = min(limits.count.map { $0 / 1024 } ?? 16, byWeight, 16)
    return parts < 2 ? 1 : 1 << (Int.bitWidth - 1 - parts.leadingZeroBitCount)
  }

  func check(shards: Int) throws(MemoryCacheError) {
    func check<Number>(
      _ name: String, _ number: Number?, _ isValid: (Number) -> Bool, _ expected: String
    ) throws(MemoryCacheError) {
      guard let number, !isValid(number) else { return }
      throw .limit(name, "\(number)", expected: expected)
    }
    let range = shards...MemoryCacheLimits.largest
    let expected = "\(range.lowerBound) (1 for each shard) to \(range.upperBound) (2^50)"
    try check("count", limits.count, range.contains, "\(expected), or nil for no limit")
    try check(
      "weight", limits.weight, range.contains, "\(expected), which is equivalent to no limit")
    try check(
      "age", limits.age, { $0.microseconds > 0 }, "at least a microsecond, or nil for no limit")
    try check("ageJitter", limits.ageJitter, (0...1).contains, "a share from 0 to 1")
    try check(
      "refreshAfterWrite", refreshAfterWrite, { $0 >= .seconds(1) },
      "at least a second, or nil for never")
    try check(
      "staleWhileRevalidate", staleWhileRevalidate, { $0.microseconds > 0 },
      "at least a microsecond, or nil to disable")
    try check(
      "loadTimeout", loadTimeout, { $0 >= .milliseconds(1) },
      "at least a millisecond, or nil for none")
    try check("loadsMax", loadsMax, { $0 >= 1 }, "at least 1, or nil for no limit")
    try check(
      "expireAfterAccess", expireAfterAccess, { $0.microseconds > 0 },
      "at least a microsecond, or nil for never")
    try check(
      "promptExpiry", promptExpiry, { $0 >= .milliseconds(1) },
      "at least a millisecond, or nil to disable")
    try pressureRule.check()
  }

  func keepingStale<Value>(
    _: Value.Type
  ) -> (@Sendable (UnsafePointer<Value>, Expiry) -> Bool)? {
    guard let life = staleWhileRevalidate?.microseconds else { return nil }
    return { [clock] _, expiry in
      let now = clock.time
      return !expiry.isOver(at: now) || expiry.overdue(at: now) < life
    }
  }

  /// Configuration of the cache that remembers keys without a value.
  var ofAbsences: MemoryCacheConfiguration {
    MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: negativeCount), policy: .sieve, hashing: hashing,
      clock: clock, observesMemoryPressure: false)
  }

  func makePromptExpiry() -> PromptExpiry? {
    promptExpiry.map {
      PromptExpiry(granule: max(1_000, $0.microseconds), clock: clock, alarm: expiryAlarm)
    }
  }

  func tierSetup(
    shard: Int, of shards: Int, room: Int, group: PolicyGroup?
  ) throws(PolicyError) -> CacheTierSetup {
    func part(_ limit: Int) -> Int { limit / shards + (shard < limit % shards ? 1 : 0) }
    let entries = min(
      limits.count.map(part) ?? .max, CacheTierSetup.residentsMax)
    return CacheTierSetup(
      policy: try PolicySpec(parsing: policy.description), entriesMax: entries,
      bytesMax: limits.weight.map { UInt64(part($0)) },
      timeToLiveMicroseconds: limits.age?.microseconds, objects: room,
      seed: seed &+ UInt64(shard), admission: try PolicySpec(parsingOptional: admission),
      group: group)
  }
}

/// Limits on the content of a memory cache. All of them hold at all times.
///
/// The capacity of the policy is `weight` if it is set, otherwise `count`. Each shard has an equal
/// part, and an entry that weighs more than the part of one is not stored.
public struct MemoryCacheLimits: Sendable, Hashable {
  /// The largest `count` and `weight`: 2^50, effectively no limit.
  public static var largest: Int { Int(PolicySetup.capacityMax) }

  /// Maximum number of entries, from 1 per shard to `largest`; nil for no limit. A shard never
  /// holds more than 2^27.
  public var count: Int?
  /// Maximum sum of weights, from 1 per shard to `largest`. A `MemoryCache` needs `weigh:` for it,
  /// in any unit; to limit bytes, include what key and value refer to and 40 to 100 bytes for the
  /// entry. A `HybridCache` limits bytes and includes this by itself.
  public var weight: Int?
  /// Maximum age: the cache's TTL, which applies even to entries with a longer TTL. At least a
  /// microsecond.
  public var age: Duration?

  /// Share of its lifetime, from 0 to 1, by which an entry expires earlier at most, so that entries
  /// stored together do not expire together. It depends only on the hash of the key.
  public var ageJitter: Double

  /// Creates limits; see the properties for the meaning of each.
  public init(
    count: Int? = nil, weight: Int? = nil, age: Duration? = nil, ageJitter: Double = 0
  ) {
    self.count = count
    self.weight = weight
    self.age = age
    self.ageJitter = ageJitter
  }

  var jitter: UInt32 { UInt32(min(ageJitter * 4_294_967_296, 4_294_967_295)) }
}

struct CurrentLimits {
  var limits: MemoryCacheLimits
  var number: UInt64 = 0
}

/// Error of creating a memory cache.
public enum MemoryCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The policy does not exist, does not support this capacity, or needs to know the future.
  case policy(PolicyError)
  /// A limit is out of range.
  case limit(String, String, expected: String)
  /// The number of shards is not a power of two up to 1024.
  case shards(Int)
  /// The system does not allow its memory pressure to be observed by this file, with the number of
  /// its error.
  case memoryPressure(path: String, code: Int32)

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .policy(let error): "\(error)"
    case .limit(let name, let value, let expected):
      "memory cache: \(name) \(value) is out of range: expected \(expected)"
    case .shards(let count):
      "memory cache: invalid number of shards \(count): expected a power of two up to 1024"
    case .memoryPressure(let path, let code):
      "\(path): cannot observe memory pressure: \(String(cString: strerror(code))); "
        + "call handle(_:) when the app is notified"
    }
  }
}
