import Foundation
import Larder
import LarderEngine
import Synchronization

/// One random configuration of one of the caches: it is either rejected with a typed error, or
/// handles random calls without a wrong value and within its limits.
struct ConfigurationRound {
  /// Result of a round.
  enum Outcome {
    case passed
    case refused(String)
  }

  private static var calls: Int { 200 }
  private static var keys: Int { 60 }
  /// Keys of a burst: more than initially fit.
  private static var burst: Range<Int> { 1000..<1400 }

  private var settings: RandomSettings
  private var model = CacheModel()
  private var clock: TortureClock
  private var values = 0
  private let folder: String
  private let asksOrigin: Bool

  /// Creates the round of a seed, which creates and removes `folder`. Unless `asksOrigin` nothing
  /// is fetched, so that it never waits for a thread.
  init(seed: UInt64, folder: String, asksOrigin: Bool = true) {
    self.asksOrigin = asksOrigin
    settings = RandomSettings(seed: seed)
    let starts: [UInt64] = [0, 1, (1 << 56) - 1_000_000, .max / 2, .max - 10_000_000]
    let isStrange = settings.chance(0.05)
    clock = TortureClock(isStrange ? settings.pick(starts) : 1_700_000_000_000_000)
    self.folder = folder
  }

  /// Runs the round.
  ///
  /// - Throws: `TortureFailure`, and any error that is not one of a configuration.
  mutating func run() async throws -> Outcome {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    switch settings.below(4) {
    case 0, 1: return try await runMemory()
    case 2: return try runDisk()
    default: return try await runHybrid()
    }
  }

  // MARK: Configurations

  private mutating func memoryLimits() -> MemoryCacheLimits {
    MemoryCacheLimits(
      count: settings.maybe { $0.integer(1...100) },
      weight: settings.maybe { $0.integer(1...5000) },
      age: settings.maybe(0.3) { $0.duration(seconds: 100) },
      ageJitter: settings.maybe(0.3) { $0.share() } ?? 0)
  }

  private mutating func memoryTier() -> MemoryTier {
    MemoryTier(
      limits: memoryLimits(), policy: CachePolicy(settings.policy()),
      admission: settings.admission(),
      expireAfterAccess: settings.maybe(0.2) { $0.duration(seconds: 100) },
      promptExpiry: settings.maybe(0.2) { $0.duration(seconds: 100) })
  }

  private mutating func memoryConfiguration() -> MemoryCacheConfiguration {
    MemoryCacheConfiguration(
      limits: memoryLimits(), policy: CachePolicy(settings.policy()),
      admission: settings.admission(),
      shards: settings.maybe(0.7) { $0.chance(0.8) ? 1 : $0.integer(1...8) },
      hashing: settings.pick([.standard, .fast, .seeded(7)]), clock: clock,
      pressureRule: pressureRule(),
      refreshAfterWrite: settings.maybe(0.1) { $0.duration(seconds: 100) },
      staleWhileRevalidate: settings.maybe(0.1) { $0.duration(seconds: 100) },
      expireAfterAccess: settings.maybe(0.2) { $0.duration(seconds: 100) },
      promptExpiry: settings.maybe(0.2) { $0.duration(seconds: 100) },
      loadsMax: settings.maybe(0.3) { $0.integer(1...4) })
  }

  private mutating func pressureRule() -> MemoryPressureRule {
    let (one, other) = (settings.share(), settings.share())
    let isSorted = settings.chance(0.9)
    return MemoryPressureRule(
      keptOnWarning: isSorted ? max(one, other) : one,
      keptWhenCritical: isSorted ? min(one, other) : other)
  }

