public import CLarderShims
public import Synchronization

/// Where threads say that they are reading a shard, so that hits need no lock.
///
/// A thread has a gate, in cache lines of its own that no other thread writes, unless there are
/// more threads than gates. It enters with the number of a shard, looks whether the shard's lock is
/// free, reads, and leaves. Who takes a lock looks at all gates before it writes, and waits for
/// those who are in the shard. Both do first what they announce and then look, in one order that
/// all threads agree on, so that one of the two sees the other. What a thread counts of its hits
/// and misses is in its gate, too.
@usableFromInline
struct HitGates {
  /// The cache lines of one thread.
  @usableFromInline
  struct Gate: ~Copyable {
    /// 0, or the number of a shard and 1.
    @usableFromInline let shard = Atomic<UInt32>(0)
    /// Gets answered and not answered; changed only by who is in the gate.
    @usableFromInline let hits = Atomic<UInt64>(0)
    @usableFromInline let misses = Atomic<UInt64>(0)

    init() {}

    /// Says that the shard is being read, or returns false where another thread is in the gate.
    @inlinable
    @inline(__always)
    func enter(_ index: Int) -> Bool {
      shard.compareExchange(
        expected: 0, desired: UInt32(truncatingIfNeeded: index) &+ 1,
        ordering: .sequentiallyConsistent
      ).exchanged
    }

    /// Says that nothing is being read.
    @inlinable
    @inline(__always)
    func leave() { shard.store(0, ordering: .releasing) }

    @inlinable
    @inline(__always)
    func countHit() {
      hits.store(hits.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    func countMiss() {
      misses.store(misses.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
  }

  // Two cache lines: processors fetch them in pairs.
  @inlinable
  static var stride: Int { 128 }

  @usableFromInline let base: UnsafeMutableRawPointer
  /// How many there are: a power of two.
  @usableFromInline let count: Int

  /// Gates for about so many threads at once.
  init(threads: Int) {
    var count = 4
    while count < min(threads, 64) { count *= 2 }
    self.count = count
    base = .allocate(byteCount: count * Self.stride, alignment: Self.stride)
    for number in 0..<count { gate(number).initialize(to: Gate()) }
  }

  /// Gives the memory back; nobody is in a gate.
  func destroy() {
    for number in 0..<count { gate(number).deinitialize(count: 1) }
    base.deallocate()
  }

  /// Memory held, in bytes.
  var bytes: Int { count * Self.stride }

  @inlinable
  @inline(__always)
  func gate(_ number: Int) -> UnsafeMutablePointer<Gate> {
    (base + (number & (count &- 1)) &* Self.stride).assumingMemoryBound(to: Gate.self)
  }

  /// The calling thread's gate.
  @inlinable
  @inline(__always)
  var own: UnsafeMutablePointer<Gate> { gate(Int(larder_thread_number())) }

  /// Waits until nobody reads a shard whose lock the caller has taken.
  @inlinable
  @inline(__always)
  func waitForReaders(of index: Int) {
    // Numbers begin with 1, and a thread has its number before it enters.
    let threads = min(Int(larder_numbered_threads()), count)
    for number in 0..<threads {
      let shard = gate(number &+ 1).pointee.shard.load(ordering: .sequentiallyConsistent)
      if shard == UInt32(truncatingIfNeeded: index) &+ 1 { waitForReader(number + 1, index) }
    }
  }

  @usableFromInline
  func waitForReader(_ number: Int, _ index: Int) {
    var patience = Patience()
    while gate(number).pointee.shard.load(ordering: .sequentiallyConsistent) == UInt32(index) + 1 {
      patience.wait()
    }
  }

  /// What all threads have counted.
  var totals: (hits: UInt64, misses: UInt64) {
    (0..<count).reduce((0, 0)) { sum, number in
      (
        sum.0 + gate(number).pointee.hits.load(ordering: .relaxed),
        sum.1 + gate(number).pointee.misses.load(ordering: .relaxed)
      )
    }
  }

  /// Sets what all threads have counted to zero.
  func resetTotals() {
    for number in 0..<count {
      var patience = Patience()
      // No shard has this number: nobody waits for it.
      while !gate(number).pointee.enter(Int(UInt32.max) - 1) { patience.wait() }
      gate(number).pointee.hits.store(0, ordering: .relaxed)
      gate(number).pointee.misses.store(0, ordering: .relaxed)
      gate(number).pointee.leave()
    }
  }
}
