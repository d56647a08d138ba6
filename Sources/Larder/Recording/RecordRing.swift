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
@usableFromInline
struct RecordRing {
  /// Bytes of a word.
  @inlinable static var unit: Int { 8 }
  /// Where the words begin, behind what the two sides write, each in cache lines of its own.
  @inlinable static var header: Int { 256 }

  @usableFromInline let place: UnsafeMutableRawPointer
  /// How many words there are: a power of two.
  @usableFromInline let capacity: UInt32

  @inlinable
  @inline(__always)
  init(at place: UnsafeMutableRawPointer, capacity: UInt32) {
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
  @inlinable
  var head: UnsafeMutablePointer<Atomic<UInt32>> {
    @inline(__always)
    get { place.assumingMemoryBound(to: Atomic<UInt32>.self) }
  }

  /// Events that found the ring full; changed by whoever notes.
  @inlinable
  var lost: UnsafeMutablePointer<Atomic<UInt64>> {
    @inline(__always)
    get { (place + 16).assumingMemoryBound(to: Atomic<UInt64>.self) }
  }

  /// Words taken out since the ring was made, modulo 2^32; changed by whoever takes out.
  @inlinable
  var tail: UnsafeMutablePointer<Atomic<UInt32>> {
    @inline(__always)
    get { (place + 128).assumingMemoryBound(to: Atomic<UInt32>.self) }
  }

  // What `tail` was when it was last looked at, and the latest time noted: only whoever notes reads
  // and writes them.

  @inlinable
  var knownTail: UInt32 {
    @inline(__always)
    get { place.load(fromByteOffset: 4, as: UInt32.self) }
    @inline(__always)
    nonmutating set { place.storeBytes(of: newValue, toByteOffset: 4, as: UInt32.self) }
  }

  @inlinable
  var latest: UInt64 {
    @inline(__always)
    get { place.load(fromByteOffset: 8, as: UInt64.self) }
    @inline(__always)
    nonmutating set { place.storeBytes(of: newValue, toByteOffset: 8, as: UInt64.self) }
  }

  /// The time of the last get that was taken out; only whoever takes out reads and writes it.
  var drainedTime: UInt64 {
    get { place.load(fromByteOffset: 136, as: UInt64.self) }
    nonmutating set { place.storeBytes(of: newValue, toByteOffset: 136, as: UInt64.self) }
  }

  /// The place of a word.
  @inlinable
  @inline(__always)
  func unit(_ number: UInt32) -> UnsafeMutableRawPointer {
    let offset: Int = Int(number & (capacity &- 1)) &* Self.unit
    return place + (Self.header &+ offset)
  }

  /// A word.
  @inlinable
  subscript(number: UInt32) -> UInt64 {
    @inline(__always)
    get { unit(number).load(as: UInt64.self) }
    @inline(__always)
    nonmutating set { unit(number).storeBytes(of: newValue, as: UInt64.self) }
  }

  /// Whether there is room for so many words.
  @inlinable
  @inline(__always)
  func hasRoom(_ words: UInt32, _ head: UInt32) -> Bool {
    head &- knownTail &+ words <= capacity || looksForRoom(words, head)
  }

  @inlinable
  @inline(never)
  func looksForRoom(_ words: UInt32, _ head: UInt32) -> Bool {
    knownTail = tail.pointee.load(ordering: .acquiring)
    return head &- knownTail &+ words <= capacity
  }

  /// Notes a get, and says whether the writer should be woken because the ring fills up.
  ///
  /// - Parameter now: the time, microseconds; an earlier one than that of the event before is
  ///   taken for that.
  @inlinable
  @inline(__always)
  func note(get hash: UInt64, isHit: Bool, now: UInt64) -> Bool {
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
  @inlinable
  @inline(never)
  func note(get hash: UInt64, isHit: Bool, newTime: UInt64, _ head: UInt32) -> Bool {
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
  @inlinable
  @inline(__always)
  func publish(_ start: UInt32, _ end: UInt32) -> Bool {
    larder_end_protection(place, end)
    // Once in each quarter of the ring.
    return (start ^ end) & ~(capacity / 4 &- 1) != 0
  }

  @inlinable
  @inline(never)
  func lose() -> Bool {
    lost.pointee.store(lost.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    return true
  }
}