  private mutating func diskConfiguration() throws(DiskCacheError) -> DiskConfiguration {
    var encryption: DiskEncryption?
    if settings.chance(0.2) {
      let length = settings.pick([16, 24, 32, 32, 32, 0, 1, 33])
      encryption = try DiskEncryption(key: Data(count: length))
    }
    return DiskConfiguration(
      policy: CachePolicy(settings.policy()), admission: settings.admission(),
      limits: DiskLimits(
        bytes: settings.maybe(0.7) { $0.unsigned(1...5000) },
        count: settings.maybe { $0.integer(1...100) },
        age: settings.maybe(0.3) { $0.duration(seconds: 100) },
        freeBytes: settings.unsigned(0...1)),
      durability: settings.pick([.none, .none, .none, .normal, .full]),
      inlineBytesMax: settings.integer(0...200),
      segmentBytes: settings.chance(0.4) ? settings.integer(4096...9000) : nil,
      groupWrites: settings.integer(1...100),
      pageCacheBytes: settings.integer(0...1_000_000),
      encryption: encryption,
      expireAfterAccess: settings.maybe(0.2) { $0.duration(seconds: 100) })
  }

  private mutating func hybridConfiguration() throws(DiskCacheError) -> HybridCacheConfiguration {
    HybridCacheConfiguration(
      memory: settings.chance(0.9) ? memoryTier() : nil,
      disk: settings.chance(0.9) ? try diskConfiguration() : nil,
      rules: HybridRules(
        inclusion: settings.pick(HybridRules.Inclusion.allCases),
        promotion: settings.pick(HybridRules.Promotion.allCases),
        placement: settings.maybe(0.3) {
          HybridRules.Placement(
            memoryOnlyBelowSeconds: UInt32(truncatingIfNeeded: $0.integer(0...100)),
            diskOnlyFromSeconds: UInt32(truncatingIfNeeded: $0.integer(0...100)))
        }),
      copiesOnRead: settings.chance(0.3), strategy: .cacheElseFetch,
      staleIfError: settings.maybe { $0.duration(seconds: 100) }, pressureRule: pressureRule(),
      suite: settings.pick(["", "articles"]), clock: clock,
      loadsMax: settings.maybe(0.3) { $0.integer(1...4) })
  }

  // MARK: Rounds

  private mutating func runMemory() async throws -> Outcome {
    let configuration = memoryConfiguration()
    let cache: MemoryCache<Int, String>
    do {
      cache = try MemoryCache(configuration, weigh: { $0.utf8.count })
    } catch {
      return .refused(try line(error))
    }
    settings.goOnWithCalls()
    // Kept to a granule of at most a 16th of it.
    if let idle = configuration.expireAfterAccess.map(CacheModel.microseconds) {
      model.idleLife = idle + min(idle / 16, 1 << 20)
    }
    for _ in 0..<Self.calls {
      try await call(cache, configuration.limits)
      let limits = configuration.limits
      try require(cache.count <= limits.count ?? .max, "\(cache.count) entries: \(limits)")
      let weight = cache.statistics.weight
      try require(
        weight <= limits.weight.map { UInt64($0) } ?? .max, "weight \(weight): \(limits)")
    }
    return .passed
  }

  private mutating func runDisk() throws -> Outcome {
    let configuration: DiskConfiguration
    var cache: BlockingDiskCache
    do throws(DiskCacheError) {
      configuration = try diskConfiguration()
      cache = try BlockingDiskCache(path: folder, configuration: configuration, clock: clock)
    } catch {
      switch error {
      case .limit, .configuration, .encryptionKeyLength: return .refused(try line(error))
      default: throw error
      }
    }
    settings.goOnWithCalls()
    model.idleLife = configuration.expireAfterAccess.map(CacheModel.microseconds) ?? .max
    for number in 0..<Self.calls {
      if number == Self.calls / 2 {
        try cache.close()
        cache = try BlockingDiskCache(path: folder, configuration: configuration, clock: clock)
      }
      try call(cache, configuration.limits)
      try check(cache, configuration.limits)
    }
    try cache.close()
    return .passed
  }

  private func check(_ cache: BlockingDiskCache, _ limits: DiskLimits) throws {
    let (count, bytes) = (cache.count - model.permanentCount, cache.valueBytes)
    try require(count <= limits.count ?? .max, "\(count) entries: \(limits)")
    try require(
      bytes <= (limits.bytes ?? .max / 2) + model.permanentBytes, "\(bytes) bytes: \(limits)")
  }

