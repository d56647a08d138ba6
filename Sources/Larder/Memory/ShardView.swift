public import CLarderShims
public import LarderEngine
public import Synchronization

/// The parts of a shard that threads read without its lock: addresses, and the functions for hits.
/// It changes only when the shard grows, starts to keep expiries or gets other limits, so every
/// processor can cache its lines, which contain nothing else.
@usableFromInline struct ShardView<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  @usableFromInline enum Outcome {
    case hit
    /// No entry, but undecided while the shard is draining.
    case miss
    /// Undecided; repeat the get with the lock.
    case unknown
  }

  /// 1 while the fields below must not be used.
  @usableFromInline let isClosed = Atomic<UInt32>(0)
  /// 1 while keys may be missing from the directory because it grows: a get that finds none must
  /// be repeated with the lock. Changes only while no get is in a slot for the shard.
  @usableFromInline let isDraining = Atomic<UInt32>(0)
  @usableFromInline let directoryBase: Atomic<UnsafeMutableRawPointer>
  @usableFromInline let buckets: Atomic<Int>
  @usableFromInline var records: ShardRecords<Key, Value>
  @usableFromInline var hits: HitWords?
  @usableFromInline var expiries: UnsafeMutablePointer<Atomic<UInt64>>?
  @usableFromInline var idle: IdleTimes?
  /// Memory that a set needs besides the shard itself: the tier, and its victims.
  @usableFromInline let tierState: UnsafeRawBufferPointer
  @usableFromInline let victims: UnsafeRawPointer

  init(
    _ records: ShardRecords<Key, Value>, _ directory: KeyDirectory, _ tier: CacheTier,
    _ idle: IdleTimes?
  ) {
    self.records = records
    hits = tier.hitWords()
    expiries = tier.sharedExpiries()
    self.idle = idle
    tierState = tier.state
    victims = tier.victims.place
    directoryBase = Atomic(directory.base)
    buckets = Atomic(directory.buckets)
  }

  /// The directory, to be read through a slot. Without slot or lock, callers may only ask for a
  /// `home`, which is safe to prefetch even if the shard changes meanwhile.
  @inlinable var directory: KeyDirectory {
    @inline(__always) get {
      KeyDirectory(
        base: directoryBase.load(ordering: .relaxed), buckets: buckets.load(ordering: .relaxed))
    }
    nonmutating set {
      directoryBase.store(newValue.base, ordering: .relaxed)
      buckets.store(newValue.buckets, ordering: .relaxed)
    }
  }

  /// Gets a value through a slot. With versions writers may run concurrently, without versions they
  /// must not.
  @inlinable @inline(__always) func get<Result>(
    _ key: Key, _ hash: UInt32, _ clock: any CacheClock, _ result: inout Result?,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Outcome {
    if ShardRecords<Key, Value>.haveVersions {
      return getTogether(key, hash, clock, &result, read)
    }
    guard let hits else { return .unknown }
    let id = directory.find(hash) { [records] in records.isOf(key, hash, $0) }
    if id == .none { return .miss }
    if isExpired(id, clock) { return .unknown }
    guard hits.hit(id) else { return .miss }
    result = read(UnsafePointer(records.value(id)))
    return .hit
  }

  /// Gets a value while others write: everything is read between two checks of the record's
  /// version, so it is consistent.
  @inlinable @inline(__always) func getTogether<Result>(
    _ key: Key, _ hash: UInt32, _ clock: any CacheClock, _ result: inout Result?,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Outcome {
    var outcome = Outcome.miss
    _ = directory.find(hash) { [records] id in
      // A ghost; its key may be read only with the lock held, as the following set does.
      guard Int(id) <= records.room else {
        larder_prefetch_shared(records.ghostKey(ShardRecords<Key, Value>.ghostPlace(id)))
        return false
      }
      let version = records.version(id).pointee.load(ordering: .acquiring)
      guard let word = hits?.word(id) else {
        outcome = .unknown
        return true
      }
      let own = SharedBytes.read(records.key(id))
      let value = SharedBytes.read(records.value(id))
      // A torn key must not reach a custom `==`.
      guard version & 1 == 0, records.isStill(version, id) else {
        outcome = .unknown
        return true
      }
      guard own == key else { return false }
      // Read again instead of kept: most of it is not needed if nothing is counted.
      guard let hits, hits.isResident(word) else { return true }
      if expiries != nil, isExpired(id, clock) || !records.isStill(version, id) {
        outcome = .unknown
        return true
      }
      // If the id was reused for another key meanwhile, the count goes to that key; it was a hit in
      // any case.
      hits.count(id, word)
      result = withUnsafePointer(to: value) { read($0) }
      outcome = .hit
      return true
    }
    return outcome
  }

  @inlinable @inline(__always) var hasAllKeys: Bool {
    ScheduledStep.take()
    return isDraining.load(ordering: .relaxed) == 0
  }

  @inlinable @inline(never) func isExpired(_ id: ObjectID, _ clock: any CacheClock) -> Bool {
    guard let expiries else { return false }
    let now = clock.time
    if ~expiries[Int(id)].load(ordering: .relaxed) <= now { return true }
    guard let idle else { return false }
    return !idle.touch(id, now)
  }
}

/// Place of a shard in the blocks: the view that other threads read, and the slots through which
/// the shard excludes readers while it changes what they read.
@usableFromInline struct ShardPlace<Key: Hashable & Sendable, Value: Sendable> {
  @usableFromInline let view: UnsafeMutablePointer<ShardView<Key, Value>>
  @usableFromInline let slots: ReaderSlots?
  @usableFromInline let index: Int

  /// Waits until nobody reads the shard, and excludes readers until `open`. The caller holds the
  /// shard's lock.
  @usableFromInline func close() {
    guard let slots else { return }
    view.pointee.isClosed.store(1, ordering: .sequentiallyConsistent)
    slots.waitForReaders(of: index)
  }

  @usableFromInline func open(
    _ records: ShardRecords<Key, Value>, _ directory: GrowingDirectory, _ tier: CacheTier,
    _ idle: IdleTimes?
  ) {
    assert(slots == nil || view.pointee.isClosed.load(ordering: .relaxed) == 1, "open already")
    // Field by field, because `isClosed` is in use meanwhile.
    view.pointee.records = records
    view.pointee.hits = tier.hitWords()
    view.pointee.expiries = tier.sharedExpiries()
    view.pointee.idle = idle
    view.pointee.directory = directory.current
    view.pointee.isDraining.store(directory.isDraining ? 1 : 0, ordering: .relaxed)
    view.pointee.isClosed.store(0, ordering: .sequentiallyConsistent)
  }
}

/// Slots in which threads register as readers of a shard, so that hits need no lock.
///
/// A reader enters its thread's slot with the number of a shard, checks that the shard's lock is
/// free, reads, and leaves. A writer takes the lock, and waits for the readers of its shard. Both
/// announce first and check afterwards, in sequentially consistent order, so that at least one sees
/// the other.
@usableFromInline struct ReaderSlots {
  @usableFromInline struct Slot: Equatable {
    @usableFromInline let place: UnsafeMutableRawPointer

    @inlinable @inline(__always) init(at place: UnsafeMutableRawPointer) { self.place = place }

    /// Initialises a slot at `place`: one 32-bit word and, from byte 8 on, two 64-bit words.
    static func create(at place: UnsafeMutableRawPointer) {
      place.bindMemory(to: Atomic<UInt32>.self, capacity: 1).initialize(to: Atomic(0))
      (place + 8).bindMemory(to: Atomic<UInt64>.self, capacity: 2).initialize(to: Atomic(0))
      (place + 16).assumingMemoryBound(to: Atomic<UInt64>.self).initialize(to: Atomic(0))
    }

    /// 0, or the number of a shard plus 1.
    @inlinable @inline(__always) var shard: UnsafeMutablePointer<Atomic<UInt32>> {
      place.assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    @inlinable @inline(__always) var hits: UnsafeMutablePointer<Atomic<UInt64>> {
      (place + 8).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inlinable @inline(__always) var misses: UnsafeMutablePointer<Atomic<UInt64>> {
      (place + 16).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Registers a reader of the shard, or returns false if another thread is in the slot.
    @inlinable @inline(__always) func enter(_ index: Int) -> Bool {
      ScheduledStep.take()
      defer { ScheduledStep.take() }
      return shard.pointee.compareExchange(
        expected: 0, desired: UInt32(truncatingIfNeeded: index) &+ 1,
        ordering: .sequentiallyConsistent
      ).exchanged
    }

    /// Unregisters the reader.
    ///
    /// A value that was read in the slot must own its reference by then: see
    /// `larder_end_protection`, the only correct way to end the slot's protection.
    @inlinable @inline(__always) func leave() { larder_end_protection(place, 0) }

    @inlinable @inline(__always) func countHit() { Self.increment(hits) }

    @inlinable @inline(__always) func countMiss() { Self.increment(misses) }

    @inlinable @inline(__always) static func increment(
      _ count: UnsafeMutablePointer<Atomic<UInt64>>
    ) {
      count.pointee.store(count.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
  }

  // Two cache lines: processors fetch them in pairs.
  @inlinable static var stride: Int { 128 }

  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let count: Int

  init(threads: Int) {
    var count = 4
    while count < min(threads, 64) { count *= 2 }
    self.count = count
    base = .allocate(byteCount: count * Self.stride, alignment: Self.stride)
    for number in 0..<count { Slot.create(at: slot(number).place) }
  }

  func destroy() { base.deallocate() }

  var bytes: Int { count * Self.stride }

  @inlinable @inline(__always) func slot(_ number: Int) -> Slot {
    Slot(at: base + (number & (count &- 1)) &* Self.stride)
  }

  @inlinable var ownNumber: Int {
    @inline(__always) get { Int(larder_thread_number()) & (count &- 1) }
  }

  @inlinable @inline(__always) var own: Slot { slot(Int(larder_thread_number())) }

  /// Calls `body` with the number of the calling thread's slot while no other thread is in it.
  /// `body` must take no lock.
  func inOwn<Result>(_ body: (Int) -> Result) -> Result { alone(in: ownNumber, body) }

  private func alone<Result>(in number: Int, _ body: (Int) -> Result) -> Result {
    let slot = slot(number)
    var patience = Patience()
    // No shard has this number, so no writer waits for it.
    while !slot.enter(Int(UInt32.max) - 1) { patience.wait() }
    defer { slot.leave() }
    return body(number)
  }

  /// Waits until nobody reads a shard whose lock the caller holds.
  @inlinable @inline(__always) func waitForReaders(of index: Int) {
    // Numbers begin with 1, and a thread gets its number before it enters.
    let threads = min(Int(larder_numbered_threads()), count)
    for number in 0..<threads {
      let shard = slot(number &+ 1).shard.pointee.load(ordering: .sequentiallyConsistent)
      if shard == UInt32(truncatingIfNeeded: index) &+ 1 { waitForReader(number + 1, index) }
    }
  }

  @usableFromInline func waitForReader(_ number: Int, _ index: Int) {
    var patience = Patience()
    while slot(number).shard.pointee.load(ordering: .sequentiallyConsistent) == UInt32(index) + 1 {
      patience.wait()
    }
  }

  var totals: (hits: UInt64, misses: UInt64) {
    (0..<count).reduce((0, 0)) { sum, number in
      (
        sum.0 + slot(number).hits.pointee.load(ordering: .relaxed),
        sum.1 + slot(number).misses.pointee.load(ordering: .relaxed)
      )
    }
  }

  func resetTotals() {
    for number in 0..<count {
      alone(in: number) { number in
        slot(number).hits.pointee.store(0, ordering: .relaxed)
        slot(number).misses.pointee.store(0, ordering: .relaxed)
      }
    }
  }
}

/// Values of trivial types, read while another thread may be writing them.
///
/// Each word is read and written atomically, but the whole is not: the result may mix several
/// values, so readers must detect that and discard it unused.
@usableFromInline enum SharedBytes {
  @inlinable @inline(__always) static func read<Value>(
    _ place: UnsafeMutablePointer<Value>, into copy: UnsafeMutableBufferPointer<Value>
  ) {
    let (from, to) = (UnsafeMutableRawPointer(place), UnsafeMutableRawBufferPointer(copy))
    eachWord(of: Value.self) { offset, width in
      ScheduledStep.take()
      switch width {
      case 8: to.storeBytes(of: load(from + offset), toByteOffset: offset, as: UInt64.self)
      case 4: to.storeBytes(of: load(from + offset), toByteOffset: offset, as: UInt32.self)
      default: to.storeBytes(of: load(from + offset), toByteOffset: offset, as: UInt8.self)
      }
    }
  }

  @inlinable @inline(__always) static func read<Value>(
    _ place: UnsafeMutablePointer<Value>
  ) -> Value {
    if MemoryLayout<Value>.size == 8, MemoryLayout<Value>.alignment == 8 {
      ScheduledStep.take()
      return unsafeBitCast(load(UnsafeMutableRawPointer(place)) as UInt64, to: Value.self)
    }
    return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { copy in
      read(place, into: copy)
      return copy[0]
    }
  }

  @inlinable @inline(__always) static func write<Value>(
    _ value: Value, to place: UnsafeMutablePointer<Value>
  ) {
    let to = UnsafeMutableRawPointer(place)
    withUnsafePointer(to: value) { value in
      let from = UnsafeRawPointer(value)
      eachWord(of: Value.self) { offset, width in
        ScheduledStep.take()
        switch width {
        case 8: store(from.load(fromByteOffset: offset, as: UInt64.self), to + offset)
        case 4: store(from.load(fromByteOffset: offset, as: UInt32.self), to + offset)
        default: store(from.load(fromByteOffset: offset, as: UInt8.self), to + offset)
        }
      }
    }
  }

  @inlinable @inline(__always) static func eachWord<Value>(
    of type: Value.Type, _ body: (_ offset: Int, _ width: Int) -> Void
  ) {
    let (size, alignment) = (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
    var offset = 0
    while alignment >= 8, offset &+ 8 <= size {
      body(offset, 8)
      offset &+= 8
    }
    while alignment >= 4, offset &+ 4 <= size {
      body(offset, 4)
      offset &+= 4
    }
    while offset < size {
      body(offset, 1)
      offset &+= 1
    }
  }

  // An atomic word has the same representation as the word.

  @inlinable @inline(__always) static func load(_ place: UnsafeMutableRawPointer) -> UInt64 {
    place.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .relaxed)
  }

  @inlinable @inline(__always) static func load(_ place: UnsafeMutableRawPointer) -> UInt32 {
    place.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.load(ordering: .relaxed)
  }

  @inlinable @inline(__always) static func load(_ place: UnsafeMutableRawPointer) -> UInt8 {
    place.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.load(ordering: .relaxed)
  }

  @inlinable @inline(__always) static func store(_ word: UInt64, _ place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(word, ordering: .relaxed)
  }

  @inlinable @inline(__always) static func store(_ word: UInt32, _ place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.store(word, ordering: .relaxed)
  }

  @inlinable @inline(__always) static func store(_ word: UInt8, _ place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.store(word, ordering: .relaxed)
  }
}
