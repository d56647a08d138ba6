import LarderEngine

/// nginx's proxy_cache (src/http/ngx_http_file_cache.c), with a manager that runs before anything
/// is stored.
struct NaiveNginx: NaivePolicy {
  private var queue: [(id: ObjectID, requested: Int)] = []
  private var time: NaiveClockTime
  private var limit: Int?
  private let inactive: Int
  private let keys: Int

  init(_ spec: PolicySpec) {
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
    _ = queue.take { $0.id == request.id }
    insert(request)
  }

  mutating func insert(_ request: Request) {
    time.tick()
    queue.append((request.id, time.seconds))
  }

  mutating func admit(_ request: Request) -> Bool {
    if keys > 0, queue.count >= keys { limit = keys - keys / 8 }
    return true
  }

  func isFull(for request: Request) -> Bool {
    guard let oldest = queue.first else { return false }
    return hasIdled(oldest.id) || limit.map { queue.count >= $0 } ?? false
  }

  mutating func evict() -> ObjectID { queue.removeFirst().id }

  mutating func remove(_ id: ObjectID) { queue.removeAll { $0.id == id } }
}
