import LarderEngine

/// Redis's allkeys-lru and allkeys-lfu (src/evict.c), with keys drawn uniformly.
struct NaiveRedis: NaivePolicy {
  struct Key {
    var id: ObjectID
    /// Seconds (or the given resolution) for LRU, minutes for LFU.
    var touched: Int
    var count = 5
    var size = 0
    var expires = false
  }
  struct Candidate {
    var id: ObjectID
    var score: Int
  }

  /// In the order of the engine, because samples are drawn by index.
  var keys: [Key] = []
  var pool: [Candidate] = []
  var random: SeededGenerator
  var time: NaiveClockTime

  let isLFU: Bool
  let samples: Int
  let places: Int
  let resolution: Int
  let factor: Int
  let decay: Int
  /// Of the hash tables of keys and of those that expire.
  var slots = 4
  var expirySlots = 0
  let expiryBytes: Int
  /// For the tables and the keys; nil if entries count with their sizes alone.
  let room: Int?

  init(_ spec: PolicySpec, seed: UInt64, capacity: UInt64, unit: CapacityUnit) {
    isLFU = spec.name == "redis-lfu"
    samples = spec.whole("samples", 5)
    places = spec.whole("pool", 16)
    resolution = isLFU ? 60_000_000 : spec.whole("resolution", 1000) * 1000
    factor = spec.whole("log-factor", 10)
    decay = spec.whole("decay", 1)
    time = NaiveClockTime(spec)
    random = SeededGenerator(seed: seed)
    let counts = unit == .bytes && spec.values["memory"] != "values"
    expiryBytes = spec.whole("quantum", 16) == 8 ? 24 : 32
    room = counts ? Int(capacity) - spec.whole("empty", 973_600) : nil
  }

  private func spare(_ others: Int = 0) -> Int {
    let tables = 8 * (slots + expirySlots)
    return room.map { room in
      room - keys.reduce(tables) { $0 + $1.size + ($1.expires ? expiryBytes : 0) } - others
    } ?? .max
  }

  func admit(_ request: Request) -> Bool {
    room.map { 8 * (slots + expirySlots) + bytes(request) <= $0 } ?? true
  }

  func isFull(for request: Request) -> Bool { !keys.isEmpty && spare(bytes(request)) < 0 }

  private func bytes(_ request: Request) -> Int {
    let expiry = expiryBytes + (expirySlots == 0 ? 4 * 8 : 0)
    return Int(request.size) + (request.expires == Request.noExpiry ? 0 : expiry)
  }

  var overflows: Bool { !keys.isEmpty && spare() < 0 }

  mutating func replace(_ request: Request) {
    hit(request)
    guard let place = keys.firstIndex(where: { $0.id == request.id }) else { return }
    keys[place].size = Int(request.size)
    noteExpiry(at: place, request)
  }

  mutating func renew(_ request: Request) {
    guard let place = keys.firstIndex(where: { $0.id == request.id }) else { return }
    noteExpiry(at: place, request)
  }

  private mutating func noteExpiry(at place: Int, _ request: Request) {
    let expires = request.expires != Request.noExpiry
    guard room != nil, keys[place].expires != expires else { return }
    let count = keys.count { $0.expires }
    let isFull = spare(16 * expirySlots) < 0
    if expires, expirySlots == 0 {
      expirySlots = 4
    } else if expires, count >= expirySlots,
      !isFull || Double(count) > 1.618 * Double(expirySlots)
    {
      while expirySlots <= count { expirySlots *= 2 }
    }
    keys[place].expires = expires
  }

  func contains(_ id: ObjectID) -> Bool { keys.contains { $0.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { !contains(id) && pool.contains { $0.id == id } }

  mutating func follow(_ now: UInt64) { time.follow(now) }

  private func elapsed(_ key: Key) -> Int {
    let bits = isLFU ? 1 << 16 : 1 << 24
    let now = time.microseconds / resolution % bits
    return now >= key.touched ? now - key.touched : now + bits - key.touched
  }

  private func decayed(_ key: Key) -> Int {
    decay == 0 ? key.count : max(0, key.count - elapsed(key) / decay)
  }

  private var stamp: Int { time.microseconds / resolution % (isLFU ? 1 << 16 : 1 << 24) }

  mutating func hit(_ request: Request) {
    time.tick()
    guard let place = keys.firstIndex(where: { $0.id == request.id }) else { return }
    if isLFU {
      var count = decayed(keys[place])
      if count < 255 {
        let chance = 1 / Double(max(0, count - 5) * factor + 1)
        if random.nextUnit() < chance { count += 1 }
      }
      keys[place].count = count
    }
    keys[place].touched = stamp
  }

  mutating func insert(_ request: Request) {
    time.tick()
    if keys.count >= slots, spare(16 * slots) >= 0 || Double(keys.count) > 1.618 * Double(slots) {
      while slots <= keys.count { slots *= 2 }
    }
    keys.append(Key(id: request.id, touched: stamp, size: Int(request.size)))
    noteExpiry(at: keys.count - 1, request)
  }

  mutating func evict() -> ObjectID {
    while true {
      let all = keys.count <= samples
      for number in 0..<min(samples, keys.count) {
        let place = all ? number : Int(random.next(below: UInt64(keys.count)))
        let key = keys[place]
        offer(Candidate(id: key.id, score: isLFU ? 255 - decayed(key) : elapsed(key)))
      }
      while let candidate = pool.popLast() {
        guard let place = keys.firstIndex(where: { $0.id == candidate.id }) else { continue }
        keys.fill(hole: place)
        return candidate.id
      }
    }
  }

  private mutating func offer(_ candidate: Candidate) {
    let lower = pool.prefix { $0.score < candidate.score }.count
    if pool.count < places {
      pool.insert(candidate, at: lower)
    } else if lower > 0 {
      pool.insert(candidate, at: lower)
      pool.removeFirst()
    }
  }

  mutating func remove(_ id: ObjectID) {
    pool.removeAll { $0.id == id }
    if let place = keys.firstIndex(where: { $0.id == id }) { keys.fill(hole: place) }
  }
}
