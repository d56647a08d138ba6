import LarderEngine

/// Plain values, zero at first, in blocks that never move: growing takes the time of one block.
final class DiskBlocks<Element: BitwiseCopyable>: RandomAccessCollection {
  static var length: Int { 1024 }
  // No access contains another one.
  @exclusivity(unchecked) private(set) var endIndex = 0
  @exclusivity(unchecked) private var blocks: [UnsafeMutablePointer<Element>] = []

  var startIndex: Int { 0 }

  init(count: Int = 0) { grow(to: count) }

  deinit { for block in blocks { UnsafeMutableRawPointer(block).deallocate() } }

  subscript(place: Int) -> Element {
    get { address(place).pointee }
    _modify { yield &address(place).pointee }
  }

  private func address(_ place: Int) -> UnsafeMutablePointer<Element> {
    precondition(place >= 0 && place < endIndex)
    return blocks[place / Self.length] + place % Self.length
  }

  func grow(to count: Int) {
    let bytes = MemoryLayout<Element>.stride * Self.length
    while blocks.count * Self.length < count {
      let block = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
      block.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
      blocks.append(block.bindMemory(to: Element.self, capacity: Self.length))
    }
    endIndex = Swift.max(endIndex, count)
  }
}

/// The slots of a disk cache by id, from 1 on, and the ids of its keys by digest.
///
/// Ids are found by linear hashing (Litwin, 1980), with chains through the slots: each new key adds
/// one bucket, which takes its part of another. No call takes time for all entries.
final class DiskSlots: RandomAccessCollection {
  let slots: DiskBlocks<DiskSlot>
  private let heads: DiskBlocks<ObjectID>
  private var free: ObjectID = .none

  /// Slots whose keys are still to be linked.
  init(_ slots: DiskBlocks<DiskSlot> = DiskBlocks()) {
    slots.grow(to: 1)
    self.slots = slots
    // One bucket for each slot: no link has to split one.
    heads = DiskBlocks(count: slots.count)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { slots.endIndex }

  subscript(place: Int) -> DiskSlot {
    get { slots[place] }
    _modify { yield &slots[place] }
  }

  // MARK: Ids of keys

  func find(_ digest: KeyDigest) -> ObjectID? { find(digest, in: bucket(digest)) }

  private func find(_ digest: KeyDigest, in bucket: Int) -> ObjectID? {
    var id = heads[bucket]
    while id != .none {
      if slots[Int(id)].digest == digest { return id }
      id = slots[Int(id)].next
    }
    return nil
  }

  /// Makes the key of a slot known; false if it was.
  @discardableResult func link(_ id: ObjectID) -> Bool {
    let digest = slots[Int(id)].digest
    let bucket = bucket(digest)
    guard find(digest, in: bucket) == nil else { return false }
    push(id, to: bucket)
    return true
  }

  /// Takes a slot for a new key.
  func add(_ key: DiskKey) -> ObjectID {
    let id = takeFree()
    slots[Int(id)].take(key.digest, suite: key.suite)
    link(id)
    return id
  }

  private func takeFree() -> ObjectID {
    if free != .none {
      defer { free = slots[Int(free)].next }
      return free
    }
    slots.grow(to: slots.count + 1)
    if heads.count < slots.count { split() }
    return ObjectID(slots.count - 1)
  }

  var hasFree: Bool { free != .none }

  /// Frees the slot of a key.
  func release(_ id: ObjectID) {
    let bucket = bucket(slots[Int(id)].digest)
    var other = heads[bucket]
    if other == id {
      heads[bucket] = slots[Int(id)].next
    } else {
      while slots[Int(other)].next != id { other = slots[Int(other)].next }
      slots[Int(other)].next = slots[Int(id)].next
    }
    setFree(id)
  }

  /// Frees the slots without a key, the lowest first to be taken. O(slots).
  func collectFree() {
    free = .none
    for place in indices.dropFirst().reversed() where slots[place].state == .free {
      setFree(ObjectID(place))
    }
  }

  private func setFree(_ id: ObjectID) {
    slots[Int(id)] = DiskSlot()
    slots[Int(id)].next = free
    free = id
  }

  private func push(_ id: ObjectID, to bucket: Int) {
    slots[Int(id)].next = heads[bucket]
    heads[bucket] = id
  }

  private func bucket(_ digest: KeyDigest) -> Int {
    let mask = Int.max >> (heads.count.leadingZeroBitCount - 1)
    let bucket = Int(truncatingIfNeeded: digest.checksumSeed) & mask
    return bucket < heads.count ? bucket : bucket & mask >> 1
  }

  private func split() {
    let old = heads.count ^ 1 << (Int.bitWidth - 1 - heads.count.leadingZeroBitCount)
    heads.grow(to: heads.count + 1)
    var id = heads[old]
    heads[old] = .none
    while id != .none {
      let next = slots[Int(id)].next
      push(id, to: bucket(slots[Int(id)].digest))
      id = next
    }
  }
}

/// State of an id in memory: 72 bytes, as they are in a snapshot.
struct DiskSlot: BitwiseCopyable {
  enum State: UInt8 {
    case free
    case known
    case permanent
  }