  private mutating func runHybrid() async throws -> Outcome {
    let cache: HybridCache<Int, Data>
    do {
      cache = try await HybridCache(path: folder, configuration: try hybridConfiguration())
    } catch let error as HybridCacheError {
      switch error {
      case .memory, .configuration, .disk(.limit), .disk(.configuration):
        return .refused(try line(error))
      default: throw error
      }
    } catch DiskCacheError.encryptionKeyLength(let bits) {
      return .refused(try line(DiskCacheError.encryptionKeyLength(bits: bits)))
    }
    settings.goOnWithCalls()
    for _ in 0..<Self.calls { try await call(cache) }
    try await cache.close()
    return .passed
  }

  // MARK: Calls

  private mutating func newValue() -> String {
    values += 1
    return "value \(values) " + String(repeating: "x", count: settings.below(300))
  }

  private mutating func pass() {
    clock.advance(settings.chance(0.02) ? 1_000_000_000 : UInt64(settings.below(3_000_000)))
  }

  private mutating func call(
    _ cache: MemoryCache<Int, String>, _ limits: MemoryCacheLimits
  ) async throws {
    let key = settings.below(Self.keys)
    switch settings.below(32) {
    case 0...9:
      let (value, life) = (newValue(), settings.maybe { $0.duration(seconds: 30) })
      let isPermanent = settings.chance(0.05)
      let isStored = cache.set(
        value, for: key, weight: settings.integer(0...300), timeToLive: life,
        fetchCost: settings.cost(), isPermanent: isPermanent)
      note(isStored, value, key, life, limits.age, isPermanent)
    case 10:
      try model.check(cache.remove(key), of: key, now: clock.microseconds)
      model.remove(key)
    case 11:
      let count = settings.integer(0...60)
      cache.trim(toCount: count)
      try require(cache.count <= max(count, 0), "\(cache.count) after a trim to \(count)")
    case 12:
      let weight = settings.integer(0...1000)
      cache.trim(weight: weight)
      let left = cache.statistics.weight
      try require(left <= UInt64(max(weight, 0)), "weight \(left) after a trim to \(weight)")
    case 13: cache.trim(toAge: settings.duration(seconds: 30))
    case 14: cache.handle(settings.pick([.warning, .critical]))
    case 15: cache.removeExpired()
    case 16: removeAll { cache.removeAll(includingPermanent: $0) }
    case 17: pass()
    case 18: _ = cache.eventStream(buffered: settings.integer(0...10))
    case 19:
      let value = newValue()
      for key in Self.burst { note(cache.set(value, for: key), value, key, nil, limits.age, false) }
    case 20:
      if cache.contains(key) { try require(model.entries[key] != nil, "\(key) is contained") }
    case 21 where settings.chance(0.3):
      let includingPermanent = settings.chance(0.5)
      cache.remove(includingPermanent: includingPermanent) { other, _ in Self.isLike(other, key) }
      model.removeAll(includingPermanent: includingPermanent) { Self.isLike($0, key) }
    case 22 where asksOrigin: try await load(cache, limits)
    default: try model.check(cache.value(for: key), of: key, now: clock.microseconds)
    }
  }

