import CLarderShims
import LarderEngine
import LarderLibc

/// Numbers the keys of a trace 1, 2, 3 ... in order of first appearance.
final class KeyTable {
  private(set) var count = 0

  private var slots: GrowableColumn<UInt64>
  private var bits: UInt64
  /// Key of id `i` at index `i`.
  private let keys: GrowableColumn<UInt64>
  private let maximum: Int
  private let memory: MemoryBudget
  private let ring = UnsafeMutablePointer<KeyLookups.Lookup>.allocate(capacity: KeyLookups.lookups)

  private static let block = 2048
  private static let initialBits: UInt64 = 14
  private let watchedBits: UInt64

  /// Rejects more than `maximum` objects; checks the memory from 2^`watchedBits` slots on.
  init(
    maximum: Int = ObjectID.maximumCount, memory: MemoryBudget = .machine, watchedBits: UInt64 = 24
  ) throws(TraceError) {
    (self.maximum, self.memory, self.watchedBits) = (maximum, memory, watchedBits)
    bits = KeyTable.initialBits
    keys = try GrowableColumn(capacity: 1 << 14)
    slots = try GrowableColumn(capacity: 1 << KeyTable.initialBits)
  }

  deinit { ring.deallocate() }

  /// Writes the ids of records; total size of those that are the first of their object.
  func number(
    _ records: UnsafePointer<TraceRecord>, count requests: Int,
    into ids: UnsafeMutablePointer<ObjectID>
  ) throws(TraceError) -> UInt64 {
    var newBytes: UInt64 = 0
    var start = 0
    while start < requests {
      let size = min(KeyTable.block, requests - start)
      try makeRoom(for: size)
      newBytes += numberBlock(records + start, size, ids + start)
      if count > maximum {
        throw TraceError(
          "more than \(maximum) distinct objects", in: "preparation",
          advice: MemoryBudget.sampleAdvice)
      }
      start += size
    }
    return newBytes
  }

  @inline(__always) private func numberBlock(
    _ records: UnsafePointer<TraceRecord>, _ size: Int, _ ids: UnsafeMutablePointer<ObjectID>
  ) -> UInt64 {
    let (lookups, keys) = (lookups, keys.base)
    var count = count
    var newBytes: UInt64 = 0
    lookups.each(
      of: size, ring, key: { records[$0].key },
      look: { place, lookup in
        let key = records[place].key
        var id = lookups.find(key, lookup)
        if id == 0 {
          // It may have been added since.
          let (found, slot) = lookups.probe(key, lookup.hash)
          id = found
          if id == 0 {
            count &+= 1
            assert(count < self.keys.capacity && count * 5 <= 3 << bits, "makeRoom made none")
            id = UInt32(truncatingIfNeeded: count)
            keys[count] = key
            lookups.slots[slot] = lookup.hash << 32 | UInt64(id)
            newBytes &+= UInt64(records[place].size)
          }
        }
        ids[place] = id
      })
    self.count = count
    return newBytes
  }

  @inline(__always) private func makeRoom(for more: Int) throws(TraceError) {
    let needed = count + more
    if needed >= keys.capacity || needed * 5 > 3 << bits { try grow(needed) }
  }

  @inline(never) private func grow(_ needed: Int) throws(TraceError) {
    try keys.reserve(needed + 1)
    guard needed * 5 > 3 << bits else { return }
    while needed * 5 > 3 << bits { bits += 1 }
    // Frees the old slots first: the keys are sufficient to fill the new ones.
    slots = try GrowableColumn(capacity: 1)
    // All slots are touched at once. Smaller tables are not worth a system call.
    if bits >= watchedBits {
      try memory.check(
        8 << bits, for: "the keys of \(count) objects", in: "preparation",
        advice: MemoryBudget.sampleAdvice)
    }
    slots = try GrowableColumn(capacity: 1 << bits)
    fillSlots()
  }

  private var lookups: KeyLookups { KeyLookups(slots: slots.base, keys: keys.base, bits: bits) }

  private func fillSlots() {
    let (slots, keys, mask) = (slots.base, keys.base, (UInt64(1) << bits) - 1)
    let ahead = 16
    for id in 0..<count {
      if id + ahead < count {
        larder_prefetch(slots + Int(KeyLookups.hash(keys[id + 1 + ahead]) &>> (64 - bits)))
      }
      let hash = KeyLookups.hash(keys[id + 1])
      var index = hash &>> (64 - bits)
      while slots[Int(index)] != 0 { index = (index &+ 1) & mask }
      slots[Int(index)] = hash << 32 | UInt64(id + 1)
    }
  }
}

