/// The free places that deletions leave in an LRU stack, by position: the topmost comes first. A
/// binary heap.
struct HoleHeap {
  private var positions: [UInt32] = []

  /// Whether there is none.
  @inline(__always)
  var isEmpty: Bool { positions.isEmpty }

  /// How many there are.
  var count: Int { positions.count }

  /// The topmost hole, of which there must be one.
  var topmost: UInt32 { positions[0] }

  /// Adds a hole. O(log n).
  mutating func insert(_ position: UInt32) {
    var place = positions.count
    positions.append(position)
    while place > 0, positions[(place - 1) / 2] < position {
      positions[place] = positions[(place - 1) / 2]
      place = (place - 1) / 2
    }
    positions[place] = position
  }

  /// Takes the topmost hole out. O(log n).
  mutating func removeTopmost() {
    let last = positions.removeLast()
    guard !positions.isEmpty else { return }
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < positions.count else { break }
      if child + 1 < positions.count, positions[child + 1] > positions[child] { child += 1 }
      guard positions[child] > last else { break }
      positions[place] = positions[child]
      place = child
    }
    positions[place] = last
  }

  /// Gives every hole its new position. The order must stay what it is. O(n).
  mutating func renumber(_ position: (UInt32) -> UInt32) {
    for place in positions.indices { positions[place] = position(positions[place]) }
  }
}
