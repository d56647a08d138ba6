import LarderEngine

extension RegisteredPolicy {
  package static let memcached = RegisteredPolicy(Memcached.self)
}

/// memcached's segmented LRU, after items.c and slabs.c of 1.6: each size class has its own pages
/// and evicts from them, and within it items move between hot, warm and cold lists. The maintainer
/// thread is assumed to have finished with a class after each request for it. Pages stay with their
/// class, whose first one may exceed the capacity of 2 pages or more. A cache that counts objects
/// has one class.
struct Memcached: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "memcached", family: .recency,
    summary: "memcached's segmented LRU: slab classes with separate pages, and in each class "
      + "hot, warm and cold items; the second hit protects an item.",
    parameters: [
      PolicyParameter(
        "factor", default: "1.25", "chunks of a class to those of the one below, 1.01 to 100 (-f)"),
      PolicyParameter("first", default: "96", "the smallest chunk, bytes, 8 to half a page"),
      PolicyParameter(
        "page", default: "1048576",
        "a page and the largest item, bytes, a multiple of 16 from 16 to 1073741824"),
      PolicyParameter("hot", default: "20", "per cent of a class that may be hot, 0 to 100"),
      PolicyParameter("warm", default: "40", "per cent of a class that may be warm, 0 to 100"),
      PolicyParameter(
        "hot-age", default: "0.2",
        "largest age of a hot item, times that of the oldest cold one, 0 to 1000"),
      PolicyParameter(
        "warm-age", default: "2",
        "largest age of a warm item, times that of the "
          + "oldest cold one, 0 to 1000"),
      PolicyParameter(
        "beyond", default: "1", inSamples: "0",
        "1: first pages of classes may exceed a capacity of at least 2 pages, with memory=server"),
    ] + RequestTime.parameters, entryMemory: EntryMemory(key: "a key", default: 16, entryBytes),
    learns: true, server: "memcached",
    paper: "memcached 1.6, items.c and slabs.c, with its defaults lru_maintainer and lru_segmented")

  private static var hot: UInt32 { 0 }
  private static var warm: UInt32 { 1 }
  private static var cold: UInt32 { 2 }
  private static var fetched: UInt8 { 1 }
  private static var active: UInt8 { 2 }

  // Three lists for each class, the newest at the front.
  private var lists: WeightedLists
  private var slabs: SlabClasses
  private var flags: Column<UInt8>
  // Seconds.
  private var touchedAt: Column<UInt32>
  private var time: RequestTime
  // The class into which an item was last replaced: it may have too few chunks.
  private var replacedIn: UInt32?
  // An item that grew beyond the largest size.
  private var oversized = ObjectID.none
  private let shares: (hot: UInt64, warm: UInt64)
  private let ages: (hot: Double, warm: Double)
  let exceedsCapacity: Bool

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let factor = try spec.number("factor", default: 1.25, in: 1.01...100)
    let page = try spec.integer("page", default: 1 << 20, in: 16...(1 << 30))
    guard page % 16 == 0 else {
      throw .badValue(
        policy: spec.name, parameter: "page", value: "\(page)", expected: "a multiple of 16")
    }
    let first = try spec.integer("first", default: min(96, page / 2), in: 8...(page / 2))
    let hot = try spec.integer("hot", default: 20, in: 0...100)
    let warm = try spec.integer("warm", default: 40, in: 0...100)
    let hotAge = try spec.number("hot-age", default: 0.2, in: 0...1000)
    let warmAge = try spec.number("warm-age", default: 2, in: 0...1000)
    let time = try RequestTime(spec)
    let beyond = try spec.integer("beyond", default: 1, in: 0...1)
    let counts = try EntryMemory.counts(setup)
    // The least capacity of the server.
    exceedsCapacity = beyond == 1 && counts && setup.capacity >= 2 * page
    self.time = time
    shares = (UInt64(hot), UInt64(warm))
    ages = (hotAge, warmAge)
    // Objects are in one class, for which there are always pages.
    let isUnit = setup.unit == .objects
    slabs = SlabClasses(
      capacity: isUnit ? .max : setup.capacity, page: isUnit ? 16 : UInt32(page),
      first: isUnit ? 8 : UInt32(first), factor: factor)
    lists = WeightedLists(
      lists: Int(slabs.count) * 3, objects: setup.objects, weighs: setup.unit == .bytes)
    flags = Column(objects: setup.objects)
    touchedAt = Column(objects: setup.objects)
  }

  static var notices: PolicyNotices { .time }
  @inline(__always) mutating func notice(_ notice: PolicyNotice) { time.set(notice) }
  @inline(__always) func contains(_ id: ObjectID) -> Bool { lists.place(id) != 0 }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    let id = request.id
    let list = UInt32(lists.place(id)) - 1
    if flags[id] & Memcached.fetched == 0 {
      flags[id] = Memcached.fetched
    } else if flags[id] & Memcached.active == 0 {
      touchedAt[id] = seconds
      if list % 3 == Memcached.cold {
        lists.moveToFront(id, of: list - Memcached.cold + Memcached.warm)
      } else {
        flags[id] |= Memcached.active
      }
    }
    maintain(list / 3)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    _ = takeOut(request.id)
    let slab = slabs.slab(of: request.size)
    if UInt64(request.size) > slabs.itemMax {
      oversized = request.id
    } else {
      slabs.grow(slab, for: slabs.chunks(request.size, in: slab))
    }
    putIn(request, slab)
    replacedIn = slab
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    guard UInt64(request.size) <= slabs.itemMax else { return false }
    let slab = slabs.slab(of: request.size)
    slabs.grow(slab, for: slabs.chunks(request.size, in: slab))
    return true
  }

  @inline(__always) func isFull(for request: Request) -> Bool {
    let slab = slabs.slab(of: request.size)
    return !slabs.hasRoom(in: slab, for: slabs.chunks(request.size, in: slab))
  }

  var overflows: Bool {
    guard let replacedIn else { return false }
    return oversized != .none || !slabs.hasRoom(in: replacedIn)
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let victim = oversized != .none ? oversized : tail(of: slabToEvict(for: request))
    oversized = .none
    _ = takeOut(victim)
    return victim
  }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    time.tick()
    putIn(request, slabs.slab(of: request.size))
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    guard contains(id) else { return }
    let slab = takeOut(id)
    maintain(slab)
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    flags.reserve(objects: objects)
    touchedAt.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    flags.prefetch(id)
    touchedAt.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { lists.prefetchNeighbours(id) }
  var stateBytes: Int { lists.bytes + slabs.bytes + flags.bytes + touchedAt.bytes }
  static func entryBytes(_: PolicySpec, value: UInt64, key: UInt64) -> UInt64 {
    48 + 8 + key + 1 + value + 2
  }
  private var seconds: UInt32 { UInt32(truncatingIfNeeded: time.now / 1_000_000) }
}

