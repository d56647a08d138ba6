import LarderEngine

extension RegisteredPolicy {
  package static let varnish = RegisteredPolicy(Varnish.self)
}

/// Varnish's malloc and file storages, after bin/varnishd/storage/storage_lru.c: LRU in which a hit
/// moves an object only if it was not moved lately, and that rejects an object if too many others
/// would have to be evicted for it.
struct Varnish: EvictionPolicy, OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "varnish", family: .recency, traits: .namesVictim,
    summary: "Varnish's storages: LRU, but a hit moves an object only 2 seconds after its last "
      + "move; an object that needs more than 50 evictions is not stored.",
    parameters: [
      PolicyParameter(
        "interval", default: "2",
        "seconds after its last move in which a hit does not move an object, 0 to 1000000 "
          + "(lru_interval)"),
      PolicyParameter(
        "nuke-limit", default: "50",
        "largest number of evictions for one object, 0 to 1000000 (nuke_limit); beyond it, the "
          + "object is not stored"),
    ] + RequestTime.parameters,
    entryMemory: EntryMemory(key: "an object's headers", default: 130, entryBytes),
    learns: true, server: "Varnish",
    paper: "Varnish Cache 7, bin/varnishd/storage/storage_lru.c")

  // The latest move at the front.
  var list: LinkedLists
  // Microseconds.
  private var movedAt: Column<UInt64>
  private var time: RequestTime
  // Memory of the residents.
  private var used: UInt64 = 0
  // Evictions still to be made for an object that is rejected anyway.
  private var owed = 0
  private let capacity: UInt64
  private let interval: UInt64
  private let nukeLimit: Int

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let interval = try spec.integer("interval", default: 2, in: 0...1_000_000)
    let nukeLimit = try spec.integer("nuke-limit", default: 50, in: 0...1_000_000)
    let time = try RequestTime(spec)
    self.interval = UInt64(interval) * 1_000_000
    self.nukeLimit = nukeLimit
    self.time = time
    capacity = setup.capacity
    list = LinkedLists(objects: setup.objects)
    movedAt = Column(objects: setup.objects)
  }

  static var notices: PolicyNotices { .time }
  @inline(__always) mutating func notice(_ notice: PolicyNotice) { time.set(notice) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    guard time.now - movedAt[request.id] >= interval else { return }
    movedAt[request.id] = time.now
    list.moveToFront(request.id)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    used = used - UInt64(sizes[request.id]) + UInt64(request.size)
    movedAt[request.id] = time.now
    list.moveToFront(request.id)
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    let size = UInt64(request.size)
    var (left, next, leaving) = (used, list.back(), 0)
    while left + size > capacity {
      if leaving == nukeLimit {
        owed = leaving
        return false
      }
      left -= UInt64(sizes[next])
      next = list.ahead(of: next)
      leaving += 1
    }
    return true
  }

  @inline(__always) var overflows: Bool { owed > 0 }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let victim = victim
    list.remove(victim)
    used -= UInt64(sizes[victim])
    owed = max(0, owed - 1)
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    used += UInt64(request.size)
    movedAt[request.id] = time.now
    list.pushFront(request.id)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard list.contains(id) else { return }
    list.remove(id)
    used -= UInt64(sizes[id])
  }

  /// 120 for the object, its headers in words, and the body, as in Varnish 7.1.
  static func entryBytes(_: PolicySpec, value: UInt64, key: UInt64) -> UInt64 {
    120 + (key + 7) / 8 * 8 + value
  }
  @inline(__always) var victim: ObjectID { list.back() }

  mutating func reserve(objects: Int) {
    list.reserve(objects: objects)
    movedAt.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    list.prefetch(id)
    movedAt.prefetch(id)
  }

  var stateBytes: Int { list.bytes + movedAt.bytes }
}
