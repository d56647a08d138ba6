@testable import LarderEngine

/// Segments as plain arrays, searched from one end to the other.
struct NaiveSegments {
  struct Value {
    var id: ObjectID
    var bytes: Int
    var isCurrent = true
    /// True if the value counts as live: until the commit after its eviction.
    var isLive = true
    var pages: Int { max(1, (bytes + 4095) / 4096) * 4096 }
  }

  struct Segment {
    var number: Int
    var values: [Value] = []
    var size = 0
    var isSpent = false
    var end: Int { values.reduce(0) { $0 + $1.pages } }
    var live: Int { values.filter(\.isLive).reduce(0) { $0 + $1.pages } }
    var isEmpty: Bool { !values.contains(where: \.isLive) }
  }

  let setup: SegmentSetup
  var segments: [Segment] = []
  var open: Int?
  var free: [Int] = []
  var made = 0
  var stored: Set<ObjectID> = []
  var doomed = 0
  var (copies, moved) = (0, 0)

  init(_ setup: SegmentSetup) { self.setup = setup }

  private func place(_ number: Int) -> Int {
    segments.firstIndex { $0.number == number } ?? segments.count
  }

  mutating func store(_ id: ObjectID, _ bytes: Int) {
    var added: (segment: Int, value: Int)?
    let value = Value(id: id, bytes: bytes)
    if bytes > Int(setup.inlineBytesMax), value.pages <= Int(setup.bytes) { added = append(value) }
    leave(id, sparing: added)
    stored.insert(id)
    write()
  }

  mutating func drop(_ id: ObjectID) {
    guard stored.remove(id) != nil else { return }
    leave(id, sparing: nil)
    doomed += 1
  }

  mutating func commitDropped() {
    if doomed > 0 { write() }
  }

  private mutating func leave(_ id: ObjectID, sparing kept: (segment: Int, value: Int)?) {
    for segment in segments.indices {
      for value in segments[segment].values.indices
      where segments[segment].values[value].id == id
        && !(segments[segment].number == kept?.segment && value == kept?.value)
      {
        segments[segment].values[value].isCurrent = false
      }
    }
  }

  @discardableResult
  private mutating func append(_ value: Value) -> (segment: Int, value: Int) {
    if let number = open, segments[place(number)].end + value.pages > Int(setup.bytes) {
      open = nil
      if segments[place(number)].isEmpty { release(number) }
    }
    if open == nil, let number = free.popLast() {
      segments[place(number)].values = []
      open = number
    }
    if open == nil {
      made += 1
      segments.append(Segment(number: made))
      open = made
    }
    let segment = place(open ?? 0)
    segments[segment].values.append(value)
    segments[segment].size = max(segments[segment].size, segments[segment].end)
    return (segments[segment].number, segments[segment].values.count - 1)
  }

  private mutating func release(_ number: Int) {
    if free.contains(number) { return }
    if free.count == 2 {
      segments.remove(at: place(number))
    } else {
      segments[place(number)].isSpent = false
      free.append(number)
    }
  }

  private mutating func write() {
    doomed = 0
    retire()
    while isWasteful, let victim { recycle(victim) }
  }

  private mutating func retire() {
    for number in segments.map(\.number) {
      var changed = false
      for value in segments[place(number)].values.indices
      where !segments[place(number)].values[value].isCurrent
        && segments[place(number)].values[value].isLive
      {
        segments[place(number)].values[value].isLive = false
        changed = true
      }
      if changed, number != open, segments[place(number)].isEmpty { release(number) }
    }
  }

  private var isWasteful: Bool {
    let used = segments.filter { !free.contains($0.number) }
    let live = used.reduce(0) { $0 + $1.live }
    let dead = used.filter { $0.number != open && !$0.isSpent }.reduce(0) { $0 + $1.end - $1.live }
    return dead > Int(setup.bytes) + live / 3
  }

  private var victim: Int? {
    let candidates = segments.filter {
      $0.number != open && !$0.isEmpty && !$0.isSpent && $0.live < $0.end
    }
    return candidates.min {
      let (left, right) = ($0.live * $1.size, $1.live * $0.size)
      return left == right ? $0.number < $1.number : left < right
    }?.number
  }

  private mutating func recycle(_ number: Int) {
    for value in segments[place(number)].values where value.isCurrent {
      append(Value(id: value.id, bytes: value.bytes))
      copies += 1
      moved += value.bytes
    }
    for value in segments[place(number)].values.indices {
      segments[place(number)].values[value].isCurrent = false
    }
    retire()
    if segments.contains(where: { $0.number == number }), !free.contains(number) {
      segments[place(number)].isSpent = true
    }
  }
}
