import LarderEngine

extension RegisteredPolicy {
  package static let nginx = RegisteredPolicy(Nginx.self)
}

/// nginx's proxy_cache, after src/http/ngx_http_file_cache.c: LRU, with removal of entries after
/// some time without a request, and with a zone of keys that may fill before the disk does. With
/// the memory of a server, its manager makes room: see `CacheManager`. Otherwise room is made
/// before an object is stored. Idle entries are removed when they are requested or something is
/// stored.
struct Nginx: EvictionPolicy, OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "nginx", family: .recency, traits: .namesVictim,
    summary: "nginx's proxy_cache: LRU, trimmed every 10 seconds; an entry without a request for "
      + "10 minutes is evicted, and a full zone of keys evicts an eighth of them.",
    parameters: [
      PolicyParameter(
        "inactive", default: "600", inRealCaches: "0",
        "seconds without a request after which an entry is evicted, 0 to 1000000000; 0: never"),
      PolicyParameter(
        "keys", default: "0", isCount: true,
        "keys that fit into the zone, about 8000 for each MB of keys_zone; 0: any number"),
    ] + RequestTime.parameters,
    entryMemory: EntryMemory(key: "a key and the headers of a response", default: 250, entryBytes),
    learns: true, server: "nginx",
    paper: "nginx 1.29, src/http/ngx_http_file_cache.c")

  // The latest request at the front.
  var list: LinkedLists
  // Seconds.
  private var requestedAt: Column<UInt32>
  private var time: RequestTime
  private var count = 0
  // The number of keys from which some are evicted; known once the zone has been full.
  private var watermark = Int.max
  private var manager: CacheManager?
  private let keys: Int
  private let inactive: UInt32

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let inactive = try spec.integer("inactive", default: 600, in: 0...1_000_000_000)
    let keys = try spec.integer("keys", default: 0, in: 0...Int(ObjectID.max))
    let time = try RequestTime(spec)
    manager = try EntryMemory.counts(setup) ? CacheManager(capacity: setup.capacity) : nil
    self.inactive = UInt32(inactive)
    self.keys = keys
    self.time = time
    list = LinkedLists(objects: setup.objects)
    requestedAt = Column(objects: setup.objects)
  }

  static var notices: PolicyNotices { .time.union(.idleness) }
  @inline(__always) mutating func notice(_ notice: PolicyNotice) { time.set(notice) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    touch(request.id)
    list.moveToFront(request.id)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    manager?.used -= UInt64(sizes[request.id])
    manager?.used += UInt64(request.size)
    hit(request, sizes)
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    if keys > 0, count >= keys { watermark = keys - keys / 8 }
    return true
  }

  @inline(__always) func isFull(for request: Request) -> Bool {
    guard count > 0 else { return false }
    let isZoneFull = manager == nil ? count >= watermark : keys > 0 && count >= keys
    return isZoneFull || isIdle(victim)
      || manager.map { $0.isAwake(time.now) && isOver($0) } ?? false
  }

  var exceedsCapacity: Bool { manager != nil }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let victim = victim
    remove(victim, sizes)
    if let manager {
      let isDone = !isOver(manager)
      self.manager?.deleted(isDone: isDone, time.now)
    }
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    touch(request.id)
    list.pushFront(request.id)
    manager?.used += UInt64(request.size)
    count += 1
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard list.contains(id) else { return }
    list.remove(id)
    manager?.used -= UInt64(sizes[id])
    count -= 1
  }

  @inline(__always) private mutating func touch(_ id: ObjectID) {
    time.tick()
    requestedAt[id] = seconds
    guard let manager else { return }
    let isOver = count > 0 && isOver(manager)
    self.manager?.follow(time.now, isOver: isOver)
  }

  @inline(__always) private func isOver(_ manager: CacheManager) -> Bool {
    manager.isOver || count >= watermark
  }

  @inline(__always) func isIdle(_ id: ObjectID) -> Bool {
    inactive > 0 && seconds &- requestedAt[id] >= inactive
  }

  static var block: UInt64 { 4096 }

  static func entryBytes(_: PolicySpec, value: UInt64, key: UInt64) -> UInt64 {
    (336 + 7 + key + value + block - 1) / block * block
  }

  @inline(__always) var victim: ObjectID { list.back() }

  mutating func reserve(objects: Int) {
    list.reserve(objects: objects)
    requestedAt.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    list.prefetch(id)
    requestedAt.prefetch(id)
  }

  var stateBytes: Int { list.bytes + requestedAt.bytes }
  private var seconds: UInt32 { UInt32(truncatingIfNeeded: time.now / 1_000_000) }
}

/// nginx's cache manager, with its defaults: it wakes 10 seconds after it was done, and deletes
/// files while they take max_size or more, 100 at a time, which take about 4 ms and are followed by
/// 50 ms of sleep. A simulation deletes them when something is stored next.
struct CacheManager {
  static var rest: UInt64 { 10_000_000 }
  static var pass: UInt64 { 54_000 }
  static var files: Int { 100 }

  /// Bytes of all files, in whole blocks.
  var used: UInt64 = 0
  // Microseconds; nil before the first request.
  private var wakesAt: UInt64?
  private var deletions = 0
  private let limit: UInt64

  init(capacity: UInt64) { limit = capacity / Nginx.block * Nginx.block }

  @inline(__always) var isOver: Bool { used >= limit }
  @inline(__always) func isAwake(_ now: UInt64) -> Bool { wakesAt.map { now >= $0 } ?? false }

  /// Lets time pass: a manager that wakes and has nothing to do rests again.
  @inline(__always) mutating func follow(_ now: UInt64, isOver: Bool) {
    guard let wakesAt else {
      self.wakesAt = now + Self.rest
      return
    }
    if now >= wakesAt, !isOver { rest(from: wakesAt, now) }
  }

  mutating func deleted(isDone: Bool, _ now: UInt64) {
    guard let wakesAt, now >= wakesAt else { return }
    deletions += 1
    if isDone {
      rest(from: wakesAt, now)
    } else if deletions == Self.files {
      self.wakesAt = wakesAt + Self.pass
      deletions = 0
    }
  }

  private mutating func rest(from wakesAt: UInt64, _ now: UInt64) {
    self.wakesAt = wakesAt + ((now - wakesAt) / Self.rest + 1) * Self.rest
    deletions = 0
  }
}
