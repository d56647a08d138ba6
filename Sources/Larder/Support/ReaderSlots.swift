public import CLarderShims
public import Synchronization

/// Where threads say that they are reading a shard, so that hits need no lock.
///
/// A thread has a slot, in cache lines of its own that no other thread writes, unless there are
/// more threads than slots. It enters with the number of a shard, looks whether the shard's lock is
/// free, reads, and leaves. Who takes a lock looks at all slots before it writes, and waits for
/// those who are in the shard. Both do first what they announce and then look, in one order that
/// all threads agree on, so that one of the two sees the other. What a thread counts of its hits
/// and misses is in its slot, too.
@usableFromInline
struct ReaderSlots {
  /// The cache lines of one thread.
  @usableFromInline
  struct Slot: Equatable {
    @usableFromInline let place: UnsafeMutableRawPointer

    @inlinable
    @inline(__always)
    init(at place: UnsafeMutableRawPointer) { self.place = place }

    /// Makes a slot at `place`, which is one word of 32 bits and, from byte 8 on, two of 64.
    static func create(at place: UnsafeMutableRawPointer) {
      place.bindMemory(to: Atomic<UInt32>.self, capacity: 1).initialize(to: Atomic(0))
      (place + 8).bindMemory(to: Atomic<UInt64>.self, capacity: 2).initialize(to: Atomic(0))
      (place + 16).assumingMemoryBound(to: Atomic<UInt64>.self).initialize(to: Atomic(0))
    }

    /// 0, or the number of a shard and 1.
    @inlinable
    @inline(__always)
    var shard: UnsafeMutablePointer<Atomic<UInt32>> {
      place.assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// Gets that were hits; changed only by the thread in the slot.
    @inlinable
    @inline(__always)
    var hits: UnsafeMutablePointer<Atomic<UInt64>> {
      (place + 8).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Gets that were misses; changed only by the thread in the slot.
    @inlinable
    @inline(__always)
    var misses: UnsafeMutablePointer<Atomic<UInt64>> {
      (place + 16).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Says that the shard is being read, or returns false where another thread is in the slot.
    @inlinable
    @inline(__always)
    func enter(_ index: Int) -> Bool {
      #if LARDER_SCHEDULES
        ScheduledStep.take()
        defer { ScheduledStep.take() }
      #endif
      return shard.pointee.compareExchange(
        expected: 0, desired: UInt32(truncatingIfNeeded: index) &+ 1,
        ordering: .sequentiallyConsistent
      ).exchanged
    }

    /// Says that nothing is being read.
    ///
    /// A value that was read in the slot owns its reference by then: see `larder_end_protection`,
    /// which is the only way to end what the slot protects.
    @inlinable
    @inline(__always)
    func leave() { larder_end_protection(place, 0) }

    @inlinable
    @inline(__always)
    func countHit() { Self.increment(hits) }

    @inlinable
    @inline(__always)
    func countMiss() { Self.increment(misses) }

    @inlinable
    @inline(__always)
    static func increment(_ count: UnsafeMutablePointer<Atomic<UInt64>>) {
      count.pointee.store(count.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
  }

  // Two cache lines: processors fetch them in pairs.
  @inlinable
  static var stride: Int { 128 }

  @usableFromInline let base: UnsafeMutableRawPointer
  /// How many there are: a power of two.
  @usableFromInline let count: Int

  /// Reader slots for about so many threads at once.
  init(threads: Int) {
    var count = 4
    while count < min(threads, 64) { count *= 2 }
    self.count = count
    base = .allocate(byteCount: count * Self.stride, alignment: Self.stride)
    for number in 0..<count { Slot.create(at: slot(number).place) }
  }

  /// Gives the memory back; nobody is in a slot.
  func destroy() {
    base.deallocate()
  }

  /// Memory held, in bytes.
  var bytes: Int { count * Self.stride }

  @inlinable
  @inline(__always)
  func slot(_ number: Int) -> Slot {
    Slot(at: base + (number & (count &- 1)) &* Self.stride)
  }

  /// The number of the calling thread's slot.
  @inlinable
  var ownNumber: Int {
    @inline(__always)
    get { Int(larder_thread_number()) & (count &- 1) }
  }

  /// The calling thread's slot.
  @inlinable
  @inline(__always)
  var own: Slot { slot(Int(larder_thread_number())) }

  /// Calls `body` with the number of the calling thread's slot, and with the slot for itself. It
  /// must take no lock.
  func inOwn<Result>(_ body: (Int) -> Result) -> Result { alone(in: ownNumber, body) }

  /// Calls `body` with the number of a slot in which no thread is meanwhile.
  private func alone<Result>(in number: Int, _ body: (Int) -> Result) -> Result {
    let slot = slot(number)
    var patience = Patience()
    // No shard has this number: nobody waits for it.
    while !slot.enter(Int(UInt32.max) - 1) { patience.wait() }
    defer { slot.leave() }
    return body(number)
  }

  /// Waits until nobody reads a shard whose lock the caller has taken.
  @inlinable
  @inline(__always)
  func waitForReaders(of index: Int) {
    // Numbers begin with 1, and a thread has its number before it enters.
    let threads = min(Int(larder_numbered_threads()), count)
    for number in 0..<threads {
      let shard = slot(number &+ 1).shard.pointee.load(ordering: .sequentiallyConsistent)
      if shard == UInt32(truncatingIfNeeded: index) &+ 1 { waitForReader(number + 1, index) }
    }
  }

  @usableFromInline
  func waitForReader(_ number: Int, _ index: Int) {
    var patience = Patience()
    while slot(number).shard.pointee.load(ordering: .sequentiallyConsistent) == UInt32(index) + 1 {
      patience.wait()
    }
  }

  /// What all threads have counted.
  var totals: (hits: UInt64, misses: UInt64) {
    (0..<count).reduce((0, 0)) { sum, number in
      (
        sum.0 + slot(number).hits.pointee.load(ordering: .relaxed),
        sum.1 + slot(number).misses.pointee.load(ordering: .relaxed)
      )
    }
  }

  /// Sets what all threads have counted to zero.
  func resetTotals() {
    for number in 0..<count {
      alone(in: number) { number in
        slot(number).hits.pointee.store(0, ordering: .relaxed)
        slot(number).misses.pointee.store(0, ordering: .relaxed)
      }
    }
  }
}
