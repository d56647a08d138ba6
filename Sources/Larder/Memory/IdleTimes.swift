import LarderEngine
public import Synchronization

/// When the entries of a shard expire unless they are accessed before.
///
/// A word for each id, which gets without a lock write, too: an access moves it on, but only if the
/// time has entered another *granule* since the last one, so most hits only read. An entry
/// therefore expires between `life` and `life` plus a granule after its last access, never earlier.
@usableFromInline struct IdleTimes {
  /// The instant of entries that never expire.
  @inlinable static var never: UInt64 { .max }

  /// The word of id 0; valid until `grow`.
  @usableFromInline let base: UnsafeMutablePointer<Atomic<UInt64>>
  /// The largest id that has a word.
  @usableFromInline let room: Int
  /// Microseconds from the last access to the expiry.
  @usableFromInline let life: UInt64
  /// A granule is 2^shift microseconds.
  @usableFromInline let shift: UInt64

  /// Words for ids up to `room`, of entries that expire `life` microseconds, at least 1, after
  /// their last access.
  init(room: Int, life: UInt64) {
    self.room = room
    self.life = life
    shift = Self.shift(life: life)
    let memory = LargeMemory.allocate(bytes: Self.bytes(room: room))
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.bytes(room: room))
    base = memory.bindMemory(to: Atomic<UInt64>.self, capacity: room + 1)
  }

  /// The granule is a 16th of the life, rounded down to a power of two: at least a microsecond, at
  /// most 2^20.
  static func shift(life: UInt64) -> UInt64 {
    UInt64(min(20, 63 - max(1, life / 16).leadingZeroBitCount))
  }

  /// The same words with room for more ids; these are no longer valid. O(ids).
  @usableFromInline consuming func grown(to wanted: Int) -> IdleTimes {
    let larger = IdleTimes(room: wanted, life: life)
    UnsafeMutableRawPointer(larger.base).copyMemory(
      from: base, byteCount: Self.bytes(room: min(room, wanted)))
    deallocate()
    return larger
  }

  /// Gives the memory back.
  @usableFromInline func deallocate() { LargeMemory.deallocate(base) }

  private static func bytes(room: Int) -> Int { (room + 1) * MemoryLayout<UInt64>.stride }

  /// Memory held, in bytes.
  var bytes: Int { Self.bytes(room: room) }

  /// When an entry that is accessed now expires.
  @inlinable @inline(__always) func instant(_ now: UInt64) -> UInt64 {
    let (instant, isBeyondTime) = (((now &>> shift) &+ 1) &<< shift)
      .addingReportingOverflow(life)
    return isBeyondTime ? Self.never : instant
  }

  /// When an entry expires unless it is accessed before.
  @inlinable @inline(__always) subscript(id: ObjectID) -> UInt64 {
    assert(Int(id) <= room)
    return base[Int(id)].load(ordering: .relaxed)
  }

  /// An entry is stored; a permanent one does not expire.
  @inlinable @inline(__always) func begin(_ id: ObjectID, _ now: UInt64, isPermanent: Bool) {
    assert(Int(id) <= room)
    base[Int(id)].store(isPermanent ? Self.never : instant(now), ordering: .relaxed)
  }

  /// Notes an access, unless the entry has expired: then it says false. By any number of threads,
  /// while another one stores entries: what has come to the id by then may stay as if it had been
  /// accessed.
  @inlinable @inline(__always) func touch(_ id: ObjectID, _ now: UInt64) -> Bool {
    let held = self[id]
    if held <= now { return false }
    if held != Self.never {
      let next = instant(now)
      if next > held { move(id, held, next) }
    }
    return true
  }

  /// Not before `next` shall an entry expire that was to at `held`.
  @inlinable @inline(never) func move(_ id: ObjectID, _ held: UInt64, _ next: UInt64) {
    var held = held
    // Not a plain store, and more than one try: another access may have been noted in between that
    // looked at the clock before this one, or an entry may have come to the id that never expires.
    while held < next {
      #if LARDER_SCHEDULES
        ScheduledStep.take()
      #endif
      let (isDone, found) = base[Int(id)].weakCompareExchange(
        expected: held, desired: next, ordering: .relaxed)
      if isDone { return }
      held = found
    }
  }
}

/// Entries that expire because nobody accesses them.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// When a resident entry expires if nobody accesses it, microseconds. (The tier knows only when
  /// it does in any case.)
  @inlinable func expiry(_ id: ObjectID) -> UInt64 {
    let latest = tier.expiry(id)
    guard let idle else { return latest }
    return min(latest, idle[id])
  }

  /// What a get leaves that finds an entry not accessed for too long; nil where the id has none.
  @inlinable @inline(never) mutating func endIdle(_ id: ObjectID) -> Leaving? {
    guard tier.contains(id) else { return nil }
    if keepsExpired == nil { tier.remove(id) }
    totals.misses &+= 1
    totals.idled &+= 1
    return .expired(id)
  }
}
