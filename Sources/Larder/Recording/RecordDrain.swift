import CLarderShims
import LarderEngine
import Synchronization

/// Takes everything out of the rings, in the order of time as far as it is known.
///
/// Each ring is in order. Times of gets are those at which the writer last looked at the clock, so
/// of two rings with the same time the one with a get is first: the set that answers a miss comes
/// behind it.
struct RecordDrain {
  private struct Stretch {
    var ring: RecordRing
    var next: UInt32
    var end: UInt32
    var time: UInt64
    var isGet: Bool
    /// Units taken out that whoever notes does not know of yet.
    var unsaid: UInt32 = 0

    init(_ ring: RecordRing, _ next: UInt32, _ end: UInt32) {
      self.ring = ring
      self.next = next
      self.end = end
      (time, isGet) = RecordUnit.order(at: ring.unit(next))
    }
  }

  private var stretches: [Stretch] = []

  /// Looks at what there is now.
  init(_ rings: RecordRings) {
    for index in 0..<rings.count {
      let ring = rings.ring(index)
      let next = ring.tail.pointee.load(ordering: .relaxed)
      let end = ring.head.pointee.load(ordering: .acquiring)
      if next != end { stretches.append(Stretch(ring, next, end)) }
    }
  }

  /// Whether there was nothing.
  var isEmpty: Bool { stretches.isEmpty }

  /// Calls `body` with each operation. O(operations and rings with something in them).
  mutating func takeAll(_ body: (RecordUnit) -> Void) {
    while !stretches.isEmpty {
      var first = 0
      for place in stretches.indices.dropFirst() where isBefore(place, first) { first = place }
      body(take(first))
      if stretches[first].next == stretches[first].end { stretches.remove(at: first) }
    }
  }

  /// Takes all there is out and forgets it.
  mutating func discard() {
    for stretch in stretches { larder_end_protection(stretch.ring.tail, stretch.end) }
    stretches = []
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    let (a, b) = (stretches[left], stretches[right])
    return a.time != b.time ? a.time < b.time : a.isGet && !b.isGet
  }

  private mutating func take(_ place: Int) -> RecordUnit {
    let ring = stretches[place].ring
    let next = stretches[place].next
    let here = ring.unit(next)
    let unit = RecordUnit(at: here, more: ring.unit(next &+ 1))
    let units: UInt32 = unit.hasMore ? 2 : 1
    stretches[place].next = next &+ units
    stretches[place].unsaid += units
    let isLast = stretches[place].next == stretches[place].end
    if !isLast {
      let order = RecordUnit.order(at: ring.unit(next &+ units))
      (stretches[place].time, stretches[place].isGet) = order
    }
    if isLast || stretches[place].unsaid >= ring.capacity / 8 {
      // Everything was read before: the store is a release, which pairs with the acquiring load in
      // `RecordRing.hasRoom`.
      larder_end_protection(ring.tail, next &+ units)
      stretches[place].unsaid = 0
    }
    return unit
  }
}
