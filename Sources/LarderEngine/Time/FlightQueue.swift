/// Fetches in flight, in the order in which they end.
///
/// Fetches mostly end in the order in which they begin, always so where all take equally long: such
/// ones stand in a ring, at O(1). The others are in a heap, at O(log n). Memory follows the largest
/// number in flight.
@usableFromInline
struct FlightQueue: ~Copyable {
  @usableFromInline var ring = Column<Flight>(objects: 63)
  @usableFromInline var first: UInt32 = 0
  @usableFromInline var ringCount: UInt32 = 0
  // A binary heap; its root is at 1.
  @usableFromInline var heap = Column<Flight>(objects: 15)
  @usableFromInline var heapCount: UInt32 = 0
  /// When the next one ends; `.max` when there is none.
  @usableFromInline private(set) var nextCompletion = UInt64.max

  @inlinable
  init() {}

  /// How many there are.
  @inlinable
  @inline(__always)
  var count: Int { Int(ringCount) + Int(heapCount) }

  @inlinable
  @inline(__always)
  var mask: UInt32 { UInt32(truncatingIfNeeded: ring.objects) }

  /// Memory held, in bytes.
  @usableFromInline var bytes: Int { ring.bytes + heap.bytes }

  /// Adds a fetch, whose order is above that of all others.
  @inlinable
  @inline(__always)
  mutating func add(_ flight: Flight) {
    if ringCount == 0 || flight.completion >= ring[(first &+ ringCount &- 1) & mask].completion {
      if ringCount > mask { growRing() }
      ring[(first &+ ringCount) & mask] = flight
      ringCount += 1
    } else {
      push(flight)
    }
    nextCompletion = min(nextCompletion, flight.completion)
  }

  /// Takes out the one that ends next; there must be one.
  @inlinable
  @inline(__always)
  mutating func takeNext() -> Flight {
    let flight: Flight
    if heapCount == 0 || ringCount > 0 && ring[first & mask].ends(before: heap[1]) {
      flight = ring[first & mask]
      first = (first &+ 1) & mask
      ringCount -= 1
    } else {
      flight = pop()
    }
    var next = ringCount > 0 ? ring[first & mask].completion : .max
    if heapCount > 0 { next = min(next, heap[1].completion) }
    nextCompletion = next
    return flight
  }

  @usableFromInline
  @inline(never)
  mutating func growRing() {
    let old = ring.objects + 1
    var larger = Column<Flight>(objects: old * 2 - 1)
    for place in 0..<ringCount { larger[place] = ring[(first &+ place) & mask] }
    swap(&ring, &larger)
    first = 0
  }

  @usableFromInline
  @inline(never)
  mutating func push(_ flight: Flight) {
    heapCount += 1
    heap.reserve(objects: Int(heapCount))
    var place = heapCount
    while place > 1, flight.ends(before: heap[place / 2]) {
      heap[place] = heap[place / 2]
      place /= 2
    }
    heap[place] = flight
  }

  @usableFromInline
  @inline(never)
  mutating func pop() -> Flight {
    let root = heap[1]
    let last = heap[heapCount]
    heapCount -= 1
    var place: UInt32 = 1
    while place * 2 <= heapCount {
      var child = place * 2
      if child < heapCount, heap[child + 1].ends(before: heap[child]) { child += 1 }
      guard heap[child].ends(before: last) else { break }
      heap[place] = heap[child]
      place = child
    }
    if heapCount > 0 { heap[place] = last }
    return root
  }
}
