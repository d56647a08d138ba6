public import CLarderShims
import LarderEngine
public import Synchronization

/// A ring of what one thread at a time notes and one other thread takes out.
///
/// Whoever notes has the ring alone, because of the reader slot or the lock that it holds; whoever
/// takes out is the thread that writes the recording. So neither waits for the other, and noting
/// takes no locked instruction. What finds the ring full is counted and lost.
@usableFromInline
struct RecordRing {
  /// Bytes of what is noted at a time: a hash, and a word with time and kind. A set takes two.
  @inlinable static var unit: Int { 16 }
  /// Where the units begin, behind what the two sides write, each in cache lines of its own.
  @inlinable static var header: Int { 256 }

  @usableFromInline let place: UnsafeMutableRawPointer
  /// How many units there are: a power of two.
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

  /// Units noted since the ring was made, modulo 2^32; changed by whoever notes.
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

  /// Units taken out since the ring was made, modulo 2^32; changed by whoever takes out.
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

  /// The place of a unit.
  @inlinable
  @inline(__always)
  func unit(_ number: UInt32) -> UnsafeMutableRawPointer {
    let offset: Int = Int(number & (capacity &- 1)) &* Self.unit
    return place + (Self.header &+ offset)
  }

  /// Whether there is room for so many units.
  @inlinable
  @inline(__always)
  func hasRoom(_ units: UInt32, _ head: UInt32) -> Bool {
    if head &- knownTail &+ units <= capacity { return true }
    knownTail = tail.pointee.load(ordering: .acquiring)
    return head &- knownTail &+ units <= capacity
  }

  /// Notes a get, and says whether the writer should be woken because the ring fills up.
  ///
  /// - Parameter now: the time, microseconds; an earlier one than that of the event before is
  ///   taken for that.
  @inlinable
  @inline(__always)
  func note(get hash: UInt64, isHit: Bool, now: UInt64) -> Bool {
    let head = head.pointee.load(ordering: .relaxed)
    guard hasRoom(1, head) else { return lose() }
    let time = max(now, latest)
    latest = time
    let unit = unit(head)
    unit.storeBytes(of: hash, as: UInt64.self)
    // As `RecordUnit` has it: the kind is 0, and the outcome in the bits above that.
    unit.storeBytes(of: time &<< 8 | (isHit ? 8 : 16), toByteOffset: 8, as: UInt64.self)
    return publish(head, head &+ 1)
  }

  /// Notes any other operation; as `note(get:)`.
  func note(_ unit: RecordUnit) -> Bool {
    let head = head.pointee.load(ordering: .relaxed)
    let units: UInt32 = unit.hasMore ? 2 : 1
    guard hasRoom(units, head) else { return lose() }
    latest = max(unit.time, latest)
    unit.store(at: self.unit(head), time: latest)
    if unit.hasMore { unit.storeMore(at: self.unit(head &+ 1)) }
    return publish(head, head &+ units)
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
