import LarderEngine

/// memcached's items.c and slabs.c: arrays for its lists, with the maintainer run to completion
/// after each request.
struct NaiveMemcached: NaivePolicy {
  private enum Segment: CaseIterable { case hot, warm, cold }

  private struct Item {
    var id: ObjectID
    var size: Int
    var slab: Int
    var segment = Segment.hot
    var time: Int
    var isFetched = false
    var isActive = false
  }

  private var items: [Item] = []
  private var pages: [Int: Int] = [:]
  private var replacedIn: Int?
  private var oversized: ObjectID?
  private var time: NaiveClockTime
  private let chunkSizes: [Int]
  private let page: Int
  private let pagesMax: Int
  private let shares: [Segment: Int]
  private let ages: [Segment: Double]
  let exceedsCapacity: Bool

  init(_ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit) {
    time = NaiveClockTime(spec)
    exceedsCapacity =
      unit == .bytes && spec.values["memory"] != "values" && spec.values["beyond"] != "0"
      && capacity >= 2 * spec.whole("page", 1 << 20)
    page = spec.whole("page", 1_048_576)
    pagesMax = Int(capacity) / page
    shares = [.hot: spec.whole("hot", 20), .warm: spec.whole("warm", 40)]
    ages = [.hot: spec.real("hot-age", 0.2), .warm: spec.real("warm-age", 2)]
    let factor = spec.real("factor", 1.25)
    var sizes: [Int] = []
    if unit == .bytes {
      var size = spec.whole("first", 96)
      while sizes.count < 62, Double(size) < Double(page / 2) / factor {
        while size % 8 != 0 { size += 1 }
        sizes.append(size)
        size = Int(Double(size) * factor)
      }
      sizes.append(page / 2)
    }
    chunkSizes = sizes
  }

  // MARK: Slabs

  private func slab(of size: Int) -> Int {
    chunkSizes.firstIndex { size <= $0 } ?? max(0, chunkSizes.count - 1)
  }

  private func chunks(_ size: Int) -> Int {
    let chunk = chunkSizes[slab(of: size)]
    return size <= chunk ? 1 : Int((Double(size) / Double(chunk)).rounded(.up))
  }

  private func hasRoom(_ slab: Int, for chunks: Int) -> Bool {
    if chunkSizes.isEmpty { return true }
    let used = items.filter { $0.slab == slab }.reduce(0) { $0 + self.chunks($1.size) }
    return used + chunks <= pages[slab, default: 0] * (page / chunkSizes[slab])
  }

  private mutating func grow(for size: Int) {
    guard !chunkSizes.isEmpty else { return }
    let slab = slab(of: size)
    while !hasRoom(slab, for: chunks(size)) {
      let taken = pages.values.reduce(0, +)
      guard taken < pagesMax || pages[slab, default: 0] == 0 else { return }
      pages[slab, default: 0] += 1
    }
  }

  // MARK: Lists

  private func tail(_ slab: Int, _ segment: Segment) -> Int? {
    items.firstIndex { $0.slab == slab && $0.segment == segment }
  }

  private func bytes(_ slab: Int, _ segment: Segment) -> Int {
    items.filter { $0.slab == slab && $0.segment == segment }.reduce(0) { $0 + $1.size }
  }

  private mutating func move(_ place: Int, to segment: Segment) {
    var item = items.remove(at: place)
    item.segment = segment
    items.append(item)
  }

  private mutating func maintain(_ slab: Int) {
    let total = Segment.allCases.reduce(0) { $0 + bytes(slab, $1) }
    let coldAge = tail(slab, .cold).map { time.seconds - items[$0].time } ?? 0
    for _ in 0..<500 where !pull(slab, .hot, total, coldAge) {
      if !pull(slab, .warm, total, coldAge) { return }
    }
  }