  private mutating func call(_ cache: BlockingDiskCache, _ limits: DiskLimits) throws {
    let key = settings.below(Self.keys)
    switch settings.below(32) {
    case 0...9:
      let (value, options) = (newValue(), self.options())
      let isStored = try cache.set(Data(value.utf8), for: "\(key)", options: options)
      note(
        isStored, value, key, options.timeToLive, limits.age, options.isPermanent)
    case 10:
      try cache.remove("\(key)")
      model.remove(key)
    case 11:
      let entries = settings.integer(0...60)
      try cache.trim(toCount: entries)
      let left = cache.count - model.permanentCount
      try require(left <= max(entries, 0), "\(left) after a trim to \(entries)")
    case 12: try cache.trim(bytes: settings.unsigned(0...2000))
    case 13: try cache.trim(toAge: settings.duration(seconds: 30))
    case 14:
      let life = settings.maybe { $0.duration(seconds: 30) }
      if try cache.renew("\(key)", timeToLive: life), var entry = model.entries[key] {
        entry.used = clock.microseconds
        if !entry.isPermanent {
          entry.expires = CacheModel.expiry(
            life, limit: limits.age, now: clock.microseconds)
        }
        model.store(entry, for: key)
      }
    case 15: try cache.removeExpired()
    case 16: try removeAll { try cache.removeAll(includingPermanent: $0) }
    case 17: pass()
    case 18: try cache.flush()
    case 19 where settings.chance(0.3):
      let value = newValue()
      for key in Self.burst {
        let isStored = try cache.set(Data(value.utf8), for: "\(key)")
        note(isStored, value, key, nil, limits.age, false)
      }
    case 20:
      let entry = try cache.entry(for: "\(key)", acceptingExpired: true)
      try model.check(
        entry.map { text($0.data) }, of: key, now: clock.microseconds, acceptsExpired: true)
    case 21 where settings.chance(0.3):
      try cache.remove { Int($0.name.key).map { Self.isLike($0, key) } ?? false }
      model.removeAll(includingPermanent: true) { Self.isLike($0, key) }
    default:
      let data = try cache.value(for: "\(key)")
      try model.check(data.map(text), of: key, now: clock.microseconds)
    }
  }

  private mutating func call(_ cache: HybridCache<Int, Data>) async throws {
    let key = settings.below(Self.keys)
    switch settings.below(32) {
    case 0...9:
      let (value, options) = (newValue(), self.options())
      let isStored = try await cache.set(Data(value.utf8), for: key, options: options)
      note(isStored, value, key, options.timeToLive, nil, options.isPermanent)
    case 10:
      try await cache.remove(key)
      model.remove(key)
    case 11: cache.trimMemory(toCount: settings.integer(0...60), weight: settings.integer(0...1000))
    case 12:
      try await cache.trimDisk(
        toCount: settings.integer(0...60), bytes: settings.unsigned(0...2000))
    case 13: try await cache.trim(toAge: settings.duration(seconds: 30))
    case 14: cache.handle(settings.pick([.warning, .critical]))
    case 15: try await cache.removeExpired()
    case 16 where settings.chance(0.2):
      let includingPermanent = settings.chance(0.5)
      try await cache.removeAll(includingPermanent: includingPermanent)
      model.removeAll(includingPermanent: includingPermanent)
    case 17: pass()
    case 18: try await cache.flush()
    case 19 where asksOrigin:
      try await fetch(settings.chance(0.5) ? [key] : [key, key + 1, key + 2], cache)
    case 20 where settings.chance(0.3):
      let value = newValue()
      for key in Self.burst {
        note(try await cache.set(Data(value.utf8), for: key), value, key, nil, nil, false)
      }
    case 21 where asksOrigin:
      _ = await cache.results(for: [key]) { _ in [:] }
      // A cached value was not fetched.
      if try await !cache.contains(key) { model.remove(key) }
    case 22: _ = cache.eventStream(buffered: settings.integer(0...10))
    case 23 where settings.chance(0.3):
      try await cache.remove { Int($0.name.key).map { Self.isLike($0, key) } ?? false }
      model.removeAll(includingPermanent: true) { Self.isLike($0, key) }
    default:
      let hit = try await cache.entry(for: key)
      try model.check(hit.map { text($0.value) }, of: key, now: clock.microseconds)
    }
  }

  /// Keys with the last digit of another.
  private static func isLike(_ key: Int, _ other: Int) -> Bool { key % 10 == other % 10 }

