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
    name: "redis-lru", family: .random, traits: .evictsOnHit,
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
    state.residents[request.id] = clock | state.residents[request.id] & RedisMemory.expiryBit
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    state.time.tick()
    state.insert(request, clock)
  }

  @inline(__always) func score(_ kept: UInt32) -> UInt32 { (clock &- kept) & RedisLRU.clockMask }

  private var clock: UInt32 {
    UInt32(truncatingIfNeeded: state.time.now / resolution) & RedisLRU.clockMask
  }
}

/// Redis's allkeys-lfu: the least frequently used of the candidates that samples have found so far.
/// Modelled on src/evict.c of Redis 7 and Valkey.
struct RedisLFU: EvictionPolicy, SampledPoolPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "redis-lfu", family: .random, traits: .evictsOnHit,
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
    let expiry = state.residents[request.id] & RedisMemory.expiryBit
    state.residents[request.id] = minutes << 8 | count | expiry
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
    let elapsed = (minutes &- kept >> 8) & RedisLFU.minuteMask
    return count - min(count, elapsed / decay)
  }

  private var minutes: UInt32 {
    UInt32(truncatingIfNeeded: state.time.now / 60_000_000) & RedisLFU.minuteMask
  }
}

/// Redis's evictions, shared by redis-lru and redis-lfu: a few residents, all equally likely, are
/// drawn and offered to a pool, whose highest score is evicted.
protocol SampledPoolPolicy: EvictionPolicy, ~Copyable {
  var state: SampledPool { get set }
  func score(_ kept: UInt32) -> UInt32
}

/// The state of both: the residents with the 24 bits that Redis keeps for each, and the pool.
struct SampledPool: ~Copyable {
  var residents: SampledSet<UInt32>
  var pool: EvictionPool
  var random: SeededGenerator
  var time: RequestTime
  var memory: RedisMemory?
  let samples: Int

  init(_ setup: PolicySetup) throws(PolicyError) {
    let samples = try setup.spec.integer("samples", default: 5, in: 1...64)
    let places = try setup.spec.integer("pool", default: 16, in: 1...64)
    let time = try RequestTime(setup.spec)
    let memory = try RedisMemory(setup)
    self.samples = samples
    self.time = time
    self.memory = memory
    pool = EvictionPool(places: places)
    residents = SampledSet(objects: setup.objects, capacity: setup.expectedResidents)
    random = SeededGenerator(seed: setup.seed)
  }

  @inline(__always) mutating func insert(_ request: Request, _ kept: UInt32) {
    memory?.add(request.size, to: residents.count)
    residents.insert(request.id, kept)
    noteExpiry(request.id, request.expires != Request.noExpiry)
  }

  /// Notes if a resident has a TTL, which takes memory.
  @inline(__always) mutating func noteExpiry(_ id: ObjectID, _ expires: Bool) {
    guard memory != nil, expires != (residents[id] & RedisMemory.expiryBit != 0) else { return }
    memory?.countExpiry(expires)
    residents[id] ^= RedisMemory.expiryBit
  }

  @inline(__always) mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    memory?.used -= UInt64(sizes[id])
    noteExpiry(id, false)
    residents.remove(id)
  }
}

/// Redis's memory besides its entries: that of an empty server, and hash tables of pointers, one of
/// all keys and one of those with a TTL, which has entries of its own. A table doubles when it is
/// full, but only if the new one fits, until it holds 1.618 keys a slot (src/dict.c and
/// dictExpandAllowed in src/server.c of Redis 7).
struct RedisMemory {
  /// Set in what is kept of a resident that has a TTL.
  static var expiryBit: UInt32 { 1 << 31 }

  var used: UInt64 = 0
  private var slots: UInt64 = 4
  private var expiring: UInt64 = 0
  private var expirySlots: UInt64 = 0
  private let expiryBytes: UInt64
  private let empty: UInt64
  private let capacity: UInt64

  init?(_ setup: PolicySetup) throws(PolicyError) {
    let empty = try setup.spec.integer("empty", default: 973_600, in: 0...(1 << 40))
    guard try EntryMemory.counts(setup) else { return nil }
    self.empty = UInt64(empty)
    expiryBytes = setup.spec.values["quantum"] == "8" ? 24 : 32
    capacity = setup.capacity
  }

  @inline(__always) func isOver(adding bytes: UInt64 = 0) -> Bool {
    empty + 8 * (slots + expirySlots) + used + bytes > capacity
  }

  /// True if an entry fits in place of all others.
  @inline(__always) func fits(_ request: Request) -> Bool {
    empty + 8 * (slots + expirySlots) + bytes(of: request) <= capacity
  }

  /// Bytes that a new entry takes, with its TTL.
  @inline(__always) func bytes(of request: Request) -> UInt64 {
    if request.expires == Request.noExpiry { return UInt64(request.size) }
    return UInt64(request.size) + expiryBytes + (expirySlots == 0 ? 32 : 0)
  }

  @inline(__always) mutating func add(_ size: UInt32, to count: Int) {
    slots = grown(slots, holding: UInt64(count))
    used += UInt64(size)
  }

  /// Counts a key that has a TTL from now on, or no longer.
  @inline(__always) mutating func countExpiry(_ begins: Bool) {
    if begins { expirySlots = grown(expirySlots, holding: expiring) }
    expiring = begins ? expiring + 1 : expiring - 1
    used = begins ? used + expiryBytes : used - expiryBytes
  }

