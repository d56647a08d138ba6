/// A queue of ids in a ring buffer: half the cache misses of a linked list. An entry has a
/// *position* of 28 bits, the lowest of the object's word, with which it can be removed in O(1);
/// this leaves a hole that `popOldest` skips. A ring that is nearly full closes its holes, some at
/// a time, if they are about half of it; a full one doubles, a nearly empty one shrinks.
public struct IDRing: ~Copyable {
  /// Positions are below this.
  @inlinable public static var positionLimit: UInt32 { 1 << 28 }
  /// The largest number of entries.
  @inlinable public static var entriesMax: Int { Int(positionLimit) - 1 }

  @usableFromInline var base: UnsafeMutablePointer<ObjectID>
  @usableFromInline var mask: UInt32
  @usableFromInline var oldest: UInt32 = 0
  @usableFromInline var newest: UInt32 = 0
  // The newest position at which to check for room, which is certain before.
  @usableFromInline var checkpoint: UInt32
  // While holes are closed in small steps: entries before `movedFrom` have not been looked at, and
  // those behind it are from `movedTo` on.
  @usableFromInline var isClosing = false
  @usableFromInline var movedFrom: UInt32 = 0
  @usableFromInline var movedTo: UInt32 = 0
  /// Queued entries, excluding holes.
  @inlinable @inline(__always) public var count: Int { entries }
  @usableFromInline var entries = 0

  /// Creates an empty ring with room for at least `capacity` entries before it grows.
  public init(capacity: Int) {
    var places = 16
    while places <= min(capacity, IDRing.entriesMax) { places *= 2 }
    mask = UInt32(places - 1)
    checkpoint = UInt32(places - places / 8)
    base = IDRing.allocate(places)
  }

  deinit { LargeMemory.deallocate(base, bytes: bytes) }

  // Zero is `.none`.
  private static func allocate(_ places: Int) -> UnsafeMutablePointer<ObjectID> {
    LargeMemory.allocateZeros(bytes: places * MemoryLayout<ObjectID>.stride)
      .bindMemory(to: ObjectID.self, capacity: places)
  }

  /// Appends `id` as the newest entry and returns its position. If other entries move, the lowest
  /// bits of their words are set to the new positions. Amortised O(1).
  @inlinable @inline(__always) public mutating func push(
    _ id: ObjectID, _ words: borrowing some ObjectWords & ~Copyable
  )
    -> UInt32
  {
    if newest == checkpoint { makeRoom(words) }
    let position = newest
    base[Int(position & mask)] = id
    newest = newest &+ 1
    entries += 1
    return position & (IDRing.positionLimit - 1)
  }

  /// Removes and returns the oldest entry, or returns `.none`. Amortised O(1).
  @inlinable @inline(__always) public mutating func popOldest() -> ObjectID {
    while oldest != newest {
      let id = base[Int(oldest & mask)]
      oldest = oldest &+ 1
      if id != .none {
        entries -= 1
        return id
      }
    }
    return .none
  }

  /// The oldest entry, or `.none`. O(holes before it).
  public var oldestEntry: ObjectID {
    var position = oldest
    while position != newest, base[Int(position & mask)] == .none { position = position &+ 1 }
    return position == newest ? .none : base[Int(position & mask)]
  }

  /// The oldest slot: the oldest entry, or `.none` for a hole. O(1).
  @inlinable @inline(__always) public var oldestPlace: ObjectID { base[Int(oldest & mask)] }

  /// The first of the four oldest slots whose entry is `wanted`, or the content of the oldest slot:
  /// a guess at the result of a search. It may be an entry that was removed. O(1).
  @inlinable @inline(__always) func guess(_ wanted: (ObjectID) -> Bool) -> ObjectID {
    for ahead in 0..<4 as Range<UInt32> {
      let id = base[Int((oldest &+ ahead) & mask)]
      if id != .none, wanted(id) { return id }
    }
    return oldestPlace
  }

  /// Removes the entry at `position`. O(1).
  @inlinable @inline(__always) public mutating func remove(at position: UInt32) {
    assert(base[Int(position & mask)] != .none)
    base[Int(position & mask)] = .none
    entries -= 1
    if entries == 0 { oldest = newest }
  }

  /// Memory held, in bytes.
  public var bytes: Int { (Int(mask) + 1) * MemoryLayout<ObjectID>.stride }

