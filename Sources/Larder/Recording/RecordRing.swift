public import CLarderShims
import LarderEngine
public import Synchronization

/// A ring of what one thread at a time notes and one other thread takes out.
///
/// Whoever notes has the ring alone, because of the reader slot or the lock that it holds; whoever
/// takes out is the thread that writes the recording. So neither waits for the other, and noting
/// takes no locked instruction. What finds the ring full is counted and lost.
///
/// A get is one word, because what costs time is to get a cache line back from the processor that
/// took out what was in it: the lowest two bits say what a word is (`RecordWord`), the others are
/// the hash or, before the first get of another time, that time.
@usableFromInline struct RecordRing {
  /// Bytes of a word.
  @inlinable static var unit: Int { 8 }
  /// Where the words begin, behind what the two sides write, each in cache lines of its own.
  @inlinable static var header: Int { 256 }

  @usableFromInline let place: UnsafeMutableRawPointer
  /// How many words there are: a power of two.
  @usableFromInline let capacity: UInt32

  @inlinable @inline(__always) init(at place: UnsafeMutableRawPointer, capacity: UInt32) {
    self.place = place
    self.capacity = capacity
  }

  /// Makes an empty ring at `place`.
  static func create(at place: UnsafeMutableRawPointer) {
    place.initializeMemory(as: UInt8.self, repeating: 0, count: header)
    place.bindMemory(to: Atomic<UInt32>.self, capacity: 1).initialize(to: Atomic(0))
    (place + 16).bindMemory(to: Atomic<UInt64>.self, capacity: 1).initialize(to: Atomic(0))
    (place + 128).bindMemory(to: Atomic<UInt32>.self, capacity: 1).initialize(to: Atomic(0))
  }

  /// Words noted since the ring was made, modulo 2^32; changed by whoever notes.
  @inlinable var head: UnsafeMutablePointer<Atomic<UInt32>> {
    @inline(__always) get { place.assumingMemoryBound(to: Atomic<UInt32>.self) }
  }

  /// Events that found the ring full; changed by whoever notes.
  @inlinable var lost: UnsafeMutablePointer<Atomic<UInt64>> {
    @inline(__always) get { (place + 16).assumingMemoryBound(to: Atomic<UInt64>.self) }
  }

  /// Words taken out since the ring was made, modulo 2^32; changed by whoever takes out.
  @inlinable var tail: UnsafeMutablePointer<Atomic<UInt32>> {
    @inline(__always) get { (place + 128).assumingMemoryBound(to: Atomic<UInt32>.self) }
  }

  // What `tail` was when it was last looked at, and the latest time noted: only whoever notes reads
  // and writes them.

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

  /// The time of the last get that was taken out; only whoever takes out reads and writes it.
  var drainedTime: UInt64 {
    get { place.load(fromByteOffset: 136, as: UInt64.self) }
    nonmutating set { place.storeBytes(of: newValue, toByteOffset: 136, as: UInt64.self) }
  }

  /// The place of a word.
  @inlinable @inline(__always) func unit(_ number: UInt32) -> UnsafeMutableRawPointer {
    let offset: Int = Int(number & (capacity &- 1)) &* Self.unit
    return place + (Self.header &+ offset)
  }

  /// A word.
  @inlinable subscript(number: UInt32) -> UInt64 {
    @inline(__always) get { unit(number).load(as: UInt64.self) }
    @inline(__always) nonmutating set { unit(number).storeBytes(of: newValue, as: UInt64.self) }
  }

  /// Whether there is room for so many words.
  @inlinable @inline(__always) func hasRoom(_ words: UInt32, _ head: UInt32) -> Bool {
    head &- knownTail &+ words <= capacity || looksForRoom(words, head)
  }

  @inlinable @inline(never) func looksForRoom(_ words: UInt32, _ head: UInt32) -> Bool {
    knownTail = tail.pointee.load(ordering: .acquiring)
    return head &- knownTail &+ words <= capacity
  }

  /// Notes a get, and says whether the writer should be woken because the ring fills up.
  ///
  /// - Parameter now: the time, microseconds; an earlier one than that of the event before is
  ///   taken for that.
  @inlinable @inline(__always) func note(get hash: UInt64, isHit: Bool, now: UInt64) -> Bool {
    let head = head.pointee.load(ordering: .relaxed)
    larder_prefetch_exclusive(unit(head &+ Self.ahead))
    if now > latest { return note(get: hash, isHit: isHit, newTime: now, head) }
    guard hasRoom(1, head) else { return lose() }
    self[head] = RecordWord.get(hash, isHit: isHit)
    return publish(head, head &+ 1)
  }

