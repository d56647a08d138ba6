import CLarderShims
import LarderEngine

/// Numbers the keys of a trace 1, 2, 3 ... in order of first appearance.
///
/// Open addressing with linear probing. A slot is 8 bytes: the id and 32 bits of the key's hash;
/// the keys themselves stand in a column by id, 8 bytes each, and are looked at only where the
/// hash bits agree. Objects that are asked for often appear early, so their keys sit together.
/// A table costs 8 bytes an object and 13 to 27 for the slots.
///
/// Many requests wait for memory at the same time (`KeyLookups.each`).
///
/// One thread numbers. Others may look keys up meanwhile (`SharedKeys`): a slot is written once,
/// after the key that it stands for.
struct KeyTable: ~Copyable {
  /// How many keys have been numbered.
  private(set) var count = 0

  private var slots: GrowableColumn<UInt64>
  private var bits: UInt64
  /// The key of id `i` at `i`.
  private var keys: GrowableColumn<UInt64>
  private let maximum: Int
  private let memory: MemoryBudget
  private let ring: UnsafeMutablePointer<KeyLookups.Lookup>
  /// Threads that look keys up, if there are any.
  private var sharing: SharedKeys?

  /// Requests for which there is room before any of them is numbered.
  private static let block = 2048
  private static let initialBits: UInt64 = 14
  private let watchedBits: UInt64

  /// An empty table that refuses more than `maximum` objects, and to grow beyond the memory there
  /// is, which it asks about from 2^`watchedBits` slots on: by default 128 MiB.
  init(
    maximum: Int = ObjectID.maximumCount, memory: MemoryBudget = .machine, watchedBits: UInt64 = 24
  ) throws(TraceError) {
    // Into locals first: what can fail must be over before a noncopyable value has parts.
    let keys = try GrowableColumn<UInt64>(capacity: 1 << 14)
    let slots = try GrowableColumn<UInt64>(capacity: 1 << KeyTable.initialBits)
    self.keys = keys
    self.slots = slots
    self.maximum = maximum
    self.memory = memory
    self.watchedBits = watchedBits
    bits = KeyTable.initialBits
    ring = .allocate(capacity: KeyLookups.lookups)
  }

  deinit { ring.deallocate() }

  /// Writes the ids of `count` records to `ids` and returns the sum of the sizes of those that are
  /// the first of their object.
  ///
  /// - Throws: when there are more objects than ids, or no memory.
  /// - Complexity: O(count) expected.
  mutating func number(
    _ records: UnsafePointer<TraceRecord>, count requests: Int,
    into ids: UnsafeMutablePointer<ObjectID>
  ) throws(TraceError) -> UInt64 {
    var newBytes: UInt64 = 0
    var start = 0
    while start < requests {
      let size = min(KeyTable.block, requests - start)
      try makeRoom(for: size)
      newBytes += numberBlock(records + start, size, ids + start, at: { $0 })
      if count > maximum { throw tooMany }
      start += size
    }
    return newBytes
  }

  /// As `number`, for some of the records alone: those at `places`, in ascending order.
  mutating func number(
    _ records: UnsafePointer<TraceRecord>, at places: UnsafeBufferPointer<UInt32>,
    into ids: UnsafeMutablePointer<ObjectID>
  ) throws(TraceError) -> UInt64 {
    var newBytes: UInt64 = 0
    var start = 0
    while start < places.count {
      let (first, size) = (start, min(KeyTable.block, places.count - start))
      try makeRoom(for: size)
      newBytes += numberBlock(records, size, ids, at: { Int(places[first + $0]) })
      if count > maximum { throw tooMany }
      start += size
    }
    return newBytes
  }

  @inline(__always)
  private mutating func numberBlock(
    _ records: UnsafePointer<TraceRecord>, _ size: Int, _ ids: UnsafeMutablePointer<ObjectID>,
    at place: (Int) -> Int
  ) -> UInt64 {
    let (lookups, keys) = (lookups, keys.base)
    var count = count
    var newBytes: UInt64 = 0
    lookups.each(
      of: size, ring, key: { records[place($0)].key },
      look: { i, lookup in
        let place = place(i)
        let key = records[place].key
        var id = lookups.find(key, lookup)
        if id == 0 {
          // It may have come in since.
          let (found, slot) = lookups.probe(key, lookup.hash)
          id = found
          if id == 0 {
            count &+= 1
            assert(count < self.keys.capacity && count * 5 <= 3 << bits, "makeRoom made none")
            id = UInt32(truncatingIfNeeded: count)
            keys[count] = key
            lookups.slots[slot].store(lookup.hash << 32 | UInt64(id), ordering: .releasing)
            newBytes &+= UInt64(records[place].size)
          }
        }
        ids[place] = id
      })
    self.count = count
    return newBytes
  }

  /// Sees to it that `more` new keys fit below the largest load, 60 %.
  @inline(__always)
  private mutating func makeRoom(for more: Int) throws(TraceError) {
    let needed = count + more
    if needed >= keys.capacity || needed * 5 > 3 << bits { try grow(needed) }
  }

  @inline(never)
  private mutating func grow(_ needed: Int) throws(TraceError) {
    // Nobody may look while keys and slots move, nor afterwards when there are none: a table that
    // could not grow has no slots.
    sharing?.lock()
    var isWhole = false
    defer { sharing?.unlock(isWhole ? lookups : nil) }
    try keys.reserve(needed + 1)
    guard needed * 5 > 3 << bits else {
      isWhole = true
      return
    }
    while needed * 5 > 3 << bits { bits += 1 }
    // The old slots first: the keys are all that is needed to fill the new ones.
    slots = try GrowableColumn(capacity: 1)
    // All of them are touched at once. What is smaller is not worth asking the system.
    if bits >= watchedBits {
      try memory.check(
        8 << bits, for: "the keys of \(count) objects", in: "preparation",
        advice: "use a part of the trace, or read a sample of its objects: --sample 1/100")
    }
    slots = try GrowableColumn(capacity: 1 << bits)
    fillSlots()
    isWhole = true
  }

  /// Lets other threads look keys up until the table is gone.
  mutating func share() -> SharedKeys {
    let keys = sharing ?? SharedKeys(lookups)
    sharing = keys
    return keys
  }

  private var lookups: KeyLookups {
    KeyLookups(slots: slots.base, keys: keys.base, bits: bits)
  }

  private var tooMany: TraceError {
    TraceError(
      "more than \(maximum) distinct objects", in: "preparation",
      advice: "shorten the trace, or read a sample of its objects: --sample 1/100")
  }

  /// Puts all keys into the empty slots.
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
