import LarderEngine

/// nginx's proxy_cache (src/http/ngx_http_file_cache.c), with a manager that sleeps, or, without
/// the memory of a server, runs before anything is stored.
struct NaiveNginx: NaivePolicy {
  private var queue: [(id: ObjectID, requested: Int, size: UInt64)] = []
  private let limit: UInt64?
  // Milliseconds times 1000, and files that the manager may delete before it sleeps.
  private var wakes = 0
  private var files = 100
  private var time: NaiveClockTime
  private var keysMost: Int?
  private let inactive: Int
  private let keys: Int

  init(_ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit) {
    let isServer = unit == .bytes && spec.values["memory"] != "values"
    limit = isServer ? capacity - capacity % 4096 : nil
    time = NaiveClockTime(spec)
    inactive = spec.whole("inactive", 600)
    keys = spec.whole("keys", 0)
  }

  func contains(_ id: ObjectID) -> Bool { queue.contains { $0.id == id } }

  mutating func follow(_ now: UInt64) { time.follow(now) }

  func hasIdled(_ id: ObjectID) -> Bool {
    guard inactive > 0, let entry = queue.first(where: { $0.id == id }) else { return false }
    return time.seconds >= entry.requested + inactive
  }

  mutating func hit(_ request: Request) {
    if let place = queue.firstIndex(where: { $0.id == request.id }) {
      pass()
      queue.append((request.id, time.seconds, queue.remove(at: place).size))
    }
  }

  mutating func replace(_ request: Request) {
    guard let place = queue.firstIndex(where: { $0.id == request.id }) else { return }
    queue[place].size = UInt64(request.size)
    hit(request)
  }

  mutating func insert(_ request: Request) {
    pass()
    queue.append((request.id, time.seconds, UInt64(request.size)))
  }

  mutating func admit(_ request: Request) -> Bool {
    if keys > 0, queue.count >= keys { keysMost = keys - keys / 8 }
    return true
  }

  func isFull(for request: Request) -> Bool {
    guard let oldest = queue.first else { return false }
    let isZoneFull = limit == nil ? hasTooManyKeys : keys > 0 && queue.count >= keys
    return hasIdled(oldest.id) || isZoneFull || (isAwake && isOver)
  }

  var exceedsCapacity: Bool { limit != nil }

  mutating func evict() -> ObjectID {
    let victim = queue.removeFirst().id
    guard isAwake else { return victim }
    files -= 1
    if !isOver {
      repeat { wakes += 10_000_000 } while wakes <= time.microseconds
      files = 100
    } else if files == 0 {
      wakes += 54_000
      files = 100
    }
    return victim
  }

  mutating func remove(_ id: ObjectID) { queue.removeAll { $0.id == id } }

  private var hasTooManyKeys: Bool { keysMost.map { queue.count >= $0 } ?? false }
  private var isAwake: Bool { limit != nil && wakes > 0 && time.microseconds >= wakes }
  private var isOver: Bool {
    guard let limit else { return false }
    return queue.reduce(0) { $0 + $1.size } >= limit || hasTooManyKeys
  }

  private mutating func pass() {
    time.tick()
    guard limit != nil else { return }
    if wakes == 0 { wakes = time.microseconds + 10_000_000 }
    while wakes <= time.microseconds, queue.isEmpty || !isOver {
      wakes += 10_000_000
      files = 100
    }
  }
}
