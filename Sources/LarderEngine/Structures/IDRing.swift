/// A queue of ids in a ring buffer: pushed at the newest end, popped at the oldest.
///
/// Half the cache misses of a linked list: entries are touched in order, and only at the two ends.
/// Every entry has a *position*; whoever keeps it can take the entry out of the middle in O(1),
/// which leaves a hole that `popOldest` skips. Positions are 28 bits wide, so that they fit into
/// one word with a few flags: the lowest bits of the queued object's word.
///
/// When full, the ring closes its holes if they are at least half of it, which gives the entries
/// other positions, and otherwise doubles. Once a round it looks whether an eighth of it would do,
/// as after a cache was filled. Memory: 4 bytes for each place.
public struct IDRing: ~Copyable {
  /// Positions are below this.
  @inlinable public static var positionLimit: UInt32 { 1 << 28 }
  /// It holds at most so many entries.
  @inlinable public static var entriesMax: Int { Int(positionLimit) - 1 }

  @usableFromInline var base: UnsafeMutablePointer<ObjectID>
  @usableFromInline var mask: UInt32
  @usableFromInline var oldest: UInt32 = 0
  @usableFromInline var newest: UInt32 = 0
  // The newest position at which to look whether there is room: that is certain before.
  @usableFromInline var checkpoint: UInt32
  /// Entries queued, holes not counted.
  @inlinable @inline(__always) public var count: Int { entries }
  @usableFromInline var entries = 0

  /// An empty ring with room for at least `capacity` entries before it grows.
  public init(capacity: Int) {
    var places = 16
    while places <= min(capacity, IDRing.entriesMax) { places *= 2 }
    mask = UInt32(places - 1)
    checkpoint = UInt32(places)
    base = .allocate(capacity: places)
    base.initialize(repeating: .none, count: places)
  }

  deinit { base.deallocate() }

  /// Queues `id` as the newest and returns its position. The lowest bits of the words of entries
  /// that are moved for it are set to their new positions. Amortised O(1).
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

  /// Takes the oldest entry out, or returns `.none` when nothing is queued. Amortised O(1).
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

  /// What is in the place of the oldest entry: that, or `.none` where it is a hole. O(1).
  @inlinable @inline(__always) public var oldestPlace: ObjectID { base[Int(oldest & mask)] }

  /// The first of the four oldest places whose entry is `wanted`, or what is in the oldest one: a
  /// guess at what a search will find. It may be something that was taken out. O(1).
  @inlinable @inline(__always) func guess(_ wanted: (ObjectID) -> Bool) -> ObjectID {
    for ahead in 0..<4 as Range<UInt32> {
      let id = base[Int((oldest &+ ahead) & mask)]
      if id != .none, wanted(id) { return id }
    }
    return oldestPlace
  }

  /// Takes the entry at `position` out. O(1).
  @inlinable @inline(__always) public mutating func remove(at position: UInt32) {
    assert(base[Int(position & mask)] != .none)
    base[Int(position & mask)] = .none
    entries -= 1
  }

  /// Memory held, in bytes.
  public var bytes: Int { (Int(mask) + 1) * MemoryLayout<ObjectID>.stride }

  /// Called when every place was given out since the last look: where all are taken drops holes at
  /// the oldest end, closes those between, or else doubles.
  @inlinable @inline(never) mutating func makeRoom(_ words: borrowing some ObjectWords & ~Copyable)
  {
    defer { checkpoint = oldest &+ mask &+ 1 }
    while oldest != newest, base[Int(oldest & mask)] == .none { oldest = oldest &+ 1 }
    if newest &- oldest <= mask {
      if newest &- oldest < mask / 8 { shrink() }
      return
    }
    // With no more room to be had, closing one hole is enough.
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

  /// Keeps so many places that at most three quarters are taken. Positions stay as they are.
  @usableFromInline mutating func shrink() {
    var places = 16
    while places / 4 * 3 < Int(newest &- oldest) { places *= 2 }
    if places <= Int(mask) { move(to: places) }
  }

  private mutating func move(to places: Int) {
    let other = UnsafeMutablePointer<ObjectID>.allocate(capacity: places)
    other.initialize(repeating: .none, count: places)
    let otherMask = UInt32(places - 1)
    var position = oldest
    while position != newest {
      other[Int(position & otherMask)] = base[Int(position & mask)]
      position = position &+ 1
    }
    base.deallocate()
    base = other
    mask = otherMask
  }
}

/// A word for each object, by id, in which a ring keeps the object's position.
public protocol ObjectWords: ~Copyable {
  /// The word of an object.
  subscript(id: ObjectID) -> UInt32 { get nonmutating set }
}

extension SharedColumn: ObjectWords {}
extension Column: ObjectWords where Element == UInt32 {}
