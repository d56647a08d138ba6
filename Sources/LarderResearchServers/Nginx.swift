import LarderEngine

extension RegisteredPolicy {
  package static let nginx = RegisteredPolicy(Nginx.self)
}

/// nginx's proxy_cache, after src/http/ngx_http_file_cache.c: LRU, with removal of entries after
/// some time without a request, and with a zone of keys that may fill before the disk does. Room is
/// made before an object is stored; idle entries are removed when they are requested or something
/// is stored, with the same hits.
struct Nginx: EvictionPolicy, OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "nginx", family: .recency, traits: .namesVictim,
    summary: "nginx's proxy_cache: LRU; an entry without a request for 10 minutes is evicted, "
      + "and a full zone of keys evicts an eighth of them.",
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
  private let keys: Int
  private let inactive: UInt32

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let inactive = try spec.integer("inactive", default: 600, in: 0...1_000_000_000)
    let keys = try spec.integer("keys", default: 0, in: 0...Int(ObjectID.max))
    let time = try RequestTime(spec)
    self.inactive = UInt32(inactive)
    self.keys = keys
    self.time = time
    list = LinkedLists(objects: setup.objects)
    requestedAt = Column(objects: setup.objects)
  }

  static var notices: PolicyNotices { .time.union(.idleness) }
  @inline(__always) mutating func notice(_ notice: PolicyNotice) { time.set(notice) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    requestedAt[request.id] = seconds
    list.moveToFront(request.id)
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    if keys > 0, count >= keys { watermark = keys - keys / 8 }
    return true
  }

  @inline(__always) func isFull(for request: Request) -> Bool {
    count > 0 && (count >= watermark || isIdle(victim))
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let victim = victim
    list.remove(victim)
    count -= 1
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    requestedAt[request.id] = seconds
    list.pushFront(request.id)
    count += 1
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard list.contains(id) else { return }
    list.remove(id)
    count -= 1
  }

  @inline(__always) func isIdle(_ id: ObjectID) -> Bool {
    inactive > 0 && seconds &- requestedAt[id] >= inactive
  }

  static func entryBytes(_: PolicySpec, value: UInt64, key: UInt64) -> UInt64 {
    (336 + 7 + key + value + 4095) / 4096 * 4096
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
