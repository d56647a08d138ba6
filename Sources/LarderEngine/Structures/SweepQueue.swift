/// A queue with a hand that sweeps from the oldest to the newest object, again and again, removing
/// objects or leaving them: SIEVE's list in a ring buffer. Survivors are moved down next to each
/// other, and the gap closes when the hand starts over, so the hand reads memory in sequence. An
/// object's word has its position, a queued bit and a mark.
///
///     | survivors ... | gap ... | hand -> not yet passed ... newest |
public struct SweepQueue: ~Copyable {
  @inlinable static var queued: UInt32 { 1 << 31 }
  @inlinable static var mark: UInt32 { 1 << 30 }
  @inlinable static var positionMask: UInt32 { (1 << 30) - 1 }

  @usableFromInline var words: SharedColumn
  @usableFromInline var base: UnsafeMutablePointer<ObjectID>
  @usableFromInline var mask: UInt32
  // Positions increase without end; a slot of the ring is a position modulo its size.
  @usableFromInline var survivors: UInt32 = 0
  @usableFromInline var survivorsEnd: UInt32 = 0
  @usableFromInline var hand: UInt32 = 0
  @usableFromInline var newest: UInt32 = 0

  /// The largest number of objects in a queue.
  @inlinable public static var entriesMax: Int { Int(positionMask) }

  /// Creates an empty queue for ids up to `objects`, with room for `capacity` before it grows.
  public init(objects: Int, capacity: Int) {
    words = SharedColumn(objects: objects)
    var places = 16
    let wanted = min(max(capacity, 0), SweepQueue.entriesMax)
    while places < wanted + wanted / 2, places <= SweepQueue.entriesMax { places *= 2 }
    mask = UInt32(places - 1)
    base = .allocate(capacity: places)
    base.initialize(repeating: .none, count: places)
  }

  deinit { base.deallocate() }

  /// Returns true if the object is queued.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool {
    words[id] & SweepQueue.queued != 0
  }

  /// Marks a queued object.
  @inlinable @inline(__always) public func setMark(_ id: ObjectID) { words[id] |= SweepQueue.mark }

  /// The update with which other threads mark queued objects.
  public var marking: HitWords {
    HitWords(
      words.base, objects: words.objects, residents: SweepQueue.queued ... .max,
      counter: SweepQueue.mark, highest: SweepQueue.mark, step: SweepQueue.mark)
  }

  /// Appends an object as the newest, without a mark. Amortised O(1).
  @inlinable @inline(__always) public mutating func push(_ id: ObjectID) {
    if newest &- survivors > mask { makeRoom() }
    place(id, at: newest, mark: 0)
    newest = newest &+ 1
  }

  /// Moves the hand past marked objects, clearing their marks, and removes and returns the first
  /// unmarked one. The queue must not be empty. Amortised O(1).
  @inlinable @inline(__always) public mutating func popUnmarked() -> ObjectID {
    assert(hand != newest, "an empty queue has nothing to evict")
    while true {
      let id = base[Int(hand & mask)]
      if id != .none {
        let word = words[id]
        if word & SweepQueue.mark == 0 {
          words[id] = 0
          advance()
          return id
        }
        place(id, at: survivorsEnd, mark: 0)
        survivorsEnd = survivorsEnd &+ 1
      }
      advance()
    }
  }

  /// The object that `popUnmarked` will return if it is one of the next few: a guess.
  @inlinable @inline(__always) public var atHand: ObjectID {
    for ahead in 0..<4 as Range<UInt32> {
      let id = base[Int((hand &+ ahead) & mask)]
      if id != .none, words[id] & SweepQueue.mark == 0 { return id }
    }
    return base[Int(hand & mask)]
  }

  /// Removes a queued object. Amortised O(1).
  public mutating func remove(_ id: ObjectID) {
    assert(contains(id) && base[Int(words[id] & SweepQueue.positionMask & mask)] == id)
    base[Int(words[id] & SweepQueue.positionMask & mask)] = .none
    words[id] = 0
    // The newest slot must not be a hole: the hand would miss the end of the queue.
    while newest != hand, base[Int((newest &- 1) & mask)] == .none { newest = newest &- 1 }
    if newest == hand { startOver() }
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { words.reserve(objects: objects) }

  /// Prefetches the object's word.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes + (Int(mask) + 1) * MemoryLayout<ObjectID>.stride }

  @inlinable @inline(__always) func place(_ id: ObjectID, at position: UInt32, mark: UInt32) {
    base[Int(position & self.mask)] = id
    words[id] = SweepQueue.queued | mark | (position & SweepQueue.positionMask)
  }

  @inlinable @inline(__always) mutating func advance() {
    hand = hand &+ 1
    if hand == newest { startOver() }
  }

  @usableFromInline @inline(never) mutating func startOver() {
    hand = survivors
    newest = survivorsEnd
    while newest != hand, base[Int((newest &- 1) & mask)] == .none { newest = newest &- 1 }
    survivorsEnd = survivors
  }

  @usableFromInline @inline(never) mutating func makeRoom() {
    var target = hand
    var position = survivorsEnd
    while position != survivors {
      position = position &- 1
      let id = base[Int(position & mask)]
      guard id != .none else { continue }
      target = target &- 1
      place(id, at: target, mark: words[id] & SweepQueue.mark)
    }
    survivors = target
    survivorsEnd = hand
    closeHolesAhead()
    let isLargest = Int(mask) == SweepQueue.entriesMax
    if newest &- survivors > (isLargest ? mask : mask - mask / 4) { grow() }
  }

  private mutating func closeHolesAhead() {
    var target = hand
    var position = hand
    while position != newest {
      let id = base[Int(position & mask)]
      base[Int(position & mask)] = .none
      position = position &+ 1
      guard id != .none else { continue }
      place(id, at: target, mark: words[id] & SweepQueue.mark)
      target = target &+ 1
    }
    newest = target
  }

  private mutating func grow() {
    let places = (Int(mask) + 1) * 2
    precondition(places <= SweepQueue.entriesMax + 1, "a queue holds fewer than 2^30 objects")
    let larger = UnsafeMutablePointer<ObjectID>.allocate(capacity: places)
    larger.initialize(repeating: .none, count: places)
    var position = survivors
    while position != newest {
      larger[Int(position & UInt32(places - 1))] = base[Int(position & mask)]
      position = position &+ 1
    }
    base.deallocate()
    base = larger
    mask = UInt32(places - 1)
  }
}