  /// Words between the one that is written and the one whose cache line is asked for: two lines.
  @inlinable static var ahead: UInt32 { 16 }

  /// The first get of another time.
  @inlinable @inline(never) func note(
    get hash: UInt64, isHit: Bool, newTime: UInt64, _ head: UInt32
  ) -> Bool {
    guard hasRoom(2, head) else { return lose() }
    latest = newTime
    self[head] = RecordWord.time(newTime)
    self[head &+ 1] = RecordWord.get(hash, isHit: isHit)
    return publish(head, head &+ 2)
  }

  /// Notes any other operation; as `note(get:)`.
  func note(_ unit: RecordUnit) -> Bool {
    let head = head.pointee.load(ordering: .relaxed)
    let words = unit.words
    guard hasRoom(words, head) else { return lose() }
    latest = max(unit.time, latest)
    unit.store(in: self, at: head, time: latest)
    return publish(head, head &+ words)
  }

  /// Lets the writer see what was noted up to `end`. Everything that was stored before is there for
  /// whoever sees it: `larder_end_protection` is a release store, which pairs with the acquiring
  /// load of `head` in `RecordDrain`.
  @inlinable @inline(__always) func publish(_ start: UInt32, _ end: UInt32) -> Bool {
    larder_end_protection(place, end)
    // Once in each quarter of the ring.
    return (start ^ end) & ~(capacity / 4 &- 1) != 0
  }

  @inlinable @inline(never) func lose() -> Bool {
    lost.pointee.store(lost.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    return true
  }
}

/// The rings of a cache that is or was recorded, one for each reader slot or, where there are none,
/// for each shard. Made with the first recording, and there for as long as the cache is: a thread
/// that has seen a recording may note something after it was stopped.
///
/// Memory: a cache line with the time and what wakes the writer, then the rings.
@usableFromInline struct RecordRings {
  @usableFromInline let base: UnsafeMutableRawPointer

  @inlinable @inline(__always) init(at base: UnsafeMutableRawPointer) { self.base = base }

  /// So many rings. They take 256 KiB each, and 8 MiB at most together unless that is less than 4
  /// KiB each; the system gives memory as it is first written to.
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

  /// Gives the memory back.
  func destroy() { base.deallocate() }

  /// Bytes before the first ring.
  @inlinable static var control: Int { 128 }

  /// How many rings there are.
  @inlinable var count: Int {
    @inline(__always) get { Int(base.load(fromByteOffset: 8, as: UInt32.self)) }
  }

  /// Words in each ring.
  @inlinable var capacity: UInt32 {
    @inline(__always) get { base.load(fromByteOffset: 12, as: UInt32.self) }
  }

  /// Bytes held, whether they were written to or not.
  var bytes: Int {
    Self.control + count * (RecordRing.header + Int(capacity) * RecordRing.unit)
  }

  /// The time of the cache's clock, as it was when the writer last looked: to read a clock takes
  /// longer than to note a get.
  @inlinable var now: UnsafeMutablePointer<Atomic<UInt64>> {
    @inline(__always) get { base.assumingMemoryBound(to: Atomic<UInt64>.self) }
  }

  /// The ring of a number.
  @inlinable @inline(__always) func ring(_ index: Int) -> RecordRing {
    let capacity = capacity
    let stride = RecordRing.header &+ Int(capacity) &* RecordRing.unit
    let offset: Int = Self.control &+ index &* stride
    return RecordRing(at: base + offset, capacity: capacity)
  }

  /// Notes a get in a ring that the caller has alone, and says whether to `wake` the writer, which
  /// is for when the ring is given back.
  @inlinable @inline(__always) func note(get hash: UInt64, isHit: Bool, in index: Int) -> Bool {
    ring(index).note(get: hash, isHit: isHit, now: now.pointee.load(ordering: .relaxed))
  }

  /// Lets gets know of a time that was read from the clock, unless they know nearly that: the word
  /// is in the cache of every processor that records gets.
  func know(_ time: UInt64) {
    if time > now.pointee.load(ordering: .relaxed) &+ 1000 {
      now.pointee.store(time, ordering: .relaxed)
    }
  }

  /// Wakes the thread that writes the recording.
  @usableFromInline @inline(never) func wake() {
    let alarm = base.load(fromByteOffset: 16, as: UnsafeMutableRawPointer.self)
    Unmanaged<RecordAlarm>.fromOpaque(alarm)._withUnsafeGuaranteedRef { $0.ring() }
  }
}

/// The rings of a cache and what wakes their writer, for as long as the cache or a writer needs
/// them.
final class RecordMemory: Sendable {
  let alarm = RecordAlarm()
  nonisolated(unsafe) let rings: RecordRings

