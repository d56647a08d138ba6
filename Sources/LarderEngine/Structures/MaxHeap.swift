/// The largest first: a binary heap of plain values.
struct MaxHeap<Element: Comparable & BitwiseCopyable> {
  private var elements: [Element] = []

  /// Whether there is none.
  @inline(__always)
  var isEmpty: Bool { elements.isEmpty }

  /// How many there are.
  var count: Int { elements.count }

  /// Memory held, in bytes.
  var bytes: Int { elements.capacity * MemoryLayout<Element>.stride }

  /// The largest, of which there must be one.
  var largest: Element { elements[0] }

  /// Adds an element. O(log n).
  mutating func insert(_ element: Element) {
    var place = elements.count
    elements.append(element)
    while place > 0, elements[(place - 1) / 2] < element {
      elements[place] = elements[(place - 1) / 2]
      place = (place - 1) / 2
    }
    elements[place] = element
  }

  /// Takes the largest out. O(log n).
  mutating func removeLargest() {
    let last = elements.removeLast()
    guard !elements.isEmpty else { return }
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, elements[child + 1] > elements[child] { child += 1 }
      guard elements[child] > last else { break }
      elements[place] = elements[child]
      place = child
    }
    elements[place] = last
  }

  /// Puts something else in the place of every element. Their order must stay what it is. O(n).
  mutating func replaceAll(_ replacement: (Element) -> Element) {
    for place in elements.indices { elements[place] = replacement(elements[place]) }
  }
}