  private(set) var digest = KeyDigest()
  var checksum: UInt64 = 0
  var file: UInt64 = 0
  var created: UInt64 = 0
  private var accessedNumber = DiskNumber()
  var hits: UInt8 = 0
  private var flags: UInt8 = 0
  private var storedNumber = DiskNumber()
  var rowUnits: UInt16 = 0
  private var age: UInt32 = 0
  var bytes: UInt32 = 0
  var suite: UInt32 = 0
  var written: UInt32 = 0
  fileprivate(set) var next: ObjectID = .none
  var cost: Float = 0

  /// The number of the first store of the value or one that it replaced; at most 2^32 before
  /// `stored`.
  var inserted: UInt64 { stored - UInt64(age) }
  var stored: UInt64 { storedNumber.value }
  var accessed: UInt64 {
    get { accessedNumber.value }
    set { accessedNumber = DiskNumber(newValue) }
  }

  var state: State {
    get { State(rawValue: flags & 3) ?? .free }
    set { flags = flags & ~3 | newValue.rawValue }
  }
  var isStored: Bool {
    get { self[4] }
    set { self[4] = newValue }
  }
  var isHitBefore: Bool {
    get { self[8] }
    set { self[8] = newValue }
  }
  /// True if the row has a version or a content type.
  var hasTexts: Bool {
    get { self[16] }
    set { self[16] = newValue }
  }
  var mustRevalidate: Bool {
    get { self[32] }
    set { self[32] = newValue }
  }

  /// False for numbers that no store has written.
  var isSound: Bool {
    state != .free && stored >= UInt64(age) && file <= DiskFolder.numberMax && bytes < .max
  }

  private subscript(flag: UInt8) -> Bool {
    get { flags & flag != 0 }
    set { flags = newValue ? flags | flag : flags & ~flag }
  }

  // Each changes the slot in one access, because every access to the slots is bounds-checked.

  mutating func take(_ digest: KeyDigest, suite: UInt32) {
    self.digest = digest
    self.suite = suite
    state = .known
  }

  mutating func store(_ row: DiskRow, written age: UInt32, hasTexts: Bool) {
    flags = 0
    state = row.isPermanent ? .permanent : .known
    isStored = true
    hits = 0
    bytes = row.bytes
    cost = row.cost
    file = row.file
    checksum = row.checksum
    storedNumber = DiskNumber(row.stored)
    self.age = UInt32(clamping: row.stored - row.inserted)
    accessed = row.stored
    created = row.created
    mustRevalidate = row.mustRevalidate
    written = age
    self.hasTexts = hasTexts
  }

  mutating func reopen() {
    isHitBefore = false
    written = 0
  }

  mutating func use(_ number: UInt64) {
    accessed = number
    if hits < .max { hits += 1 }
  }

  mutating func unstore() {
    isStored = false
    file = 0
    state = .known
  }
}

/// A sequence number in six bytes.
private struct DiskNumber: BitwiseCopyable {
  private var low: UInt32 = 0
  private var high: UInt16 = 0

  init() {}

  init(_ value: UInt64) {
    low = UInt32(truncatingIfNeeded: value)
    high = UInt16(truncatingIfNeeded: value >> 32)
  }

  var value: UInt64 { UInt64(low) | UInt64(high) << 32 }
}