/// Items and their classes.
extension Memcached {
  private mutating func putIn(_ request: Request, _ slab: UInt32) {
    slabs.take(request.size, in: slab)
    flags[request.id] = 0
    touchedAt[request.id] = seconds
    lists.pushFront(request.id, to: slab * 3 + Memcached.hot, weight: request.size)
    maintain(slab)
  }

  private mutating func takeOut(_ id: ObjectID) -> UInt32 {
    let slab = (UInt32(lists.place(id)) - 1) / 3
    slabs.give(lists.weight(id), in: slab)
    lists.remove(id)
    return slab
  }

  private func slabToEvict(for request: Request) -> UInt32 {
    if request.id != .none {
      let own = slabs.slab(of: request.size)
      if !isEmpty(own) { return own }
    }
    var heaviest: UInt32?
    for slab in 0..<slabs.count where !isEmpty(slab) {
      if let found = heaviest, weight(of: found) >= weight(of: slab) { continue }
      heaviest = slab
    }
    return heaviest ?? 0
  }

  private func isEmpty(_ slab: UInt32) -> Bool {
    let first = slab * 3
    return (first..<first + 3).allSatisfy { lists.back(of: $0) == .none }
  }

  private func weight(of slab: UInt32) -> UInt64 {
    let first = slab * 3
    return lists.weight(of: first) + lists.weight(of: first + 1) + lists.weight(of: first + 2)
  }

  private mutating func tail(of slab: UInt32) -> ObjectID {
    let (hot, warm) = (slab * 3 + Memcached.hot, slab * 3 + Memcached.warm)
    let cold = slab * 3 + Memcached.cold
    for _ in 0..<10 where lists.back(of: cold) == .none {
      let oldest = lists.back(of: hot)
      if oldest == .none { break }
      let isActive = flags[oldest] & Memcached.active != 0
      flags[oldest] &= ~Memcached.active
      lists.moveToFront(oldest, of: isActive ? warm : cold)
    }
    for list in [cold, warm, hot] where lists.back(of: list) != .none {
      return lists.back(of: list)
    }
    return .none
  }

