public import CLarderShims
public import Synchronization

/// Where threads say that they are reading a shard, so that hits need no lock.
///
/// A thread has a slot, in cache lines of its own that no other thread writes. It enters with the
/// number of a shard, looks whether the shard may be read, reads, and leaves. Who keeps readers out
/// says so, looks at all slots before it writes, and waits for those who are in the shard. Both
/// announce first and then look, so that one of the two sees the other. What a thread counts of its
/// hits and misses is in its slot, too.
///
/// That announcing comes before looking takes a barrier. Either every reader pays for it, with an
/// atomic exchange; or, where slots are *asymmetric*, whoever keeps readers out makes all threads
/// pass a barrier (`larder_synchronize_threads`), and a reader only stores. The one suits writers
/// that keep readers out often, the other those that do so when memory moves. (McKenney, Desnoyers,
/// Jiangshan and Triplett, User-space RCU, 2013: the flavour of `membarrier`.)
///
/// The second half of the slots is for threads beyond those that have one of their own in the first
/// half. They share slots, and always enter with an exchange.
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

    /// Says that the shard is being read, or returns false where somebody is in the slot.
    ///
    /// - Parameter isOwn: Whether no other thread uses the slot and the slots are asymmetric.
    @inlinable
    @inline(__always)
    func enter(_ index: Int, isOwn: Bool = false) -> Bool {
      #if LARDER_SCHEDULES
        ScheduledStep.take()
        defer { ScheduledStep.take() }
      #endif
      let number = UInt32(truncatingIfNeeded: index) &+ 1
      if isOwn {
        // The thread itself may be in it: in a get whose key's equality makes another one.
        guard shard.pointee.load(ordering: .relaxed) == 0 else { return false }
        larder_announce(place, number)
        return true
      }
      return shard.pointee.compareExchange(
        expected: 0, desired: number, ordering: .sequentiallyConsistent
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
  /// How many threads have one of their own: a power of two, half of the slots.
  @usableFromInline let owners: Int
  /// How many threads enter without a barrier: these, or none.
  @usableFromInline let exclusives: Int

  /// Whether threads that have a slot of their own enter without a barrier.
  @inlinable
  var isAsymmetric: Bool { exclusives > 0 }

  /// Reader slots for about so many threads at once, asymmetric where that is wanted and can be.
  init(threads: Int, isAsymmetric: Bool = false) {
    var owners = 4
    while owners < min(threads, 64) { owners *= 2 }
    self.owners = owners
    exclusives = isAsymmetric && larder_synchronizes_threads() ? owners : 0
    // One more for what was counted when the totals were last set to zero.
    base = .allocate(byteCount: (owners * 2 + 1) * Self.stride, alignment: Self.stride)
    for number in 0...owners * 2 { Slot.create(at: slot(number).place) }
  }

  /// Gives the memory back; nobody is in a slot.
  func destroy() {
    base.deallocate()
  }

  /// Memory held, in bytes.
  var bytes: Int { (count + 1) * Self.stride }

  /// How many there are.
  @inlinable
  var count: Int { owners &* 2 }

  @inlinable
  @inline(__always)
  func slot(_ number: Int) -> Slot { Slot(at: base + number &* Self.stride) }

  /// The number of the calling thread's slot.
  @inlinable
  var ownNumber: Int {
    @inline(__always)
    get {
      let thread = Int(larder_thread_number()) &- 1
      return thread < owners ? thread : owners | (thread & (owners &- 1))
    }
  }

  /// The calling thread's slot.
  @inlinable
  @inline(__always)
  var own: Slot { slot(ownNumber) }

  /// Enters the calling thread's slot, and returns it: see `Slot.enter`.
  @inlinable
  @inline(__always)
  func enter(_ index: Int) -> Slot? {
    let thread = Int(larder_thread_number()) &- 1
    guard thread < exclusives else { return enterShared(index) }
    let slot = slot(thread)
    return slot.enter(index, isOwn: true) ? slot : nil
  }

  @usableFromInline
  @inline(never)
  func enterShared(_ index: Int) -> Slot? {
    let slot = own
    return slot.enter(index) ? slot : nil
  }

  /// Enters the slot with a number, the calling thread's: see `Slot.enter`.
  @inlinable
  @inline(__always)
  func enter(_ number: Int, _ index: Int) -> Bool {
    slot(number).enter(index, isOwn: number < exclusives)
  }

  /// Calls `body` with the number of the calling thread's slot, and with the slot for itself. It
  /// must take no lock.
  func inOwn<Result>(_ body: (Int) -> Result) -> Result {
    let number = ownNumber
    let slot = slot(number)
    var patience = Patience()
    // No shard has this number: nobody waits for it.
    while !enter(number, Int(UInt32.max) - 1) { patience.wait() }
    defer { slot.leave() }
    return body(number)
  }

  /// Waits until nobody reads a shard that the caller has closed, or whose lock it has taken if
  /// the slots are not asymmetric.
  @inlinable
  @inline(__always)
  func waitForReaders(of index: Int) {
    // Numbers begin with 1, and a thread has its number before it enters.
    let threads = Int(larder_numbered_threads())
    for number in 0..<min(threads, owners) { waitForReader(number, index) }
    if threads > owners {
      for number in owners..<min(threads, count) { waitForReader(number, index) }
    }
  }

  @inlinable
  @inline(__always)
  func waitForReader(_ number: Int, _ index: Int) {
    let shard = slot(number).shard.pointee.load(ordering: .sequentiallyConsistent)
    if shard == UInt32(truncatingIfNeeded: index) &+ 1 { waitLonger(number, index) }
  }

  @usableFromInline
  func waitLonger(_ number: Int, _ index: Int) {
    var patience = Patience()
    while slot(number).shard.pointee.load(ordering: .sequentiallyConsistent) == UInt32(index) + 1 {
      patience.wait()
    }
  }

  /// What the caller has stored is seen by all who enter from now on, and who has entered before is
  /// seen in the slots.
  func synchronize() {
    guard isAsymmetric else { return }
    // Without it memory would be freed that is being read.
    precondition(
      larder_synchronize_threads(),
      "the system call membarrier is refused, which was allowed when the cache was made")
  }

  /// What all threads have counted since the last `resetTotals`.
  var totals: (hits: UInt64, misses: UInt64) {
    let (all, before) = (counted, slot(count))
    return (
      all.hits &- before.hits.pointee.load(ordering: .relaxed),
      all.misses &- before.misses.pointee.load(ordering: .relaxed)
    )
  }

  /// What all threads have ever counted.
  private var counted: (hits: UInt64, misses: UInt64) {
    (0..<count).reduce((0, 0)) { sum, number in
      (
        sum.0 &+ slot(number).hits.pointee.load(ordering: .relaxed),
        sum.1 &+ slot(number).misses.pointee.load(ordering: .relaxed)
      )
    }
  }

  /// Sets what all threads have counted to zero. The counts themselves are their threads' alone.
  func resetTotals() {
    let (all, before) = (counted, slot(count))
    before.hits.pointee.store(all.hits, ordering: .relaxed)
    before.misses.pointee.store(all.misses, ordering: .relaxed)
  }
}
