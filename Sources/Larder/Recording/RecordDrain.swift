import CLarderShims
import LarderEngine
import Synchronization

/// Takes everything out of the rings, in the order of time as far as it is known.
///
/// Each ring is in order. Times of gets are those at which the writer last looked at the clock, so
/// of two rings with the same time the one with a get is first: the set that answers a miss comes
/// behind it.
struct RecordDrain {
  private var stretches: [RecordStretch] = []

  /// Looks at what there is now.
  init(_ rings: RecordRings) {
    for index in 0..<rings.count {
      if let stretch = RecordStretch(rings.ring(index)) { stretches.append(stretch) }
    }
  }

  /// Whether there was nothing.
  var isEmpty: Bool { stretches.isEmpty }

  /// Calls `body` with each operation. O(operations + rings * times): the rings are looked at again
  /// only when the one that is first has come to a later time than another.
  mutating func takeAll(_ body: (RecordUnit) -> Void) {
    while !stretches.isEmpty {
      var (first, limit) = (0, UInt64.max)
      for place in stretches.indices.dropFirst() {
        let order = stretches[place].order
        if order < stretches[first].order {
          limit = stretches[first].order
          first = place
        } else {
          limit = min(limit, order)
        }
      }
      stretches[first].take(upTo: limit, body)
      if stretches[first].isEmpty { stretches.remove(at: first) }
    }
  }

  /// Takes all there is out and forgets it.
  mutating func discard() {
    takeAll { _ in }
  }
}