struct KeyLookups {
  /// Slots: the id in the low half, bits of the key's hash in the high one; 0 if empty.
  let slots: UnsafeMutablePointer<UInt64>
  let keys: UnsafeMutablePointer<UInt64>
  private let shift: UInt64
  private let mask: Int

  init(slots: UnsafeMutablePointer<UInt64>, keys: UnsafeMutablePointer<UInt64>, bits: UInt64) {
    (self.slots, self.keys) = (slots, keys)
    shift = 64 - bits
    mask = 1 << Int(bits) - 1
  }

  /// A look-up in progress: the key's hash, and the result of `candidate`.
  struct Lookup: BitwiseCopyable {
    var hash: UInt64
    var id: UInt32
  }

  /// Distance in keys between steps: enough to hide the memory's latency, few enough that
  /// prefetched lines stay in the L1 cache.
  private static let distance = 60
  static let lookups = 128

  @inline(__always) static func hash(_ key: UInt64) -> UInt64 {
    let product = (key ^ 0x2545_F491_4F6C_DD1D).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }

  @inline(__always) func find(_ key: UInt64, _ lookup: Lookup) -> UInt32 {
    // Different keys with equal hash bits in one slot are rare.
    lookup.id == 0 || keys[Int(lookup.id)] == key ? lookup.id : probe(key, lookup.hash).id
  }

  /// Id and slot of a key; 0 and the free slot for it if it is missing.
  @inline(__always) func probe(_ key: UInt64, _ hash: UInt64) -> (id: UInt32, slot: Int) {
    var index = first(hash)
    while true {
      let slot = slots[index]
      let id = UInt32(truncatingIfNeeded: slot)
      if id == 0 || (slot &>> 32 == hash & 0xFFFF_FFFF && keys[Int(id)] == key) {
        return (id, index)
      }
      index = (index &+ 1) & mask
    }
  }

  @inline(__always) private func candidate(_ hash: UInt64) -> UInt32 {
    var index = first(hash)
    while true {
      let slot = slots[index]
      let id = UInt32(truncatingIfNeeded: slot)
      if id == 0 || slot &>> 32 == hash & 0xFFFF_FFFF { return id }
      index = (index &+ 1) & mask
    }
  }

  @inline(__always) private func first(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash &>> shift)
  }

  @inline(__always) func each(
    of count: Int, _ ring: UnsafeMutablePointer<Lookup>, key: (Int) -> UInt64,
    look: (Int, Lookup) -> Void
  ) {
    let (distance, mask) = (Self.distance, Self.lookups - 1)
    for step in 0..<count &+ 2 &* distance {
      if step < count {
        let hash = Self.hash(key(step))
        ring[step & mask] = Lookup(hash: hash, id: 0)
        larder_prefetch_shared(slots + first(hash))
      }
      let near = step &- distance
      if UInt(bitPattern: near) < UInt(bitPattern: count) {
        let id = candidate(ring[near & mask].hash)
        ring[near & mask].id = id
        larder_prefetch_shared(keys + Int(id))
      }
      let due = near &- distance
      if due >= 0 { look(due, ring[due & mask]) }
    }
  }
}

/// Numbers keys below a limit with a table of the ids of all possible keys, 4 bytes each.
struct DirectTable {
  private(set) var count = 0

  private let ids: GrowableColumn<ObjectID>
  private let limit: UInt64

  /// Maximum limit for a direct table: 1 GiB of ids.
  static let limitMaximum = 1 << 28

  init(limit: Int) throws(TraceError) {
    ids = try GrowableColumn(capacity: max(1, limit))
    self.limit = UInt64(max(1, limit))
  }

  mutating func number(
    _ records: UnsafePointer<TraceRecord>, count requests: Int,
    into result: UnsafeMutablePointer<ObjectID>
  ) throws(TraceError) -> UInt64 {
    let ahead = 16
    let (ids, limit) = (ids.base, limit)
    var last = UInt32(truncatingIfNeeded: count)
    var newBytes: UInt64 = 0
    for i in 0..<requests {
      if i + ahead < requests {
        // Keys beyond the limit are rejected in their turn; prefetching is harmless.
        larder_prefetch(ids + Int(truncatingIfNeeded: min(records[i + ahead].key, limit &- 1)))
      }
      let key = records[i].key
      guard key < limit else {
        throw TraceError(
          "key \(key) is not below the limit of its source \(limit)", in: "preparation")
      }
      var id = ids[Int(truncatingIfNeeded: key)]
      if id == 0 {
        last &+= 1
        id = last
        ids[Int(truncatingIfNeeded: key)] = id
        newBytes &+= UInt64(records[i].size)
      }
      result[i] = id
    }
    count = Int(last)
    return newBytes
  }
}
