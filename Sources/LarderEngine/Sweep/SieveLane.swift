/// A SIEVE cache: a queue with a hand, as `SweepQueue` has it, from which nothing is taken out but
/// by the hand.
///
///     | survivors ... | gap ... | hand -> not yet passed ... newest |
struct SieveLane: MarkLane {
  private let start: UInt32
  private let mask: UInt32
  private let capacity: UInt32
  private(set) var count: UInt32 = 0
  // Positions count up without end; a place is a position modulo the ring's size.
  private var survivors: UInt32 = 0
  private var survivorsEnd: UInt32 = 0
  private var hand: UInt32 = 0
  private var newest: UInt32 = 0

  init(capacity: UInt32, start: UInt32) {
    self.capacity = capacity
    self.start = start
    mask = Self.places(for: capacity) - 1
  }

  /// Half as many again, so that the gap is seldom closed early.
  static func places(for capacity: UInt32) -> UInt32 {
    var places: UInt32 = 16
    while places < capacity + capacity / 2 { places *= 2 }
    return places
  }

  @inline(__always)
  mutating func store(_ id: ObjectID, in memory: borrowing MarkLanes, lane: UInt16) {
    memory.enter(id, lane: lane)
    if count < capacity { count += 1 } else { giveUp(memory, lane) }
    if newest &- survivors > mask { closeGap(memory) }
    memory[place(newest)] = id
    newest = newest &+ 1
  }

  @inline(__always)
  private func place(_ position: UInt32) -> UInt32 { start + position & mask }

  @inline(__always)
  private mutating func giveUp(_ memory: borrowing MarkLanes, _ lane: UInt16) {
    while true {
      let id = memory[place(hand)]
      memory.prefetch(memory[place(hand &+ 4)])
      let isSpared = memory.spare(id, lane: lane)
      if isSpared {
        memory[place(survivorsEnd)] = id
        survivorsEnd = survivorsEnd &+ 1
      }
      hand = hand &+ 1
      if hand == newest { startOver() }
      if !isSpared { return }
    }
  }

  private mutating func startOver() {
    hand = survivors
    newest = survivorsEnd
    survivorsEnd = survivors
  }

  /// Moves the survivors up to the hand.
  @inline(never)
  private mutating func closeGap(_ memory: borrowing MarkLanes) {
    var target = hand
    var position = survivorsEnd
    while position != survivors {
      position = position &- 1
      target = target &- 1
      memory[place(target)] = memory[place(position)]
    }
    survivors = target
    survivorsEnd = hand
  }
}
