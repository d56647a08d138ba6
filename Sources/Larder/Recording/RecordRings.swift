public import Synchronization

/// The rings of a cache that is or was recorded, one for each reader slot or, where there are none,
/// for each shard. Made with the first recording, and there for as long as the cache is: a thread
/// that has seen a recording may note something after it was stopped.
///
/// Memory: a cache line with the time and what wakes the writer, then the rings.
@usableFromInline
struct RecordRings {
  @usableFromInline let base: UnsafeMutableRawPointer

  @inlinable
  @inline(__always)
  init(at base: UnsafeMutableRawPointer) { self.base = base }

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
  @inlinable
  var count: Int {
    @inline(__always)
    get { Int(base.load(fromByteOffset: 8, as: UInt32.self)) }
  }

  /// Words in each ring.
  @inlinable
  var capacity: UInt32 {
    @inline(__always)
    get { base.load(fromByteOffset: 12, as: UInt32.self) }
  }

  /// Bytes held, whether they were written to or not.
  var bytes: Int {
    Self.control + count * (RecordRing.header + Int(capacity) * RecordRing.unit)
  }

  /// The time of the cache's clock, as it was when the writer last looked: to read a clock takes
  /// longer than to note a get.
  @inlinable
  var now: UnsafeMutablePointer<Atomic<UInt64>> {
    @inline(__always)
    get { base.assumingMemoryBound(to: Atomic<UInt64>.self) }
  }

  /// The ring of a number.
  @inlinable
  @inline(__always)
  func ring(_ index: Int) -> RecordRing {
    let capacity = capacity
    let stride = RecordRing.header &+ Int(capacity) &* RecordRing.unit
    let offset: Int = Self.control &+ index &* stride
    return RecordRing(at: base + offset, capacity: capacity)
  }

  /// Notes a get in a ring that the caller has alone, and says whether to `wake` the writer, which
  /// is for when the ring is given back.
  @inlinable
  @inline(__always)
  func note(get hash: UInt64, isHit: Bool, in index: Int) -> Bool {
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
  @usableFromInline
  @inline(never)
  func wake() {
    let alarm = base.load(fromByteOffset: 16, as: UnsafeMutableRawPointer.self)
    Unmanaged<RecordAlarm>.fromOpaque(alarm)._withUnsafeGuaranteedRef { $0.ring() }
  }
}