  /// Loads several keys at once; the origin has no multiples of five.
  private mutating func load(
    _ cache: MemoryCache<Int, String>, _ limits: MemoryCacheLimits
  ) async throws {
    // Reloads in the background end at any time.
    let configuration = cache.configuration
    guard configuration.refreshAfterWrite == nil, configuration.staleWhileRevalidate == nil else {
      return
    }
    let keys = (0..<4).map { _ in settings.below(Self.keys) }
    let (new, cost) = (newValue(), settings.cost())
    let life = settings.maybe { $0.duration(seconds: 30) }
    let asked = Mutex<Set<Int>>([])
    let values = try await cache.values(
      for: keys, negativeLife: settings.maybe { $0.duration(seconds: 30) },
      timeToLive: { _, _ in life }, fetchCost: cost,
      load: { missing in
        asked.withLock { $0.formUnion(missing) }
        let known = missing.filter { !$0.isMultiple(of: 5) }
        return Dictionary(uniqueKeysWithValues: known.map { ($0, "\(new) of \($0)") })
      })
    for key in Set(keys) {
      guard let value = values[key] else {
        try require(key.isMultiple(of: 5), "key \(key) was not loaded")
        if asked.withLock({ $0.contains(key) }) { model.remove(key) }
        continue
      }
      guard asked.withLock({ $0.contains(key) }) else {
        try model.check(value, of: key, now: clock.microseconds)
        continue
      }
      try require(value == "\(new) of \(key)", "the origin's value is \(value.prefix(20))")
      note(true, value, key, life, limits.age, false)
    }
  }

  private mutating func fetch(_ keys: [Int], _ cache: HybridCache<Int, Data>) async throws {
    let (value, cost) = (newValue(), settings.cost())
    let life = settings.maybe { $0.duration(seconds: 30) }
    let fails = settings.chance(0.3)
    let strategy = settings.pick([CacheStrategy.cacheElseFetch, .fetch, .cacheOnly])
    let answer = { @Sendable () throws -> OriginAnswer<Data> in
      if fails { throw TortureFailure("the origin fails") }
      return .value(Data(value.utf8), maxAge: life, fetchCost: cost)
    }
    var results: [Int: CacheResult<Data>] = [:]
    if keys.count == 1 {
      for key in keys {
        results[key] = await cache.result(for: key, strategy: strategy) { _ in try answer() }
      }
    } else {
      results = await cache.results(for: keys, strategy: strategy) { requests in
        try Dictionary(uniqueKeysWithValues: requests.map { ($0.key, try answer()) })
      }
    }
    try require(results.count == keys.count, "\(results.count) results of \(keys.count) keys")
    for (key, result) in results {
      switch result {
      case .hit(let hit):
        try model.check(
          text(hit.value), of: key, now: clock.microseconds,
          acceptsExpired: hit.freshness == .stale)
      case .miss(let data):
        try require(text(data) == value, "the origin's value is \(text(data).prefix(20))")
        note(true, value, key, life, nil, false)
      case .absent, .failure: break
      }
    }
  }

  private mutating func options() -> DiskStoreOptions {
    DiskStoreOptions(
      timeToLive: settings.maybe { $0.duration(seconds: 30) },
      version: settings.maybe(0.2) { _ in "v1" }, contentType: settings.maybe(0.2) { _ in "text" },
      isPermanent: settings.chance(0.05), fetchCost: settings.cost())
  }

  private mutating func removeAll<Freed>(_ body: (Bool) throws -> Freed) rethrows {
    guard settings.chance(0.2) else { return }
    let includingPermanent = settings.chance(0.5)
    _ = try body(includingPermanent)
    model.removeAll(includingPermanent: includingPermanent)
  }

  private mutating func note(
    _ isStored: Bool, _ value: String, _ key: Int, _ life: Duration?, _ limit: Duration?,
    _ isPermanent: Bool
  ) {
    guard isStored else { return model.remove(key) }
    let expires =
      isPermanent ? .max : CacheModel.expiry(life, limit: limit, now: clock.microseconds)
    model.store(
      CacheModel.Entry(
        value: value, expires: expires, isPermanent: isPermanent, used: clock.microseconds),
      for: key)
  }

  // MARK: Checks

  private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

  private func require(_ isTrue: Bool, _ message: @autoclosure () -> String) throws {
    if !isTrue { throw TortureFailure(message()) }
  }

  /// Text of an error, which must be one line of moderate length.
  private func line(_ error: any Error) throws -> String {
    let text = "\(error)"
    try require(!text.isEmpty && !text.contains("\n") && text.count < 400, "error text '\(text)'")
    return text
  }
}
