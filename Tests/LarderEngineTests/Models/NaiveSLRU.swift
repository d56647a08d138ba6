import LarderEngine

/// Segmented LRU (Karedla, Love, Wherry, IEEE Computer 1994) with any number of equal segments.
///
/// A hit moves an object to the head of the segment above, or to the head of its own if it is
/// larger than a segment's limit. A segment over its limit cools its tail to the head of the one
/// below; the lowest is limited only by the cache, and its tail is evicted.
///
/// With `fill`, as in libCacheSim, a new object enters the lowest segment with room for it, and a
/// hit that cools an object into the lowest segment trims that segment to its limit.
struct NaiveSLRU: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var size: UInt64
  }
  var segments: [[Entry]]
  let limit: UInt64
  /// True if a new object enters the lowest segment with room for it, rather than the lowest.
  let fill: Bool
  /// True if the last hit cooled an object into the lowest segment.
  var cooledToLowest = false

  init(capacity: UInt64, segments count: Int, fill: Bool) {
    segments = Array(repeating: [], count: count)
    limit = max(1, capacity / UInt64(count))
    self.fill = fill
  }

  func used(_ segment: Int) -> UInt64 { segments[segment].reduce(0) { $0 + $1.size } }
  func segment(of id: ObjectID) -> Int? { segments.firstIndex { $0.contains { $0.id == id } } }
  func contains(_ id: ObjectID) -> Bool { segment(of: id) != nil }
  var overflows: Bool { fill && cooledToLowest && used(0) > limit }

  mutating func hit(_ request: Request) {
    guard let from = segment(of: request.id) else { return }
    remove(request.id)
    let size = UInt64(request.size)
    let to = size > limit ? from : min(from + 1, segments.count - 1)
    segments[to].append(Entry(id: request.id, size: size))
    cool()
  }

  mutating func evict() -> ObjectID {
    let lowest = segments.firstIndex { !$0.isEmpty } ?? 0
    return segments[lowest].removeFirst().id
  }

  mutating func insert(_ request: Request) {
    let size = UInt64(request.size)
    let roomy = segments.indices.first { used($0) + size <= limit }
    segments[fill ? roomy ?? 0 : 0].append(Entry(id: request.id, size: size))
  }

  mutating func remove(_ id: ObjectID) {
    for place in segments.indices { segments[place].removeAll { $0.id == id } }
  }

  private mutating func cool() {
    cooledToLowest = false
    for place in segments.indices.dropFirst().reversed() {
      while used(place) > limit {
        segments[place - 1].append(segments[place].removeFirst())
        cooledToLowest = place == 1
      }
    }
  }
}