  /// So many rings.
  init(count: Int) { rings = RecordRings.create(count: count, alarm) }

  deinit { rings.destroy() }
}

/// What the words in a ring are, by their lowest two bits.
@usableFromInline enum RecordWord {
  /// The beginning of an operation that is no get: see `RecordUnit`.
  @inlinable static var operation: UInt64 { 0 }
  /// A get that was a hit; the other bits are the hash of the key.
  @inlinable static var hit: UInt64 { 1 }
  /// A get that was a miss.
  @inlinable static var miss: UInt64 { 2 }
  /// The time of all gets from here on, in the other bits.
  @inlinable static var time: UInt64 { 3 }
  /// The bits that say which it is.
  @inlinable static var mask: UInt64 { 3 }

  /// A get.
  @inlinable @inline(__always) static func get(_ hash: UInt64, isHit: Bool) -> UInt64 {
    hash & ~mask | (isHit ? hit : miss)
  }

  /// A time, microseconds.
  @inlinable @inline(__always) static func time(_ time: UInt64) -> UInt64 { time &<< 2 | Self.time }
}

/// An operation, and how it lies in a ring.
///
/// A get is one `RecordWord`. Any other operation is a word with the time in its upper 56 bits and
/// kind, outcome and whether there is more in the lower 8; the hash of its key; and, in two words
/// more, size, life and cost.
struct RecordUnit {
  /// The hash of the key without its lowest two bits, which are taken in a get's word.
  let hash: UInt64
  var time: UInt64
  var kind: RecordedEvent.Kind
  var outcome: RecordedEvent.Outcome = .unknown
  /// Nil where it is not known.
  var size: UInt64?
  /// Milliseconds; 0 for none.
  var lifetime: UInt32 = 0
  /// 1 where nothing was said.
  var cost: Float = 1

  init(_ kind: RecordedEvent.Kind, _ hash: UInt64, time: UInt64) {
    self.hash = Self.known(hash)
    self.time = time
    self.kind = kind
  }

  // By pattern: `==` would call a function of another module for each get.

  /// Whether it is a get.
  var isGet: Bool { if case .get = kind { true } else { false } }
  /// Whether it was a hit.
  var isHit: Bool { if case .hit = outcome { true } else { false } }

  /// What is recorded of a hash.
  static func known(_ hash: UInt64) -> UInt64 { hash & ~RecordWord.mask }

  /// Words that it takes in a ring, where it is no get with a word of its own.
  var words: UInt32 { hasMore ? 4 : 2 }

  /// Whether size, life or cost is known.
  var hasMore: Bool { size != nil || lifetime != 0 || cost != 1 }
  private static var moreBit: UInt64 { 1 << 7 }
  private static var noSize: UInt64 { .max }

  /// Stores it at a word of a ring, with another time.
  func store(in ring: RecordRing, at number: UInt32, time: UInt64) {
    ring[number] =
      time &<< 8 | (hasMore ? Self.moreBit : 0) | UInt64(outcome.rawValue) &<< 5
      | UInt64(kind.rawValue) &<< 2 | RecordWord.operation
    ring[number &+ 1] = hash
    guard hasMore else { return }
    ring[number &+ 2] = size ?? Self.noSize
    ring[number &+ 3] = UInt64(lifetime) &<< 32 | UInt64(cost.bitPattern)
  }

  /// The operation at a word of a ring that is neither a get nor a time.
  init(in ring: RecordRing, at number: UInt32) {
    let word = ring[number]
    hash = ring[number &+ 1]
    time = word >> 8
    kind = RecordedEvent.Kind(rawValue: UInt8(word >> 2 & 7)) ?? .get
    outcome = RecordedEvent.Outcome(rawValue: UInt8(word >> 5 & 3)) ?? .unknown
    guard word & Self.moreBit != 0 else { return }
    let (bytes, rest) = (ring[number &+ 2], ring[number &+ 3])
    size = bytes == Self.noSize ? nil : bytes
    lifetime = UInt32(rest >> 32)
    cost = Float(bitPattern: UInt32(truncatingIfNeeded: rest))
  }
}

extension RecordUnit {
  /// Sets the life from microseconds, of which 0 is none; the file has milliseconds, rounded up.
  mutating func setLifetime(microseconds: UInt64) {
    lifetime = UInt32(clamping: microseconds / 1000 + (microseconds % 1000 == 0 ? 0 : 1))
  }
}
