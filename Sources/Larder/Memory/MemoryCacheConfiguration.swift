public import LarderEngine

/// The configuration of a memory cache.
public struct MemoryCacheConfiguration: Sendable {
  /// Limits on its content.
  public var limits: MemoryCacheLimits
  /// The policy, such as `lru` or `s3-fifo:small=0.2`; not one that needs to know the future.
  public var policy: CachePolicy
  /// The admission filter, such as `second-hit` or `size:max=0.05`; entries that it rejects are not
  /// stored. Nil admits everything.
  public var admission: String?
  /// Number of shards, each with a lock: a power of two, at most 1024. With one shard, the cache
  /// does exactly what a simulation does.
  ///
  /// Nil chooses one shard per 1024 entries: at most 16. With a limit on weight it chooses one per
  /// 64 MiB (2^26) and at most 4, so that every entry fits whose weight is at most 64 MiB, or a
  /// quarter of the limit (16 again from 64 GiB, where a shard fits an entry of any weight). More
  /// shards allow more concurrent threads and limit the size of entries: set the number if many
  /// threads use a small cache of light entries.
  public var shards: Int?
  /// Hash function for keys.
  public var hashing: KeyHashing
  /// The clock.
  public var clock: any CacheClock
  /// Share of the cache that is kept under memory pressure.
  public var pressureRule: MemoryPressureRule
  /// True to observe the system's memory pressure from the beginning, as `observe` does with a
  /// `SystemMemoryPressure`. All caches of the process share one source. By default true on Apple's
  /// systems and false elsewhere: Linux does not allow it to every process, and creating the cache
  /// throws `MemoryCacheError.memoryPressure` then.
  public var observesMemoryPressure: Bool
  /// Age from which `MemoryCache.value(for:load:)` returns a value and reloads it in the
  /// background; at least a second, nil for no limit. Storage times are kept to a little more than
  /// a second (2^20 microseconds), so a reload may start that much later; never earlier. Permanent
  /// entries are not reloaded.
  public var refreshAfterWrite: Duration?
  /// Time after its expiry during which `MemoryCache.value(for:load:)` still returns a value while
  /// it is reloaded; nil never returns expired values. Expired entries are kept for that time,
  /// within the limits; for `value(for:)` they are misses, and each counts as an expiration.
  public var staleWhileRevalidate: Duration?
  /// Time limit of a reload in the background; nil for none. When it has passed, the reload is
  /// cancelled: requests that wait for it get `MemoryLoadError.refreshTimedOut`, and the next one
  /// loads again. It applies to requests that join the reload as well, instead of `loadTimeout`.
  public var refreshTimeout: Duration?
  /// Time limit of a load that a request started; at least a millisecond, nil for none. When it has
  /// passed, the load is cancelled, its requests get `MemoryLoadError.timedOut`, and the next one
  /// loads again; a value that the loader still returns is not stored. A load that waits because of
  /// `loadsMax` does so for up to this time, and then ends with `MemoryLoadError.waitTimedOut`;
  /// once it begins, the time counts anew. A reload in the background has `refreshTimeout` instead.
  public var loadTimeout: Duration?
  /// Maximum number of loads at the same time, those in the background included; at least 1, nil
  /// for no limit. Others wait in order. A load of several keys is one load. Loads that a loader
  /// waits for start at once, because its own load would never end otherwise; so loaders of two
  /// caches with such limits must not request keys of each other.
  public var loadsMax: Int?
  /// Idle time after which an entry expires: the time since its last get or set; at least a
  /// microsecond, nil for never. It applies together with `limits.age` and `timeToLive`: the
  /// earliest counts. Permanent entries do not expire. `contains`, `keys` and reading the old value
  /// in `update` do not count as accesses.
  ///
  /// Access times are kept to a *granule*: a 16th of this duration, rounded down to a power of two
  /// of microseconds, and at most 2^20 of them (1.05 seconds). An entry expires at most that much
  /// later, never earlier. (With lock-free gets of trivial keys and values, an entry that replaces
  /// another one while a get reads it may count as accessed at the time of that get.) Lock-free
  /// gets stay lock-free; a hit writes one word if a new granule has begun since the last one.
  /// Costs 16 bytes per entry. Policies that order entries by their expiry do not consider idle
  /// times.
  public var expireAfterAccess: Duration?
  /// Maximum delay after its expiry until an entry is removed without being requested, so that its
  /// memory is freed and listeners are notified; at least a millisecond. Nil keeps an expired entry
  /// until a get, a set or `removeExpired` finds it, or the policy evicts it.
  ///
  /// One timer per cache fires when something expires, never earlier; the system may be late. It
  /// runs on a thread of the dispatch library, where listeners are called, too. A set costs O(1)
  /// more, a get nothing, and an entry 8 bytes. Entries that are kept for `staleWhileRevalidate`,
  /// or by a hybrid cache, are removed within twice the time for which they are kept.
  public var promptExpiry: Duration?
  /// Maximum number of remembered keys without a value, separate from the limits; 1 to 2^27. See
  /// `MemoryCache.value(for:negativeLife:load:)`.
  public var negativeCount: Int
  /// Seed of random policies.
  public var seed: UInt64
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
    clock: any CacheClock = MonotonicCacheClock(),
    pressureRule: MemoryPressureRule = MemoryPressureRule(),
    observesMemoryPressure: Bool = MemoryPressureRule.isObservedByDefault, seed: UInt64 = 0,
    refreshAfterWrite: Duration? = nil, staleWhileRevalidate: Duration? = nil,
    negativeCount: Int = 10_000, expireAfterAccess: Duration? = nil,
    promptExpiry: Duration? = nil, refreshTimeout: Duration? = .seconds(60),
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
    self.seed = seed
    self.refreshAfterWrite = refreshAfterWrite
    self.staleWhileRevalidate = staleWhileRevalidate
    self.negativeCount = negativeCount
    self.expireAfterAccess = expireAfterAccess
    self.promptExpiry = promptExpiry
    self.refreshTimeout = refreshTimeout
    self.loadTimeout = loadTimeout
    self.loadsMax = loadsMax
  }

  /// Creates a configuration with a policy from a string that is not a literal; see `CachePolicy`.
  public init(
    limits: MemoryCacheLimits, policy: String, admission: String? = nil,
    shards: Int? = nil, hashing: KeyHashing = .standard,
    clock: any CacheClock = MonotonicCacheClock(),
    pressureRule: MemoryPressureRule = MemoryPressureRule(),
    observesMemoryPressure: Bool = MemoryPressureRule.isObservedByDefault, seed: UInt64 = 0,
    refreshAfterWrite: Duration? = nil, staleWhileRevalidate: Duration? = nil,
    negativeCount: Int = 10_000, expireAfterAccess: Duration? = nil,
    promptExpiry: Duration? = nil, refreshTimeout: Duration? = .seconds(60),
    loadTimeout: Duration? = nil, loadsMax: Int? = nil
  ) {
    self.init(
      limits: limits, policy: CachePolicy(policy), admission: admission, shards: shards,
      hashing: hashing, clock: clock, pressureRule: pressureRule,
      observesMemoryPressure: observesMemoryPressure, seed: seed,
      refreshAfterWrite: refreshAfterWrite, staleWhileRevalidate: staleWhileRevalidate,
      negativeCount: negativeCount, expireAfterAccess: expireAfterAccess,
      promptExpiry: promptExpiry, refreshTimeout: refreshTimeout, loadTimeout: loadTimeout,
      loadsMax: loadsMax)
  }

  /// Returns the number of shards: the configured or the default one.
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
    let range = shards...MemoryCacheLimits.largest
    let expected = "\(range.lowerBound) (1 for each shard) to \(range.upperBound) (2^50)"
    if let count = limits.count, !range.contains(count) {
      throw .limit("count", "\(count)", expected: "\(expected), or nil for no limit")
    }
    if let weight = limits.weight, !range.contains(weight) {
      throw .limit("weight", "\(weight)", expected: "\(expected), which is equivalent to no limit")
    }
    if let age = limits.age, age.microseconds == 0 {
      throw .limit("age", "\(age)", expected: "at least a microsecond, or nil for no limit")
    }
    guard (0...1).contains(limits.ageJitter) else {
      throw .limit("ageJitter", "\(limits.ageJitter)", expected: "a share from 0 to 1")
    }
    if let refreshAfterWrite, refreshAfterWrite < .seconds(1) {
      throw .limit(
        "refreshAfterWrite", "\(refreshAfterWrite)", expected: "at least a second, or nil for never"
      )
    }
    if let staleWhileRevalidate, staleWhileRevalidate.microseconds == 0 {
      throw .limit(
        "staleWhileRevalidate", "\(staleWhileRevalidate)",
        expected: "at least a microsecond, or nil to disable")
    }
    if let refreshTimeout, refreshTimeout < .zero {
      throw .limit("refreshTimeout", "\(refreshTimeout)", expected: "zero or more, or nil for none")
    }
    if let loadTimeout, loadTimeout < .milliseconds(1) {
      throw .limit(
        "loadTimeout", "\(loadTimeout)", expected: "at least a millisecond, or nil for none")
    }
    if let loadsMax, loadsMax < 1 {
      throw .limit("loadsMax", "\(loadsMax)", expected: "at least 1, or nil for no limit")
    }
    if let expireAfterAccess, expireAfterAccess.microseconds == 0 {
      throw .limit(
        "expireAfterAccess", "\(expireAfterAccess)",
        expected: "at least a microsecond, or nil for never")
    }
    if let promptExpiry, promptExpiry < .milliseconds(1) {
      throw .limit(
        "promptExpiry", "\(promptExpiry)", expected: "at least a millisecond, or nil to disable"
      )
    }
    guard (1...CacheTierSetup.residentsMax).contains(negativeCount) else {
      throw .limit(
        "negativeCount", "\(negativeCount)", expected: "1 to \(CacheTierSetup.residentsMax)")
    }
    try pressureRule.check()
  }

  /// Returns a predicate for expired values that are kept to be returned while they are reloaded;
  /// nil if none are.
  func keepingStale<Value>(
    _: Value.Type
  ) -> (@Sendable (UnsafePointer<Value>, Expiry) -> Bool)? {
    guard let life = staleWhileRevalidate?.microseconds else { return nil }
    return { [clock] _, expiry in
      let now = clock.time
      return !expiry.isOver(at: now) || expiry.overdue(at: now) < life
    }
  }

  /// Returns the sweep for `promptExpiry`, or nil.
  func makePromptExpiry() -> PromptExpiry? {
    promptExpiry.map {
      PromptExpiry(granule: max(1_000, $0.microseconds), clock: clock, alarm: expiryAlarm)
    }
  }

  /// Returns the setup of one shard's tier.
  ///
  /// - Throws: `PolicyError` if the policy or filter cannot be parsed.
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

