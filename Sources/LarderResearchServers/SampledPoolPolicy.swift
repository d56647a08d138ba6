import LarderEngine

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
  let samples: Int

  init(_ setup: PolicySetup) throws(PolicyError) {
    let samples = try setup.spec.integer("samples", default: 5, in: 1...64)
    let places = try setup.spec.integer("pool", default: 16, in: 1...64)
    let time = try RequestTime(setup.spec)
    self.samples = samples
    self.time = time
    pool = EvictionPool(places: places)
    residents = SampledSet(objects: setup.objects, capacity: setup.expectedResidents)
    random = SeededGenerator(seed: setup.seed)
  }
}

extension SampledPoolPolicy where Self: ~Copyable {
  static var poolParameters: [PolicyParameter] {
    [
      PolicyParameter(
        "samples", default: "5", "objects drawn for an eviction, 1 to 64 (maxmemory-samples)"),
      PolicyParameter("pool", default: "16", "candidates kept between evictions, 1 to 64"),
    ]
  }

  static var notices: PolicyNotices { .time }

  /// Bytes of an entry in Redis 7.0: the hash table's entry, the key's string, the value in the
  /// allocation of its object (up to 44 bytes) or in one of its own, and 12 of the table.
  static func entryBytes(value: UInt64, key: UInt64) -> UInt64 {
    let keyHeader: UInt64 = key < 32 ? 1 : key < 256 ? 3 : 5
    let common = 24 + EntryMemory.allocated(keyHeader + key + 1) + 12
    if value <= 44 { return common + EntryMemory.allocated(16 + 3 + value + 1) }
    let header: UInt64 = value < 256 ? 3 : value < 65_536 ? 5 : 9
    return common + 16 + EntryMemory.allocated(header + value + 1)
  }

  @inline(__always) mutating func notice(_ notice: PolicyNotice) { state.time.set(notice) }
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
        state.residents.remove(candidate)
        return candidate
      }
    }
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    state.pool.remove(id)
    if contains(id) { state.residents.remove(id) }
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

  func contains(_ id: ObjectID) -> Bool {
    (0..<count).contains { entries[UInt32($0)].id == id }
  }

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
