/// A queue of ids in a ring buffer: half the cache misses of a linked list. An entry has a
/// *position* of 28 bits, the lowest of the object's word, with which it can be removed in O(1);
/// this leaves a hole that `popOldest` skips. A full ring closes its holes if they are at least
/// half of it, and otherwise doubles; a nearly empty one shrinks.
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
  /// Queued entries, excluding holes.
  @inlinable @inline(__always) public var count: Int { entries }
  @usableFromInline var entries = 0

  /// Creates an empty ring with room for at least `capacity` entries before it grows.
  public init(capacity: Int) {
    var places = 16
    while places <= min(capacity, IDRing.entriesMax) { places *= 2 }
    mask = UInt32(places - 1)
    checkpoint = UInt32(places)
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
  }

  /// Memory held, in bytes.
  public var bytes: Int { (Int(mask) + 1) * MemoryLayout<ObjectID>.stride }

  /// Called when every slot was assigned since the last check.
  @inlinable @inline(never) mutating func makeRoom(_ words: borrowing some ObjectWords & ~Copyable)
  {
    defer { checkpoint = oldest &+ mask &+ 1 }
    while oldest != newest, base[Int(oldest & mask)] == .none { oldest = oldest &+ 1 }
    if newest &- oldest <= mask {
      if newest &- oldest < mask / 8 { shrink() }
      return
    }
    // If the ring cannot grow, closing one hole is enough.
    let isLargest = mask == IDRing.positionLimit - 1
    if count <= (isLargest ? IDRing.entriesMax : Int(mask) / 2) {
      closeHoles(words)
    } else {
      grow()
    }
  }

  @inlinable mutating func closeHoles(_ words: borrowing some ObjectWords & ~Copyable) {
    var end = oldest
    var position = oldest
    while position != newest {
      let id = base[Int(position & mask)]
      base[Int(position & mask)] = .none
      if id != .none {
        base[Int(end & mask)] = id
        let keptBits = words[id] & ~(IDRing.positionLimit - 1)
        words[id] = keptBits | (end & (IDRing.positionLimit - 1))
        end = end &+ 1
      }
      position = position &+ 1
    }
    newest = end
  }

  @usableFromInline mutating func grow() {
    let places = (Int(mask) + 1) * 2
    precondition(places <= Int(IDRing.positionLimit), "a queue holds fewer than 2^28 objects")
    move(to: places)
  }

  /// Reduces the ring until at most three quarters of it are taken. Positions are kept.
  @usableFromInline mutating func shrink() {
    var places = 16
    while places / 4 * 3 < Int(newest &- oldest) { places *= 2 }
    if places <= Int(mask) { move(to: places) }
  }

  private mutating func move(to places: Int) {
    DebugWork.add(Int(newest &- oldest) / 1024)
    let other = IDRing.allocate(places)
    let otherMask = UInt32(places - 1)
    var position = oldest
    while position != newest {
      let toEnd = min(mask - position & mask, otherMask - position & otherMask) + 1
      let run = min(newest &- position, toEnd)
      (other + Int(position & otherMask)).update(
        from: base + Int(position & mask), count: Int(run))
      position = position &+ run
    }
    LargeMemory.deallocate(base, bytes: bytes)
    base = other
    mask = otherMask
  }
}

/// A word for each object, by id, in which a ring keeps the object's position.
public protocol ObjectWords: ~Copyable {
  subscript(id: ObjectID) -> UInt32 { get nonmutating set }
}

extension SharedColumn: ObjectWords {}
extension Column: ObjectWords where Element == UInt32 {}
