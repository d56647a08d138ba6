/// Queue of future events: a binary heap by time. Simultaneous events come in the order of their
/// ids, so the order never depends on the heap's history.
struct EventQueue {
  struct Event {
    var time: UInt64
    var id: UInt32

    @inline(__always) func isBefore(_ other: Event) -> Bool {
      time < other.time || (time == other.time && id < other.id)
    }
  }

  private var heap: [Event] = []

  var count: Int { heap.count }

  var first: Event? { heap.first }

  mutating func insert(_ event: Event) {
    var place = heap.count
    heap.append(event)
    while place > 0 {
      let parent = (place - 1) / 2
      guard event.isBefore(heap[parent]) else { break }
      heap[place] = heap[parent]
      place = parent
    }
    heap[place] = event
  }

  mutating func next() -> Event? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if heap.isEmpty { return first }
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(last) else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = last
    return first
  }
}
