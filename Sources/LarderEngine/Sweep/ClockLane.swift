/// A CLOCK cache: objects in a circle, and a hand. The new object takes the place of the old.
struct ClockLane: MarkLane {
  private let start: UInt32
  private let capacity: UInt32
  private(set) var count: UInt32 = 0
  private var hand: UInt32 = 0

  init(capacity: UInt32, start: UInt32) {
    self.capacity = capacity
    self.start = start
  }

  static func places(for capacity: UInt32) -> UInt32 { capacity }

  @inline(__always)
  mutating func store(_ id: ObjectID, in memory: borrowing MarkLanes, lane: UInt16) {
    memory.enter(id, lane: lane)
    if count < capacity {
      memory[start + count] = id
      count += 1
      return
    }
    while memory.spare(memory[start + hand], lane: lane) { advance() }
    memory[start + hand] = id
    advance()
    // It is asked for its mark before long.
    memory.prefetch(memory[start + (hand + 4 < capacity ? hand + 4 : 0)])
  }

  @inline(__always)
  private mutating func advance() {
    hand += 1
    if hand == capacity { hand = 0 }
  }
}
