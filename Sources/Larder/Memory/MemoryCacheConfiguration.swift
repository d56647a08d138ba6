public import LarderEngine

/// The configuration of a memory cache.
public struct MemoryCacheConfiguration: Sendable {
  /// Limits on its content.
  public var limits: MemoryCacheLimits
  /// The policy, such as `lru` or `s3-fifo:small=0.2`; not one that needs to know the future.
  public var policy: CachePolicy
  /// The admission filter, such as `second-hit` or `size:max=0.05`; entries that it refuses are not
  /// stored. Nil admits everything.
  public var admission: String?
  /// Number of shards, each with a lock: a power of two, at most 1024. With one shard, the cache
  /// does exactly what a simulation does.
  ///
  /// Nil chooses one shard per 1024 entries and per MiB of weight: at most 16, and with a limit on
  /// weight at most 4, so that an entry of up to a quarter of the limit fits (16 again from 64 GiB,
  /// where a shard fits an entry of any weight). More shards allow more concurrent threads and
  /// limit the size of entries.
  public var shards: Int?
  /// How keys are hashed.
  public var hashing: KeyHashing
  /// The clock.
  public var clock: any CacheClock
  /// How much is kept under memory pressure.
  public var pressureRule: MemoryPressureRule
  /// How old a value may be before `MemoryCache.value(for:load:)` returns it and reloads it in the
  /// background; at least a second, nil for no limit. When a value was stored is known to a little
  /// more than a second (2^20 microseconds), so it may be reloaded that much later; never earlier.
  /// Permanent entries are not reloaded.
  public var refreshAfterWrite: Duration?
  /// How long after its expiry `MemoryCache.value(for:load:)` still returns a value while it is
  /// reloaded; nil for not at all. Expired entries are kept for as long, within the limits; to
  /// `value(for:)` they are misses, each of which counts an expiration.
  public var staleWhileRevalidate: Duration?
  /// How long a reload in the background may take; nil for no limit. It is then cancelled: requests
  /// that have come to wait for it get `MemoryLoadError.refreshTimedOut`, and the next one loads
  /// anew. A request's own load has no limit.
  public var refreshTimeout: Duration?
  /// How long after its last get or set an entry expires; at least a microsecond, nil for never.
  /// It applies together with `limits.age` and `timeToLive`: the earliest counts. Permanent entries
  /// do not expire. `contains`, `keys` and the old value of `update` are no accesses.
  ///
  /// The time of an access is known to a *granule*: a 16th of this duration, rounded down to a
  /// power of two of microseconds, and at most 2^20 of them (1.05 seconds). An entry expires that
  /// much later at most, never earlier. (Where gets of trivial keys and values take no lock, an
  /// entry that takes the place of another one while a get is reading that may count as accessed
  /// when this get reads the clock.) Gets stay without a lock where they are; a hit writes a word
  /// if another granule has begun since the last one. 16 bytes an entry. Policies that order
  /// entries by their expiry do not consider it.
  public var expireAfterAccess: Duration?
  /// Within how long after its expiry an entry leaves without being asked for, so that its memory
  /// is freed and listeners are told; at least a millisecond. Nil leaves it where it is until a
  /// get, a set or `removeExpired` finds it, or the policy evicts it.
  ///
  /// One timer a cache wakes it when something expires, never earlier; the system may be late. It
  /// runs on a thread of the dispatch library, where listeners are called, too. A set takes O(1)
  /// more, a get nothing, and an entry 8 bytes. Entries that are kept for `staleWhileRevalidate`,
  /// or by a hybrid cache, leave within twice the time for which they are kept.
  public var promptExpiry: Duration?
  /// How many keys without a value are remembered at most, beside the limits; 1 to 2^27. See
  /// `MemoryCache.value(for:negativeLife:load:)`.
  public var negativeCount: Int
  /// Seed of random policies.
  public var seed: UInt64
  /// What stands for keys where a policy or a filter counts them in a sketch.
  package var fingerprints = KeyFingerprints.hashes
  /// True to count as a simulation does: entries weigh what is said, in a hybrid the bytes of their
  /// values alone, and each tier of a hybrid knows its own limit on age only.
  package var isSimulated = false
  /// What rings when entries expire; nil for the system's timer.
  package var expiryAlarm: (any ExpiryAlarm)?

