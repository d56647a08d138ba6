import CLarderShims
import Synchronization

/// Where the parts of a `KeyTable` are, for looking keys up many at a time.
struct KeyLookups {
  /// The id in the low half, bits of the key's hash in the high one; 0 where there is no key.
  let slots: UnsafeMutablePointer<Atomic<UInt64>>
  /// The key of id `i` at `i`.
  let keys: UnsafeMutablePointer<UInt64>
  private let shift: UInt64
  private let mask: Int

  /// The parts of a table of 2^`bits` slots.
  init(slots: UnsafeMutablePointer<UInt64>, keys: UnsafeMutablePointer<UInt64>, bits: UInt64) {
    // An atomic word is in memory what the word is.
    self.slots = UnsafeMutableRawPointer(slots).assumingMemoryBound(to: Atomic<UInt64>.self)
    self.keys = keys
    shift = 64 - bits
    mask = 1 << Int(bits) - 1
  }

  /// A key on its way: its hash, and what `candidate` found for it.
  struct Lookup: BitwiseCopyable {
    var hash: UInt64
    var id: UInt32
  }

  /// Keys from one step to the next: enough to hide the memory's latency, few enough for what was
  /// brought near to stay in the L1 cache.
  private static let distance = 60
  /// Room that `each` needs.
  static let lookups = 128

  /// The high bits of a hash choose the slot, the low ones are kept in it.
  @inline(__always)
  static func hash(_ key: UInt64) -> UInt64 {
    let product = (key ^ 0x2545_F491_4F6C_DD1D).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }

  /// The id of a key that is there, or 0. The key of an id must be near.
  @inline(__always)
  func find(_ key: UInt64, _ lookup: Lookup) -> UInt32 {
    // Two keys with the same 32 bits at the same place are rare.
    lookup.id == 0 || keys[Int(lookup.id)] == key ? lookup.id : probe(key, lookup.hash).id
  }

  /// The id of a key and the slot where it is; 0 and the slot where it belongs if it is not there.
  @inline(__always)
  func probe(_ key: UInt64, _ hash: UInt64) -> (id: UInt32, slot: Int) {
    var index = first(hash)
    while true {
      let slot = slots[index].load(ordering: .acquiring)
      let id = UInt32(truncatingIfNeeded: slot)
      if id == 0 || (slot &>> 32 == hash & 0xFFFF_FFFF && keys[Int(id)] == key) {
        return (id, index)
      }
      index = (index &+ 1) & mask
    }
  }

  /// The first id that may be that of a key with this hash, going by the bits in the slots; 0 where
  /// there is none.
  @inline(__always)
  private func candidate(_ hash: UInt64) -> UInt32 {
    var index = first(hash)
    while true {
      let slot = slots[index].load(ordering: .acquiring)
      let id = UInt32(truncatingIfNeeded: slot)
      if id == 0 || slot &>> 32 == hash & 0xFFFF_FFFF { return id }
      index = (index &+ 1) & mask
    }
  }

  @inline(__always)
  private func first(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> shift) }

  /// Calls `look` for each of `count` keys, in order, when what it needs has been brought near.
  ///
  /// A key goes through three steps, each some keys behind the one before: bring the slots near,
  /// find the candidate and bring its key near, look.
  @inline(__always)
  func each(
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
