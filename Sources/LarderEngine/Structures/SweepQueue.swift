/// A queue with a hand that sweeps from the oldest to the newest object, again and again, removing
/// objects or leaving them: SIEVE's list in two rings. Objects that the hand leaves move from one
/// ring to the other, and when the first is empty, the rings are exchanged, so the hand reads
/// memory in sequence. An object's word has its position, a queued bit, a mark and its ring.
public struct SweepQueue: ~Copyable {
  @inlinable static var queued: UInt32 { 1 << 31 }
  @inlinable static var mark: UInt32 { 1 << 30 }
  @inlinable static var ring: UInt32 { 1 << 29 }
  @inlinable static var positionMask: UInt32 { IDRing.positionLimit - 1 }

  @usableFromInline var words: SharedColumn
  @usableFromInline var ahead: IDRing
  @usableFromInline var passed: IDRing
  // The ring bit of the objects ahead of the hand.
  @usableFromInline var ringAhead: UInt32 = 0

  /// Creates an empty queue for ids up to `objects`, with room for `capacity` before it grows.
  public init(objects: Int, capacity: Int) {
    words = SharedColumn(objects: objects)
    ahead = IDRing(capacity: max(capacity, 0))
    passed = IDRing(capacity: 0)
  }

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
    words[id] = SweepQueue.queued | ringAhead | ahead.push(id, words)
  }

  /// Moves the hand past marked objects, clearing their marks, and removes and returns the first
  /// unmarked one. The queue must not be empty. Amortised O(1).
  @inlinable @inline(__always) public mutating func popUnmarked() -> ObjectID {
    assert(ahead.count > 0, "an empty queue has nothing to evict")
    while true {
      let id = ahead.popOldest()
      let isMarked = words[id] & SweepQueue.mark != 0
      words[id] =
        isMarked
        ? SweepQueue.queued | (ringAhead ^ SweepQueue.ring) | passed.push(id, words) : 0
      if ahead.count == 0 { startOver() }
      if !isMarked { return id }
    }
  }

  /// The object that `popUnmarked` will return if it is one of the next few: a guess.
  @inlinable @inline(__always) public var atHand: ObjectID {
    ahead.guess { words[$0] & SweepQueue.mark == 0 }
  }

  /// Removes a queued object. Amortised O(1).
  public mutating func remove(_ id: ObjectID) {
    assert(contains(id))
    let word = words[id]
    words[id] = 0
    if word & SweepQueue.ring == ringAhead {
      ahead.remove(at: word & SweepQueue.positionMask)
      if ahead.count == 0 { startOver() }
    } else {
      passed.remove(at: word & SweepQueue.positionMask)
    }
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { words.reserve(objects: objects) }

  /// Prefetches the object's word.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes + ahead.bytes + passed.bytes }

  @usableFromInline @inline(never) mutating func startOver() {
    swap(&ahead, &passed)
    ringAhead ^= SweepQueue.ring
  }
}