  /// A configuration; see the properties for the meaning of each part.
  public init(
    limits: MemoryCacheLimits, policy: CachePolicy = .lru, admission: String? = nil,
    shards: Int? = nil, hashing: KeyHashing = .standard,
    clock: any CacheClock = MonotonicCacheClock(),
    pressureRule: MemoryPressureRule = MemoryPressureRule(), seed: UInt64 = 0,
    refreshAfterWrite: Duration? = nil, staleWhileRevalidate: Duration? = nil,
    negativeCount: Int = 10_000, expireAfterAccess: Duration? = nil,
    promptExpiry: Duration? = nil, refreshTimeout: Duration? = .seconds(60)
  ) {
    self.limits = limits
    self.policy = policy
    self.admission = admission
    self.shards = shards
    self.hashing = hashing
    self.clock = clock
    self.pressureRule = pressureRule
    self.seed = seed
    self.refreshAfterWrite = refreshAfterWrite
    self.staleWhileRevalidate = staleWhileRevalidate
    self.negativeCount = negativeCount
    self.expireAfterAccess = expireAfterAccess
    self.promptExpiry = promptExpiry
    self.refreshTimeout = refreshTimeout
  }

  /// The same with the policy as a text that is not a literal; see `CachePolicy`.
  public init(
    limits: MemoryCacheLimits, policy: String, admission: String? = nil,
    shards: Int? = nil, hashing: KeyHashing = .standard,
    clock: any CacheClock = MonotonicCacheClock(),
    pressureRule: MemoryPressureRule = MemoryPressureRule(), seed: UInt64 = 0,
    refreshAfterWrite: Duration? = nil, staleWhileRevalidate: Duration? = nil,
    negativeCount: Int = 10_000, expireAfterAccess: Duration? = nil,
    promptExpiry: Duration? = nil, refreshTimeout: Duration? = .seconds(60)
  ) {
    self.init(
      limits: limits, policy: CachePolicy(policy), admission: admission, shards: shards,
      hashing: hashing, clock: clock, pressureRule: pressureRule, seed: seed,
      refreshAfterWrite: refreshAfterWrite, staleWhileRevalidate: staleWhileRevalidate,
      negativeCount: negativeCount, expireAfterAccess: expireAfterAccess,
      promptExpiry: promptExpiry, refreshTimeout: refreshTimeout)
  }

  /// How many shards there are to be.
  func shardCount() throws(MemoryCacheError) -> Int {
    if let shards {
      guard shards > 0, shards <= 1024, shards.nonzeroBitCount == 1 else {
        throw .shards(shards)
      }
      return shards
    }
    let byWeight = limits.weight.map { max(min($0 >> 20, 4), $0 >> 32) } ?? 16
    let parts = min(limits.count.map { $0 / 1024 } ?? 16, byWeight, 16)
    return parts < 2 ? 1 : 1 << (Int.bitWidth - 1 - parts.leadingZeroBitCount)
  }

  /// Checks every number against its range, and the limits against the number of shards.
  func check(shards: Int) throws(MemoryCacheError) {
    let range = shards...MemoryCacheLimits.largest
    let expected = "\(range.lowerBound) (1 for each shard) to \(range.upperBound) (2^50)"
    if let count = limits.count, !range.contains(count) {
      throw .limit("count", "\(count)", expected: "\(expected), or nil for no limit")
    }
    if let weight = limits.weight, !range.contains(weight) {
      throw .limit("weight", "\(weight)", expected: "\(expected), which is as good as no limit")
    }
    if let age = limits.age, age.microseconds == 0 {
      throw .limit("age", "\(age)", expected: "at least a microsecond, or nil for no limit")
    }
    if let refreshAfterWrite, refreshAfterWrite < .seconds(1) {
      throw .limit(
        "refreshAfterWrite", "\(refreshAfterWrite)", expected: "at least a second, or nil for never"
      )
    }
    if let staleWhileRevalidate, staleWhileRevalidate.microseconds == 0 {
      throw .limit(
        "staleWhileRevalidate", "\(staleWhileRevalidate)",
        expected: "at least a microsecond, or nil for not at all")
    }
    if let refreshTimeout, refreshTimeout < .zero {
      throw .limit("refreshTimeout", "\(refreshTimeout)", expected: "zero or more, or nil for none")
    }
    if let expireAfterAccess, expireAfterAccess.microseconds == 0 {
      throw .limit(
        "expireAfterAccess", "\(expireAfterAccess)",
        expected: "at least a microsecond, or nil for never")
    }
    if let promptExpiry, promptExpiry < .milliseconds(1) {
      throw .limit(
        "promptExpiry", "\(promptExpiry)", expected: "at least a millisecond, or nil for not at all"
      )
    }
    guard (1...CacheTierSetup.residentsMax).contains(negativeCount) else {
      throw .limit(
        "negativeCount", "\(negativeCount)", expected: "1 to \(CacheTierSetup.residentsMax)")
    }
    try pressureRule.check()
  }

