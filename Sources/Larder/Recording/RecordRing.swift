public import CLarderShims
import LarderEngine
public import Synchronization

/// A ring buffer for operations, with one producer and one consumer at a time.
///
/// The producer has the ring exclusively because of its reader slot or lock; the consumer is the
/// thread that writes the recording. So neither waits for the other, and recording needs no locked
/// instruction. Operations that find the ring full are counted and lost.
///
/// A get is one word, because the main cost is fetching a cache line back from the processor that
/// consumed it: the lowest two bits are the type of a word (`RecordWord`), the others are the hash
/// or, before the first get with another time, that time.
@usableFromInline struct RecordRing {
  @inlinable static var unit: Int { 8 }
  @inlinable static var header: Int { 256 }

  @usableFromInline let place: UnsafeMutableRawPointer
  @usableFromInline let capacity: UInt32

  @inlinable @inline(__always) init(at place: UnsafeMutableRawPointer, capacity: UInt32) {
    self.place = place
    self.capacity = capacity
  }

  static func create(at place: UnsafeMutableRawPointer) {
    place.initializeMemory(as: UInt8.self, repeating: 0, count: header)
    place.bindMemory(to: Atomic<UInt32>.self, capacity: 1).initialize(to: Atomic(0))
    (place + 16).bindMemory(to: Atomic<UInt64>.self, capacity: 1).initialize(to: Atomic(0))
    (place + 128).bindMemory(to: Atomic<UInt32>.self, capacity: 1).initialize(to: Atomic(0))
  }

  @inlinable var head: UnsafeMutablePointer<Atomic<UInt32>> {
    @inline(__always) get { place.assumingMemoryBound(to: Atomic<UInt32>.self) }
  }

  @inlinable var lost: UnsafeMutablePointer<Atomic<UInt64>> {
    @inline(__always) get { (place + 16).assumingMemoryBound(to: Atomic<UInt64>.self) }
  }

  @inlinable var tail: UnsafeMutablePointer<Atomic<UInt32>> {
    @inline(__always) get { (place + 128).assumingMemoryBound(to: Atomic<UInt32>.self) }
  }

  // Value of `tail` when it was last read, and the latest recorded time; used only by the producer.

  @inlinable var knownTail: UInt32 {
    @inline(__always) get { place.load(fromByteOffset: 4, as: UInt32.self) }
    @inline(__always) nonmutating set {
      place.storeBytes(of: newValue, toByteOffset: 4, as: UInt32.self)
    }
  }

  @inlinable var latest: UInt64 {
    @inline(__always) get { place.load(fromByteOffset: 8, as: UInt64.self) }
    @inline(__always) nonmutating set {
      place.storeBytes(of: newValue, toByteOffset: 8, as: UInt64.self)
    }
  }

  var drainedTime: UInt64 {
    get { place.load(fromByteOffset: 136, as: UInt64.self) }
    nonmutating set { place.storeBytes(of: newValue, toByteOffset: 136, as: UInt64.self) }
  }

  @inlinable @inline(__always) func unit(_ number: UInt32) -> UnsafeMutableRawPointer {
    let offset: Int = Int(number & (capacity &- 1)) &* Self.unit
    return place + (Self.header &+ offset)
  }

  @inlinable subscript(number: UInt32) -> UInt64 {
    @inline(__always) get { unit(number).load(as: UInt64.self) }
    @inline(__always) nonmutating set { unit(number).storeBytes(of: newValue, as: UInt64.self) }
  }

  @inlinable @inline(__always) func hasRoom(_ words: UInt32, _ head: UInt32) -> Bool {
    head &- knownTail &+ words <= capacity || looksForRoom(words, head)
  }

  @inlinable @inline(never) func looksForRoom(_ words: UInt32, _ head: UInt32) -> Bool {
    knownTail = tail.pointee.load(ordering: .acquiring)
    return head &- knownTail &+ words <= capacity
  }

  @inlinable @inline(__always) func note(get hash: UInt64, isHit: Bool, now: UInt64) -> Bool {
    let head = head.pointee.load(ordering: .relaxed)
    larder_prefetch_exclusive(unit(head &+ Self.ahead))
    if now > latest { return note(get: hash, isHit: isHit, newTime: now, head) }
    guard hasRoom(1, head) else { return lose() }
    self[head] = RecordWord.get(hash, isHit: isHit)
    return publish(head, head &+ 1)
  }

  @inlinable static var ahead: UInt32 { 16 }

