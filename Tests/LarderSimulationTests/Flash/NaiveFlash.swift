import LarderExperiments

/// Layouts with plain arrays and linear search.
struct NaiveFlash {
  struct Object {
    var key: Int
    var size: Int
    var hits = 0
  }

  let layout: FlashLayout
  let regionCount: Int
  let bucketCount: Int
  /// Regions in the order of opening, the open one last.
  var regions: [[Object]] = [[]]
  var used = 0
  var buckets: [[Object]]
  var (hits, evictions, refused, written, inserted, again) = (0, 0, 0, 0, 0, 0)

  init(_ layout: FlashLayout, capacity: UInt64) {
    self.layout = layout
    regionCount = Int(layout.regionCount(of: capacity))
    bucketCount = Int(layout.bucketCount(of: capacity))
    buckets = Array(repeating: [], count: bucketCount)
  }

  mutating func get(_ key: Int, _ size: Int) {
    for region in regions.indices {
      if let place = regions[region].firstIndex(where: { $0.key == key }) {
        regions[region][place].hits += 1
        hits += 1
        return
      }
    }
    if buckets.contains(where: { $0.contains { $0.key == key } }) {
      hits += 1
      return
    }
    let object = Object(key: key, size: size)
    switch layout {
    case .sets:
      guard size <= 4052 else {
        refused += 1
        return
      }
      inserted += size
      fill([object])
    case .log(let region, _): log(object, Int(region), largest: Int(region))
    case .kangaroo(let layout): log(object, Int(layout.region), largest: 4052)
    }
  }

  private mutating func log(_ object: Object, _ region: Int, largest: Int) {
    guard object.size <= min(region, largest) else {
      refused += 1
      return
    }
    while used + object.size > region {
      used = 0
      regions.append([])
      if regions.count > regionCount { reclaim() }
    }
    inserted += object.size
    append(object)
  }

  private mutating func append(_ object: Object) {
    written += object.size
    used += object.size
    regions[regions.count - 1].append(object)
  }

  private mutating func reclaim() {
    // One at a time, because a group also takes others of this region.
    while let object = regions[0].first {
      switch layout {
      case .sets: return
      case .log(_, let least):
        regions[0].removeFirst()
        keep(object, least: Int(least))
      case .kangaroo(let layout):
        let number = bucket(object.key)
        let group = regions.flatMap { $0 }.filter { bucket($0.key) == number }
        if group.count >= Int(layout.threshold) {
          regions = regions.map { region in region.filter { bucket($0.key) != number } }
          fill(group)
        } else {
          regions[0].removeFirst()
          keep(object, least: Int(layout.reinsertHits))
        }
      }
    }
    regions.removeFirst()
  }

  private mutating func keep(_ object: Object, least: Int) {
    guard least > 0, object.hits >= least else {
      evictions += 1
      return
    }
    again += object.size
    append(Object(key: object.key, size: object.size))
  }

  private func bucket(_ key: Int) -> Int {
    var z = UInt64(key) &+ 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((z ^ (z >> 31)) % UInt64(bucketCount))
  }

  private mutating func fill(_ group: [Object]) {
    let number = bucket(group[0].key)
    for object in group {
      while buckets[number].reduce(object.size + 20, { $0 + $1.size + 20 }) > 4096 - 24 {
        buckets[number].removeFirst()
        evictions += 1
      }
      buckets[number].append(object)
    }
    written += 4096
  }
}
