import LarderEngine

/// Varnish's storage_lru.c.
struct NaiveVarnish: NaivePolicy {
  private struct Entry {
    var id: ObjectID
    var size: UInt64
    var moved: Int
  }

  private var queue: [Entry] = []
  private var time: NaiveClockTime
  private var nuked = 0
  private let capacity: UInt64
  private let interval: Int
  private let nukeLimit: Int

  init(_ spec: PolicySpec, capacity: UInt64) {
    time = NaiveClockTime(spec)
    self.capacity = capacity
    interval = spec.whole("interval", 2) * 1_000_000
    nukeLimit = spec.whole("nuke-limit", 50)
  }

  func contains(_ id: ObjectID) -> Bool { queue.contains { $0.id == id } }

  mutating func follow(_ now: UInt64) { time.follow(now) }

  mutating func hit(_ request: Request) {
    time.tick()
    guard let place = queue.firstIndex(where: { $0.id == request.id }) else { return }
    guard time.microseconds - queue[place].moved >= interval else { return }
    var entry = queue.remove(at: place)
    entry.moved = time.microseconds
    queue.append(entry)
  }

  mutating func replace(_ request: Request) {
    remove(request.id)
    insert(request)
  }

  mutating func insert(_ request: Request) {
    time.tick()
    queue.append(
      Entry(id: request.id, size: UInt64(request.size), moved: time.microseconds))
  }

  mutating func admit(_ request: Request) -> Bool {
    for count in 0...min(nukeLimit, queue.count) {
      let left = queue.dropFirst(count).reduce(0) { $0 + $1.size }
      if left + UInt64(request.size) <= capacity { return true }
    }
    nuked = nukeLimit
    return false
  }

  var overflows: Bool { nuked > 0 }

  mutating func evict() -> ObjectID {
    if nuked > 0 { nuked -= 1 }
    return queue.removeFirst().id
  }

  mutating func remove(_ id: ObjectID) { queue.removeAll { $0.id == id } }
}