  @inlinable @inline(never) func note(
    get hash: UInt64, isHit: Bool, newTime: UInt64, _ head: UInt32
  ) -> Bool {
    guard hasRoom(2, head) else { return lose() }
    latest = newTime
    self[head] = RecordWord.time(newTime)
    self[head &+ 1] = RecordWord.get(hash, isHit: isHit)
    return publish(head, head &+ 2)
  }

  func note(_ unit: RecordUnit) -> Bool {
    let head = head.pointee.load(ordering: .relaxed)
    let words = unit.words
    guard hasRoom(words, head) else { return lose() }
    latest = max(unit.time, latest)
    unit.store(in: self, at: head, time: latest)
    return publish(head, head &+ words)
  }

  /// Makes words up to `end` visible to the writer, with everything stored before:
  /// `larder_end_protection` is a release store, which pairs with the acquiring load of `head` in
  /// `RecordDrain`.
  @inlinable @inline(__always) func publish(_ start: UInt32, _ end: UInt32) -> Bool {
    larder_end_protection(place, end)
    // Once per quarter of the ring.
    return (start ^ end) & ~(capacity / 4 &- 1) != 0
  }

  @inlinable @inline(never) func lose() -> Bool {
    lost.pointee.store(lost.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    return true
  }
}

/// The rings of a cache that is or was recorded, one per reader slot or, without them, per shard.
/// Created with the first recording, and kept as long as the cache: a thread that has seen a
/// recording may record an operation after it was stopped.
///
/// Memory: a cache line with the time and the alarm of the writer, then the rings.
@usableFromInline struct RecordRings {
  @usableFromInline let base: UnsafeMutableRawPointer

  @inlinable @inline(__always) init(at base: UnsafeMutableRawPointer) { self.base = base }

  /// Creates `count` rings. They take 256 KiB each, and 8 MiB at most together unless that is less
  /// than 4 KiB each; the system allocates memory when it is first written.
  static func create(count: Int, _ alarm: RecordAlarm) -> RecordRings {
    var capacity: UInt32 = 32_768
    while capacity > 512, Int(capacity) * RecordRing.unit * count > 8 << 20 { capacity /= 2 }
    let stride = RecordRing.header + Int(capacity) * RecordRing.unit
    let base = UnsafeMutableRawPointer.allocate(
      byteCount: control + stride * count, alignment: 128)
    base.bindMemory(to: Atomic<UInt64>.self, capacity: 1).initialize(to: Atomic(0))
    base.storeBytes(of: UInt32(count), toByteOffset: 8, as: UInt32.self)
    base.storeBytes(of: capacity, toByteOffset: 12, as: UInt32.self)
    base.storeBytes(
      of: Unmanaged.passUnretained(alarm).toOpaque(), toByteOffset: 16,
      as: UnsafeMutableRawPointer.self)
    let rings = RecordRings(at: base)
    for index in 0..<count { RecordRing.create(at: rings.ring(index).place) }
    return rings
  }

  func destroy() { base.deallocate() }

  @inlinable static var control: Int { 128 }

  @inlinable var count: Int {
    @inline(__always) get { Int(base.load(fromByteOffset: 8, as: UInt32.self)) }
  }

  @inlinable var capacity: UInt32 {
    @inline(__always) get { base.load(fromByteOffset: 12, as: UInt32.self) }
  }

  var bytes: Int { Self.control + count * (RecordRing.header + Int(capacity) * RecordRing.unit) }

  /// Time of the cache's clock when the writer last read it: reading a clock takes longer than
  /// recording a get.
  @inlinable var now: UnsafeMutablePointer<Atomic<UInt64>> {
    @inline(__always) get { base.assumingMemoryBound(to: Atomic<UInt64>.self) }
  }

  @inlinable @inline(__always) func ring(_ index: Int) -> RecordRing {
    let capacity = capacity
    let stride = RecordRing.header &+ Int(capacity) &* RecordRing.unit
    let offset: Int = Self.control &+ index &* stride
    return RecordRing(at: base + offset, capacity: capacity)
  }

  @inlinable @inline(__always) func note(get hash: UInt64, isHit: Bool, in index: Int) -> Bool {
    ring(index).note(get: hash, isHit: isHit, now: now.pointee.load(ordering: .relaxed))
  }

  /// Updates the time of gets from a clock reading, unless they have nearly the same: the word is
  /// cached by every processor that records gets.
  func know(_ time: UInt64) {
    if time > now.pointee.load(ordering: .relaxed) &+ 1000 {
      now.pointee.store(time, ordering: .relaxed)
    }
  }