  @inline(__always) private func grown(_ slots: UInt64, holding count: UInt64) -> UInt64 {
    if slots == 0 { return 4 }
    guard count >= slots, !isOver(adding: 16 * slots) || Double(count) > 1.618 * Double(slots)
    else { return slots }
    var slots = slots
    while count >= slots { slots *= 2 }
    return slots
  }
}

extension SampledPoolPolicy where Self: ~Copyable {
  static var poolParameters: [PolicyParameter] {
    [
      PolicyParameter(
        "samples", default: "5", "objects drawn for an eviction, 1 to 64 (maxmemory-samples)"),
      PolicyParameter("pool", default: "16", "candidates kept between evictions, 1 to 64"),
      PolicyParameter(
        "empty", default: "973600", isCount: true,
        "bytes of a server without entries, with memory=server, 0 to 1099511627776"),
      PolicyParameter(
        "quantum", default: "16",
        "smallest step of the server's allocator, with memory=server: 16 for the packages of "
          + "Debian and Ubuntu, 8 for Redis's own builds"),
    ]
  }

  static var notices: PolicyNotices { .time.union(.expiries) }

  /// Bytes of an entry in Redis 7.0: the hash table's entry, the key's string, and the value in the
  /// allocation of its object (up to 44 bytes) or in one of its own.
  static func entryBytes(_ spec: PolicySpec, value: UInt64, key: UInt64) -> UInt64 {
    let quantum: UInt64 = spec.values["quantum"] == "8" ? 8 : 16
    func allocated(_ bytes: UInt64) -> UInt64 { EntryMemory.allocated(bytes, quantum: quantum) }
    let keyHeader: UInt64 = key < 32 ? 1 : key < 256 ? 3 : 5
    let common = allocated(24) + allocated(keyHeader + key + 1)
    if value <= 44 { return common + allocated(16 + 3 + value + 1) }
    let header: UInt64 = value < 256 ? 3 : value < 65_536 ? 5 : 9
    return common + 16 + allocated(header + value + 1)
  }

  @inline(__always) mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    if let used = state.memory?.used {
      state.memory?.used = used - UInt64(sizes[request.id]) + UInt64(request.size)
      state.noteExpiry(request.id, request.expires != Request.noExpiry)
    }
    hit(request, sizes)
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    state.memory?.fits(request) ?? true
  }

  @inline(__always) func isFull(for request: Request) -> Bool {
    state.residents.count > 0
      && state.memory.map { $0.isOver(adding: $0.bytes(of: request)) }
        ?? false
  }

  @inline(__always) var overflows: Bool {
    state.residents.count > 0 && state.memory?.isOver() ?? false
  }

  @inline(__always) mutating func notice(_ notice: PolicyNotice) {
    state.time.set(notice)
    guard case .expiry(let id, let expires) = notice else { return }
    state.noteExpiry(id, expires != Request.noExpiry)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { state.residents.contains(id) }
  func remembers(_ id: ObjectID) -> Bool { state.residents.contains(id) || state.pool.contains(id) }
  var ghostsMax: Int { state.pool.places }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    while true {
      // With few residents, Redis samples all of them.
      let count = state.residents.count
      for sample in 0..<min(state.samples, count) {
        let place = count <= state.samples ? sample : Int(state.random.next(below: UInt64(count)))
        let entry = state.residents.entry(at: place)
        state.pool.offer(entry.id, score: score(entry.value))
      }
      while true {
        let candidate = state.pool.takeHighest()
        if candidate == .none { break }
        guard state.residents.contains(candidate) else { continue }
        state.remove(candidate, sizes)
        return candidate
      }
    }
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    state.pool.remove(id)
    if contains(id) { state.remove(id, sizes) }
  }

  mutating func reserve(objects: Int) { state.residents.reserve(objects: objects) }
  @inline(__always) func prefetch(_ id: ObjectID) { state.residents.prefetch(id) }
  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { state.residents.prefetchEntry(id) }
  var stateBytes: Int { state.residents.bytes + state.pool.bytes }
}

/// Redis's pool of eviction candidates: the best of all samples so far, sorted by their scores
/// then. Removed objects are still in it, and an object may be in it twice. O(places).
struct EvictionPool: ~Copyable {
  struct Entry: BitwiseCopyable {
    var id: ObjectID
    var score: UInt32
  }

  var entries: Column<Entry>
  let places: Int
  var count = 0

  init(places: Int) {
    self.places = places
    entries = Column(objects: places)
  }

  @inline(__always) mutating func offer(_ id: ObjectID, score: UInt32) {
    var place = 0
    while place < count, entries[UInt32(place)].score < score { place += 1 }
    if count < places {
      var other = count
      while other > place {
        entries[UInt32(other)] = entries[UInt32(other - 1)]
        other -= 1
      }
      count += 1
    } else {
      if place == 0 { return }
      place -= 1
      for other in 0..<place { entries[UInt32(other)] = entries[UInt32(other + 1)] }
    }
    entries[UInt32(place)] = Entry(id: id, score: score)
  }

  @inline(__always) mutating func takeHighest() -> ObjectID {
    guard count > 0 else { return .none }
    count -= 1
    return entries[UInt32(count)].id
  }

  func contains(_ id: ObjectID) -> Bool { (0..<count).contains { entries[UInt32($0)].id == id } }

  mutating func remove(_ id: ObjectID) {
    var kept = 0
    for place in 0..<count where entries[UInt32(place)].id != id {
      entries[UInt32(kept)] = entries[UInt32(place)]
      kept += 1
    }
    count = kept
  }

  var bytes: Int { entries.bytes }
}
