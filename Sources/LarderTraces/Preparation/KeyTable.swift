import CLarderShims
import LarderEngine

/// Numbers the keys of a trace 1, 2, 3 ... in order of first appearance.
///
/// Open addressing with linear probing. A slot is 8 bytes: the id and 32 bits of the key's hash;
/// the keys themselves stand in a column by id, 8 bytes each, and are looked at only where the
/// hash bits agree. Objects that are asked for often appear early, so their keys sit together.
/// A table costs 8 bytes an object and 13 to 27 for the slots.
///
/// Requests are handled in blocks of three passes (bring the slots near, bring the keys near,
/// look), so that the memory's latency is paid once a block and not once a request.
struct KeyTable: ~Copyable {
  /// How many keys have been numbered.
  private(set) var count = 0

  private var slots: GrowableColumn<UInt64>
  private var bits: UInt64
  /// The key of id `i` at `i`.
  private var keys: GrowableColumn<UInt64>
  private let maximum: Int
  private let memory: MemoryBudget
  private let hashes: UnsafeMutablePointer<UInt64>

  /// Requests per block: enough to hide latency, few enough to stay in the L1 cache.
  private static let block = 64
  private static let initialBits: UInt64 = 14
  /// From 128 MiB on.
  private static let watchedBits: UInt64 = 24

  /// An empty table that refuses more than `maximum` objects, and to grow beyond the memory there
  /// is.
  init(
    maximum: Int = ObjectID.maximumCount, memory: MemoryBudget = .machine
  ) throws(TraceError) {
    // Into locals first: what can fail must be over before a noncopyable value has parts.
    let keys = try GrowableColumn<UInt64>(capacity: 1 << 14)
    let slots = try GrowableColumn<UInt64>(capacity: 1 << KeyTable.initialBits)
    self.keys = keys
    self.slots = slots
    self.maximum = maximum
    self.memory = memory
    bits = KeyTable.initialBits
    hashes = .allocate(capacity: KeyTable.block)
  }

  deinit { hashes.deallocate() }

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
      newBytes += numberBlock(records + start, size, ids + start)
      if count > maximum { throw tooMany }
      start += size
    }
    return newBytes
  }

  @inline(__always)
  private mutating func numberBlock(
    _ records: UnsafePointer<TraceRecord>, _ size: Int, _ ids: UnsafeMutablePointer<ObjectID>
  ) -> UInt64 {
    let (slots, keys, hashes) = (slots.base, keys.base, hashes)
    let (shift, mask) = (64 - bits, (UInt64(1) << bits) - 1)
    for i in 0..<size {
      let hash = KeyTable.hash(records[i].key)
      hashes[i] = hash
      larder_prefetch(slots + Int(hash &>> shift))
    }
    for i in 0..<size {
      larder_prefetch(keys + Int(slots[Int(hashes[i] &>> shift)] & 0xFFFF_FFFF))
    }
    var count = count
    var newBytes: UInt64 = 0
    for i in 0..<size {
      let (key, hash) = (records[i].key, hashes[i])
      var index = hash &>> shift
      while true {
        let slot = slots[Int(index)]
        let id = UInt32(truncatingIfNeeded: slot)
        if id == 0 {
          count &+= 1
          assert(count < self.keys.capacity && count * 5 <= 3 << bits, "makeRoom made none")
          slots[Int(index)] = hash << 32 | UInt64(truncatingIfNeeded: count)
          keys[count] = key
          newBytes &+= UInt64(records[i].size)
          ids[i] = UInt32(truncatingIfNeeded: count)
          break
        }
        if slot &>> 32 == hash & 0xFFFF_FFFF && keys[Int(id)] == key {
          ids[i] = id
          break
        }
        index = (index &+ 1) & mask
      }
    }
    self.count = count
    return newBytes
  }

  /// The high bits choose the slot, the low ones are kept in it.
  @inline(__always)
  private static func hash(_ key: UInt64) -> UInt64 {
    let product = (key ^ 0x2545_F491_4F6C_DD1D).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }

  /// Sees to it that `more` new keys fit below the largest load, 60 %.
  @inline(__always)
  private mutating func makeRoom(for more: Int) throws(TraceError) {
    let needed = count + more
    try keys.reserve(needed + 1)
    if needed * 5 > 3 << bits { try grow(needed) }
  }

  @inline(never)
  private mutating func grow(_ needed: Int) throws(TraceError) {
    while needed * 5 > 3 << bits { bits += 1 }
    // The old slots first: the keys are all that is needed to fill the new ones.
    slots = try GrowableColumn(capacity: 1)
    // All of them are touched at once. What is smaller is not worth asking the system.
    if bits >= KeyTable.watchedBits {
      try memory.check(
        8 << bits, for: "the keys of \(count) objects", in: "preparation",
        advice: "use a part of the trace, or read a sample of its objects: --sample 1/100")
    }
    slots = try GrowableColumn(capacity: 1 << bits)
    fillSlots()
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
        larder_prefetch(slots + Int(KeyTable.hash(keys[id + 1 + ahead]) &>> (64 - bits)))
      }
      let hash = KeyTable.hash(keys[id + 1])
      var index = hash &>> (64 - bits)
      while slots[Int(index)] != 0 { index = (index &+ 1) & mask }
      slots[Int(index)] = hash << 32 | UInt64(id + 1)
    }
  }
}