  @usableFromInline @inline(never) func wake() {
    let alarm = base.load(fromByteOffset: 16, as: UnsafeMutableRawPointer.self)
    Unmanaged<RecordAlarm>.fromOpaque(alarm)._withUnsafeGuaranteedRef { $0.ring() }
  }
}

/// The rings of a cache and the alarm of their writer, kept as long as the cache or a writer needs
/// them.
final class RecordMemory: Sendable {
  let alarm = RecordAlarm()
  nonisolated(unsafe) let rings: RecordRings

  init(count: Int) { rings = RecordRings.create(count: count, alarm) }

  deinit { rings.destroy() }
}

@usableFromInline enum RecordWord {
  /// The beginning of an operation other than a get: see `RecordUnit`.
  @inlinable static var operation: UInt64 { 0 }
  @inlinable static var hit: UInt64 { 1 }
  @inlinable static var miss: UInt64 { 2 }
  @inlinable static var time: UInt64 { 3 }
  @inlinable static var mask: UInt64 { 3 }

  @inlinable @inline(__always) static func get(_ hash: UInt64, isHit: Bool) -> UInt64 {
    hash & ~mask | (isHit ? hit : miss)
  }

  @inlinable @inline(__always) static func time(_ time: UInt64) -> UInt64 { time &<< 2 | Self.time }
}

/// An operation, and its layout in a ring.
///
/// A get is one `RecordWord`. Any other operation is a word with the time in its upper 56 bits and
/// kind, outcome and a flag for more words in the lower 8; the hash of its key; and optionally two
/// more words with size, lifetime and cost.
struct RecordUnit {
  let hash: UInt64
  var time: UInt64
  var kind: RecordedEvent.Kind
  var outcome: RecordedEvent.Outcome = .unknown
  var size: UInt64?
  /// TTL in milliseconds, 0 for none; in a ring in seconds from 2^31 on.
  var lifetime: UInt64 = 0
  var cost: Float = 1

  init(_ kind: RecordedEvent.Kind, _ hash: UInt64, time: UInt64) {
    self.hash = Self.known(hash)
    self.time = time
    self.kind = kind
  }

  // Matched by pattern: `==` would call a function of another module for each get.

  var isGet: Bool { if case .get = kind { true } else { false } }
  var isHit: Bool { if case .hit = outcome { true } else { false } }

  static func known(_ hash: UInt64) -> UInt64 { hash & ~RecordWord.mask }

  var words: UInt32 { hasMore ? 4 : 2 }

  var hasMore: Bool { size != nil || lifetime != 0 || cost != 1 }
  private static var moreBit: UInt64 { 1 << 7 }
  private static var noSize: UInt64 { .max }

  func store(in ring: RecordRing, at number: UInt32, time: UInt64) {
    ring[number] =
      time &<< 8 | (hasMore ? Self.moreBit : 0) | UInt64(outcome.rawValue) &<< 5
      | UInt64(kind.rawValue) &<< 2 | RecordWord.operation
    ring[number &+ 1] = hash
    guard hasMore else { return }
    ring[number &+ 2] = size ?? Self.noSize
    ring[number &+ 3] = packedLifetime &<< 32 | UInt64(cost.bitPattern)
  }

  private static var secondsBit: UInt64 { 1 << 31 }

  private var packedLifetime: UInt64 {
    if lifetime < Self.secondsBit { return lifetime }
    return min(Self.roundedUp(lifetime), Self.secondsBit - 1) | Self.secondsBit
  }

  private static func roundedUp(_ count: UInt64) -> UInt64 {
    count / 1000 + (count % 1000 == 0 ? 0 : 1)
  }

  init(in ring: RecordRing, at number: UInt32) {
    let word = ring[number]
    hash = ring[number &+ 1]
    time = word >> 8
    kind = RecordedEvent.Kind(rawValue: UInt8(word >> 2 & 7)) ?? .get
    outcome = RecordedEvent.Outcome(rawValue: UInt8(word >> 5 & 3)) ?? .unknown
    guard word & Self.moreBit != 0 else { return }
    let (bytes, rest) = (ring[number &+ 2], ring[number &+ 3])
    size = bytes == Self.noSize ? nil : bytes
    lifetime = rest >> 32
    if lifetime >= Self.secondsBit { lifetime = (lifetime ^ Self.secondsBit) * 1000 }
    cost = Float(bitPattern: UInt32(truncatingIfNeeded: rest))
  }
}

extension RecordUnit {
  /// Sets the lifetime from microseconds, 0 for none; the file has milliseconds, rounded up.
  mutating func setLifetime(microseconds: UInt64) {
    lifetime = Self.roundedUp(microseconds)
  }
}