  /// Called when few slots are left that were not assigned since the last check. O(1), unless the
  /// ring grows or shrinks.
  @inlinable @inline(never) mutating func makeRoom(_ words: borrowing some ObjectWords & ~Copyable)
  {
    while oldest != newest, base[Int(oldest & mask)] == .none { oldest = oldest &+ 1 }
    let isNearlyFull = newest &- oldest > mask - mask / 8
    if isClosing || isNearlyFull && count <= Int(mask) / 2 { closeSomeHoles(words) }
    if newest &- oldest > mask {
      makeMoreRoom(words)
    } else if newest &- oldest < mask / 8 {
      shrink()
    }
    checkpoint = nextCheckpoint
  }

  // As soon as a step is to be made, or holes may have become enough for closing them.
  @usableFromInline var nextCheckpoint: UInt32 {
    if isClosing { return newest &+ 1 }
    let left = mask &+ 1 &- (newest &- oldest)
    return newest &+ (left > mask / 8 + 1 ? left - mask / 8 : min(left, mask / 64 + 1))
  }

  /// Moves entries towards the newest one, for 64 slots.
  @inlinable mutating func closeSomeHoles(_ words: borrowing some ObjectWords & ~Copyable) {
    DebugWork.add(1)
    if !isClosing { (isClosing, movedFrom, movedTo) = (true, newest, newest) }
    for _ in 0..<64 where isBehind(movedFrom, oldest) {
      movedFrom = movedFrom &- 1
      let id = base[Int(movedFrom & mask)]
      if id == .none { continue }
      movedTo = movedTo &- 1
      base[Int(movedFrom & mask)] = .none
      base[Int(movedTo & mask)] = id
      let keptBits = words[id] & ~(IDRing.positionLimit - 1)
      words[id] = keptBits | (movedTo & (IDRing.positionLimit - 1))
    }
    if isBehind(movedFrom, oldest) { return }
    isClosing = false
    if isBehind(movedTo, oldest) { oldest = movedTo }
  }

  @inlinable @inline(__always) func isBehind(_ position: UInt32, _ other: UInt32) -> Bool {
    Int32(bitPattern: position &- other) > 0
  }

  @inlinable mutating func makeMoreRoom(_ words: borrowing some ObjectWords & ~Copyable) {
    if mask < IDRing.positionLimit - 1 || count > IDRing.entriesMax { return grow() }
    // The ring cannot grow.
    repeat { closeSomeHoles(words) } while isClosing
  }

  @usableFromInline mutating func grow() {
    let places = (Int(mask) + 1) * 2
    precondition(places <= Int(IDRing.positionLimit), "a queue holds fewer than 2^28 objects")
    base = IDRing.doubled(base, places / 2, from: oldest)
    mask = UInt32(places - 1)
  }

  /// Doubles a ring whose oldest position is `first`. Positions are kept: in a larger ring, the
  /// entries on one side of that position are in its other half.
  private static func doubled(
    _ base: UnsafeMutablePointer<ObjectID>, _ places: Int, from first: UInt32
  ) -> UnsafeMutablePointer<ObjectID> {
    let bytes = places * MemoryLayout<ObjectID>.stride
    let larger = LargeMemory.grow(base, from: bytes, to: bytes * 2)
      .bindMemory(to: ObjectID.self, capacity: places * 2)
    let start = Int(first) & (places - 1)
    let moved = Int(first) & places == 0 ? 0..<start : start..<places
    DebugWork.add(moved.count / 1024)
    (larger + places + moved.lowerBound).update(
      from: larger + moved.lowerBound, count: moved.count)
    return larger
  }

  /// Reduces the ring until at most three quarters of it are taken. Positions are kept.
  @usableFromInline mutating func shrink() {
    let span = newest &- oldest
    var places = 16
    while places / 4 * 3 < Int(span) { places *= 2 }
    guard places <= Int(mask) else { return }
    DebugWork.add(Int(span) / 1024)
    let other = IDRing.allocate(places)
    for step in 0..<span {
      let position = oldest &+ step
      other[Int(position) & (places - 1)] = base[Int(position & mask)]
    }
    LargeMemory.deallocate(base, bytes: bytes)
    base = other
    mask = UInt32(places - 1)
  }
}

/// A word for each object, by id, in which a ring keeps the object's position.
public protocol ObjectWords: ~Copyable {
  subscript(id: ObjectID) -> UInt32 { get nonmutating set }
}

extension SharedColumn: ObjectWords {}
extension Column: ObjectWords where Element == UInt32 {}