  /// Says of a value that has expired whether it is kept to be returned while it is reloaded; nil
  /// where none is.
  func keepingStale<Value>(
    _: Value.Type
  ) -> (@Sendable (UnsafePointer<Value>, UInt64) -> Bool)? {
    guard let life = staleWhileRevalidate?.microseconds else { return nil }
    return { [clock] _, expires in
      let now = clock.nowMicroseconds
      return now < expires || now - expires < life
    }
  }

  /// What wakes the cache when entries expire; nil where nothing does.
  func makePromptExpiry() -> PromptExpiry? {
    promptExpiry.map {
      PromptExpiry(granule: max(1_000, $0.microseconds), clock: clock, alarm: expiryAlarm)
    }
  }

  /// What the tier of one shard is made from.
  ///
  /// - Throws: where policy or filter cannot be read.
  func tierSetup(shard: Int, of shards: Int, room: Int) throws(PolicyError) -> CacheTierSetup {
    func part(_ limit: Int) -> Int { limit / shards + (shard < limit % shards ? 1 : 0) }
    let entries = min(
      limits.count.map(part) ?? .max, CacheTierSetup.residentsMax)
    return CacheTierSetup(
      policy: try PolicySpec(parsing: policy.description), entriesMax: entries,
      bytesMax: limits.weight.map { UInt64(part($0)) },
      timeToLiveMicroseconds: limits.age?.microseconds, objects: room,
      seed: seed &+ UInt64(shard), admission: try PolicySpec(parsingOptional: admission),
      parts: shards)
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
/// that part is at least a quarter of `weight`.
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
  /// A `MemoryCache` takes weights in any unit as they are given, and 1 for less than 1, so it
  /// never holds more entries than `weight`. To limit bytes, include what the cache needs for an
  /// entry beside the value: 40 to 100 bytes with the key (`MemoryCache.residentBytes` tells), and
  /// what key and value point to. A `HybridCache` limits bytes and includes this by itself.
  public var weight: Int?
  /// Maximum age: the cache's TTL, which applies even to entries with a longer TTL. At least a
  /// microsecond.
  public var age: Duration?

  /// Limits; see the properties for the meaning of each.
  public init(count: Int? = nil, weight: Int? = nil, age: Duration? = nil) {
    self.count = count
    self.weight = weight
    self.age = age
  }
}

/// The limits of a cache, and of how many calls they are the last.
struct CurrentLimits {
  var limits: MemoryCacheLimits
  var number: UInt64 = 0
}

/// Why a memory cache could not be made.
public enum MemoryCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The policy does not exist, cannot have this capacity, or needs to know the future.
  case policy(PolicyError)
  /// A limit is not what it must be.
  case limit(String, String, expected: String)
  /// The number of shards is not what it must be.
  case shards(Int)

  /// One line for a person.
  public var description: String {
    switch self {
    case .policy(let error): "\(error)"
    case .limit(let name, let value, let expected):
      "memory cache: \(name) \(value) is out of range: expected \(expected)"
    case .shards(let count):
      "memory cache: invalid number of shards \(count): expected a power of two up to 1024"
    }
  }
}
