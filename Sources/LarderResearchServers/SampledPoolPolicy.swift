import LarderEngine

/// Redis's evictions, shared by redis-lru and redis-lfu: a few residents, all equally likely, are
/// drawn and offered to a pool, whose highest score is evicted. Room is made before an object is
/// stored.
protocol SampledPoolPolicy: EvictionPolicy, ~Copyable {
  var residents: SampledSet<UInt32> { get set }
  var pool: EvictionPool { get set }
  var random: SeededGenerator { get set }
  var time: RequestTime { get set }
  var samples: Int { get }
  func score(_ kept: UInt32) -> UInt32
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
  /// allocation of its object (up to 44 bytes) or in one of its own, and 8 to 16 bytes of the
  /// table, counted as 12.
  static func entryBytes(value: UInt64, key: UInt64) -> UInt64 {
    let keyHeader: UInt64 = key < 32 ? 1 : key < 256 ? 3 : 5
    let common = 24 + EntryMemory.allocated(keyHeader + key + 1) + 12
    if value <= 44 { return common + EntryMemory.allocated(16 + 3 + value + 1) }
    let header: UInt64 = value < 256 ? 3 : value < 65_536 ? 5 : 9
    return common + 16 + EntryMemory.allocated(header + value + 1)
  }

  @inline(__always) mutating func notice(_ notice: PolicyNotice) { time.set(notice) }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  func remembers(_ id: ObjectID) -> Bool { residents.contains(id) || pool.contains(id) }

  var ghostsMax: Int { pool.places }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    while true {
      // With few residents, Redis samples all of them.
      let count = residents.count
      for sample in 0..<min(samples, count) {
        let place = count <= samples ? sample : Int(random.next(below: UInt64(count)))
        let entry = residents.entry(at: place)
        pool.offer(entry.id, score: score(entry.value))
      }
      while true {
        let candidate = pool.takeHighest()
        if candidate == .none { break }
        guard residents.contains(candidate) else { continue }
        residents.remove(candidate)
        return candidate
      }
    }
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    pool.remove(id)
    if contains(id) { residents.remove(id) }
  }

  mutating func reserve(objects: Int) { residents.reserve(objects: objects) }

  @inline(__always) func prefetch(_ id: ObjectID) { residents.prefetch(id) }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { residents.prefetchEntry(id) }

  var stateBytes: Int { residents.bytes + pool.bytes }
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