  private mutating func pull(_ slab: Int, _ segment: Segment, _ total: Int, _ coldAge: Int) -> Bool
  {
    var limit = total * shares[segment, default: 0] / 100
    if limit == 0 { limit = total * shares[.warm, default: 0] / 100 }
    let ageMax = Int(Double(coldAge) * ages[segment, default: 0])
    var hasMoved = false
    var search = tail(slab, segment).map { items[$0].id }
    for _ in 0..<5 {
      guard let place = items.firstIndex(where: { $0.id == search }) else { break }
      let next = items[(place + 1)...].first { $0.slab == slab && $0.segment == segment }?.id
      if items[place].isActive {
        items[place].isActive = false
        move(place, to: .warm)
        hasMoved = true
        if segment == .hot { break }
      } else if bytes(slab, segment) > limit || time.seconds - items[place].time > ageMax {
        move(place, to: .cold)
        return true
      } else {
        break
      }
      search = next
    }
    return hasMoved
  }

  // MARK: Requests

  func contains(_ id: ObjectID) -> Bool { items.contains { $0.id == id } }

  mutating func follow(_ now: UInt64) { time.follow(now) }

  mutating func hit(_ request: Request) {
    time.tick()
    guard let place = items.firstIndex(where: { $0.id == request.id }) else { return }
    let slab = items[place].slab
    if !items[place].isFetched {
      items[place].isFetched = true
    } else if !items[place].isActive {
      items[place].time = time.seconds
      if items[place].segment == .cold {
        move(place, to: .warm)
      } else {
        items[place].isActive = true
      }
    }
    maintain(slab)
  }

  mutating func admit(_ request: Request) -> Bool {
    if chunkSizes.isEmpty { return true }
    guard request.size <= page else { return false }
    grow(for: Int(request.size))
    return true
  }

  func isFull(for request: Request) -> Bool {
    if chunkSizes.isEmpty { return false }
    let size = Int(request.size)
    return !hasRoom(slab(of: size), for: chunks(size))
  }

  mutating func insert(_ request: Request) {
    time.tick()
    link(request)
  }

  private mutating func link(_ request: Request) {
    let slab = slab(of: Int(request.size))
    items.append(
      Item(id: request.id, size: Int(request.size), slab: slab, time: time.seconds))
    maintain(slab)
  }

  mutating func replace(_ request: Request) {
    time.tick()
    items.removeAll { $0.id == request.id }
    if !chunkSizes.isEmpty {
      if request.size > page {
        oversized = request.id
      } else {
        grow(for: Int(request.size))
      }
    }
    link(request)
    replacedIn = slab(of: Int(request.size))
  }

  var overflows: Bool {
    guard let replacedIn else { return false }
    return oversized != nil || !hasRoom(replacedIn, for: 0)
  }

  mutating func evict() -> ObjectID { evict(for: .none) }

  mutating func evict(for request: Request) -> ObjectID {
    if let id = oversized {
      oversized = nil
      items.removeAll { $0.id == id }
      return id
    }
    let slab = slabToEvict(for: request)
    for _ in 0..<10 where tail(slab, .cold) == nil {
      guard let hot = tail(slab, .hot) else { break }
      let isActive = items[hot].isActive
      items[hot].isActive = false
      move(hot, to: isActive ? .warm : .cold)
    }
    let place = tail(slab, .cold) ?? tail(slab, .warm) ?? tail(slab, .hot)
    return place.map { items.remove(at: $0).id } ?? .none
  }

  private func slabToEvict(for request: Request) -> Int {
    let own = slab(of: Int(request.size))
    if request.id != .none, items.contains(where: { $0.slab == own }) { return own }
    let weights = Set(items.map(\.slab)).sorted().map { slab in
      (slab: slab, bytes: items.filter { $0.slab == slab }.reduce(0) { $0 + $1.size })
    }
    return weights.firstMinimum { $0.bytes > $1.bytes }?.slab ?? 0
  }

  mutating func remove(_ id: ObjectID) {
    guard let item = items.take(where: { $0.id == id }) else { return }
    maintain(item.slab)
  }
}
