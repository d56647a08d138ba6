import LarderEngine

/// SIEVE (Zhang, Yang, Yue, Vigfusson, Rashmi, NSDI 2024), Algorithm 1.
struct NaiveSieve: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var visited: Bool
  }
  /// Tail (oldest) first, head (newest) last. Objects never move.
  var queue: [Entry] = []
  var hand: Int?

  func contains(_ id: ObjectID) -> Bool { queue.contains { $0.id == id } }
  mutating func hit(_ request: Request) {
    guard let place = queue.firstIndex(where: { $0.id == request.id }) else { return }
    queue[place].visited = true
  }
  mutating func evict() -> ObjectID {
    var place = hand ?? 0
    while queue[place].visited {
      queue[place].visited = false
      place = place + 1 == queue.count ? 0 : place + 1
    }
    hand = place
    let victim = queue[place].id
    remove(victim)
    return victim
  }
  mutating func insert(_ request: Request) { queue.append(Entry(id: request.id, visited: false)) }

  mutating func remove(_ id: ObjectID) {
    guard let place = queue.firstIndex(where: { $0.id == id }) else { return }
    queue.remove(at: place)
    guard let old = hand else { return }
    hand = old > place ? old - 1 : old
    if hand == queue.count { hand = nil }
  }
}