  private mutating func maintain(_ slab: UInt32) {
    let (hot, warm) = (slab * 3 + Memcached.hot, slab * 3 + Memcached.warm)
    let total = weight(of: slab)
    let oldest = lists.back(of: slab * 3 + Memcached.cold)
    let coldAge = Double(oldest == .none ? 0 : seconds &- touchedAt[oldest])
    let warmMost = total * shares.warm / 100
    // As in memcached: a limit of 0 bytes means that of the warm list.
    let hotMost = total * shares.hot / 100 == 0 ? warmMost : total * shares.hot / 100
    let (hotAge, warmAge) = (UInt64(coldAge * ages.hot), UInt64(coldAge * ages.warm))
    for _ in 0..<500 {
      let moves =
        pullHot(hot, weightMax: hotMost, ageMax: hotAge)
        || pullWarm(warm, weightMax: warmMost, ageMax: warmAge)
      if !moves { return }
    }
  }

  private mutating func pullHot(_ hot: UInt32, weightMax: UInt64, ageMax: UInt64) -> Bool {
    let oldest = lists.back(of: hot)
    guard oldest != .none else { return false }
    if flags[oldest] & Memcached.active != 0 {
      flags[oldest] &= ~Memcached.active
      lists.moveToFront(oldest, of: hot + 1)
      return true
    }
    return cool(oldest, from: hot, to: hot + 2, weightMax: weightMax, ageMax: ageMax)
  }

  private mutating func pullWarm(_ warm: UInt32, weightMax: UInt64, ageMax: UInt64) -> Bool {
    var oldest = lists.back(of: warm)
    var moved = false
    for _ in 0..<5 where oldest != .none {
      if flags[oldest] & Memcached.active == 0 {
        return cool(oldest, from: warm, to: warm + 1, weightMax: weightMax, ageMax: ageMax)
          || moved
      }
      let next = lists.ahead(of: oldest)
      flags[oldest] &= ~Memcached.active
      lists.moveToFront(oldest, of: warm)
      moved = true
      oldest = next
    }
    return moved
  }

  private mutating func cool(
    _ id: ObjectID, from list: UInt32, to cold: UInt32, weightMax: UInt64, ageMax: UInt64
  ) -> Bool {
    guard lists.weight(of: list) > weightMax || UInt64(seconds &- touchedAt[id]) > ageMax else {
      return false
    }
    lists.moveToFront(id, of: cold)
    return true
  }
}

/// memcached's memory: pages cut into chunks of one size, each owned by a size class. A class takes
/// pages while any are free and keeps them; each class may have at least one.
struct SlabClasses: ~Copyable {
  static var countMax: Int { 63 }

  let count: UInt32
  let itemMax: UInt64
  private let pagesMax: UInt64
  private var pagesTaken: UInt64 = 0
  private var chunkSizes: Column<UInt32>
  private var chunksPerPage: Column<UInt64>
  private var pages: Column<UInt64>
  private var used: Column<UInt64>

  init(capacity: UInt64, page: UInt32, first: UInt32, factor: Double) {
    let largest = page / 2
    chunkSizes = Column(objects: Self.countMax)
    chunksPerPage = Column(objects: Self.countMax)
    pages = Column(objects: Self.countMax)
    used = Column(objects: Self.countMax)
    var (next, classes) = (first, UInt32(0))
    while classes + 1 < Self.countMax, Double(next) < Double(largest) / factor {
      chunkSizes[classes] = (next + 7) / 8 * 8
      next = UInt32(Double(chunkSizes[classes]) * factor)
      classes += 1
    }
    chunkSizes[classes] = largest
    count = classes + 1
    for slab in 0..<count { chunksPerPage[slab] = UInt64(page / chunkSizes[slab]) }
    itemMax = UInt64(page)
    pagesMax = capacity / UInt64(page)
  }

  func slab(of bytes: UInt32) -> UInt32 {
    var (low, high) = (UInt32(0), count - 1)
    while low < high {
      let middle = (low + high) / 2
      if chunkSizes[middle] >= bytes { high = middle } else { low = middle + 1 }
    }
    return low
  }

  func chunks(_ bytes: UInt32, in slab: UInt32) -> UInt64 {
    guard bytes > chunkSizes[slab] else { return 1 }
    let size = UInt64(chunkSizes[slab])
    return (UInt64(bytes) + size - 1) / size
  }

  mutating func grow(_ slab: UInt32, for chunks: UInt64) {
    while !hasRoom(in: slab, for: chunks), pages[slab] == 0 || pagesTaken < pagesMax {
      pages[slab] += 1
      pagesTaken += 1
    }
  }

  func hasRoom(in slab: UInt32, for chunks: UInt64 = 0) -> Bool {
    used[slab] + chunks <= pages[slab] * chunksPerPage[slab]
  }

  mutating func take(_ bytes: UInt32, in slab: UInt32) { used[slab] += chunks(bytes, in: slab) }
  mutating func give(_ bytes: UInt32, in slab: UInt32) { used[slab] -= chunks(bytes, in: slab) }
  var bytes: Int { chunkSizes.bytes + chunksPerPage.bytes + pages.bytes + used.bytes }
}
