import LarderEngine
public import Synchronization

/// Idle expiry of the entries of a shard: one word per id, which lock-free gets also write, but
/// only if the time has entered a new *granule* since the last access. An entry expires between
/// `life` and `life` plus one granule after its last access.
@usableFromInline struct IdleTimes {
  @inlinable static var never: UInt64 { .max }

  @usableFromInline let base: UnsafeMutablePointer<Atomic<UInt64>>
  @usableFromInline let room: Int
  @usableFromInline let life: UInt64
  @usableFromInline let shift: UInt64

  init(room: Int, life: UInt64) {
    self.room = room
    self.life = life
    shift = Self.shift(life: life)
    base = LargeMemory.allocateZeros(bytes: Self.bytes(room: room))
      .bindMemory(to: Atomic<UInt64>.self, capacity: room + 1)
  }

  private init(growing old: IdleTimes, to wanted: Int) {
    (room, life, shift) = (wanted, old.life, old.shift)
    base = LargeMemory.grow(old.base, from: old.bytes, to: Self.bytes(room: wanted))
      .bindMemory(to: Atomic<UInt64>.self, capacity: wanted + 1)
  }

  /// Returns the granule's exponent: a 16th of `life`, rounded down to a power of two, at least 1
  /// microsecond and at most 2^20.
  static func shift(life: UInt64) -> UInt64 {
    UInt64(min(20, 63 - max(1, life / 16).leadingZeroBitCount))
  }

  @usableFromInline consuming func grown(to wanted: Int) -> IdleTimes {
    IdleTimes(growing: self, to: wanted)
  }

  @usableFromInline func deallocate() { LargeMemory.deallocate(base, bytes: bytes) }

  private static func bytes(room: Int) -> Int { (room + 1) * MemoryLayout<UInt64>.stride }

  var bytes: Int { Self.bytes(room: room) }

  @inlinable @inline(__always) func instant(_ now: UInt64) -> UInt64 {
    Expiry(after: life, from: ((now &>> shift) &+ 1) &<< shift).microseconds
  }

  @inlinable @inline(__always) subscript(id: ObjectID) -> UInt64 {
    assert(Int(id) <= room)
    return base[Int(id)].load(ordering: .relaxed)
  }

  @inlinable @inline(__always) func begin(_ id: ObjectID, _ now: UInt64, isPermanent: Bool) {
    assert(Int(id) <= room)
    base[Int(id)].store(isPermanent ? Self.never : instant(now), ordering: .relaxed)
  }

  /// Records an access, or returns false if the entry has expired.
  ///
  /// Any number of threads may call this while another one stores entries. If the id was reused
  /// meanwhile, the new entry may count as accessed.
  @inlinable @inline(__always) func touch(_ id: ObjectID, _ now: UInt64) -> Bool {
    let held = self[id]
    if held <= now { return false }
    if held != Self.never {
      let next = instant(now)
      if next > held { move(id, held, next) }
    }
    return true
  }

  @inlinable @inline(never) func move(_ id: ObjectID, _ held: UInt64, _ next: UInt64) {
    var held = held
    // Compare and exchange in a loop: meanwhile another access may have recorded an earlier time,
    // or the id may have been reused for an entry that never expires.
    while held < next {
      ScheduledStep.take()
      let (isDone, found) = base[Int(id)].weakCompareExchange(
        expected: held, desired: next, ordering: .relaxed)
      if isDone { return }
      held = found
    }
  }
}

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Expiry of a resident entry unless it is accessed. (The tier knows only the absolute expiry.)
  @inlinable func expiry(_ id: ObjectID) -> Expiry {
    let latest = tier.expiry(id)
    guard let idle else { return Expiry(latest) }
    return Expiry(min(latest, idle[id]))
  }

  /// Removes an entry that a get found idle for too long and returns what it left; nil if the id
  /// has none.
  @inlinable @inline(never) mutating func endIdle(_ id: ObjectID) -> Leaving? {
    guard tier.contains(id) else { return nil }
    if keepsExpired == nil { tier.remove(id) }
    totals.misses &+= 1
    totals.idled &+= 1
    return .expired(id)
  }
}