/// Limits on the content of a memory cache. They can be combined; all of them hold at all times.
///
/// A policy has one capacity: `weight` if it is set, otherwise `count`. A policy that divides its
/// capacity (such as into a small and a main queue) divides that one. If both are set, the policy
/// also evicts when `count` entries are resident and another is inserted. Age does not affect which
/// entries the policy evicts, unless the policy uses expiry.
///
/// With several shards, each has an equal part of `count` and `weight`, and an entry that weighs
/// more than the part of one shard is not stored. Unless `MemoryCacheConfiguration.shards` is set,
/// that part is at least a quarter of `weight`, and all of it below 128 MiB (2^27).
///
/// Creating a cache with a limit out of range throws `MemoryCacheError.limit`.
public struct MemoryCacheLimits: Sendable, Hashable {
  /// The largest `count` and `weight`: 2^50, effectively no limit.
  public static var largest: Int { Int(PolicySetup.capacityMax) }

  /// Maximum number of entries, from 1 per shard to `largest`; nil for no limit. A shard never
  /// holds more than 2^27.
  public var count: Int?
  /// Maximum sum of weights, from 1 per shard to `largest`. Weights of entries are stored only if
  /// it is set (`largest` stores them without limiting anything); otherwise each counts 1.
  ///
  /// A `MemoryCache` needs `weigh:` for it, which gives a value's weight in any unit; less than 1
  /// counts as 1, so it never holds more entries than `weight`. To limit bytes, include the
  /// overhead of an entry: 40 to 100 bytes with the key (`MemoryCache.residentBytes` reports it),
  /// and the memory that key and value refer to. A `HybridCache` limits bytes and includes this by
  /// itself.
  public var weight: Int?
  /// Maximum age: the cache's TTL, which applies even to entries with a longer TTL. At least a
  /// microsecond.
  public var age: Duration?

  /// Share of its lifetime, from 0 to 1, by which an entry expires earlier at most, so that entries
  /// that were stored together do not all expire together: with 0.1, an entry lives 90 to 100 % of
  /// its lifetime, be it `age` or its own. The share of an entry depends only on its key's hash and
  /// the cache's seed: with `KeyHashing.seeded`, it is the same in every run.
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

  /// The jitter in parts of 2^32.
  var jitter: UInt32 { UInt32(min(ageJitter * 4_294_967_296, 4_294_967_295)) }
}

/// The limits of a cache, and the number of the call that set them.
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
  /// The system does not allow its memory pressure to be observed.
  case memoryPressure(MemoryPressureError)

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .policy(let error): "\(error)"
    case .limit(let name, let value, let expected):
      "memory cache: \(name) \(value) is out of range: expected \(expected)"
    case .shards(let count):
      "memory cache: invalid number of shards \(count): expected a power of two up to 1024"
    case .memoryPressure(let error): "\(error)"
    }
  }
}
