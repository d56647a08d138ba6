import LarderEngine

/// MQ (Zhou, Philbin, Li, USENIX ATC 2001), with a lifetime in requests that is proportional to the
/// number of residents. The paper's Adjust runs for each past request when the next hit or eviction
/// comes.
struct NaiveMQ: NaivePolicy {
  struct Entry {
    var object: NaiveWeighted
    var count: Int
    var entered: Int
  }
  /// Q0 and up, each with the least recently requested object first.
  var queues: [[Entry]]
  var ghosts: [Entry] = []
  var returningCount = 0
  var clock = NaiveRequestClock()
  var adjusted = 0

  let life: Double
  let ghostLimit: UInt64

  init(capacity: UInt64, queues count: Int, ghost: Double, life: Double) {
    queues = Array(repeating: [], count: count)
    ghostLimit = UInt64(ghost * Double(capacity))
    self.life = life
  }

  func contains(_ id: ObjectID) -> Bool { queues.joined().contains { $0.object.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { ghosts.contains { $0.object.id == id } }

  mutating func hit(_ request: Request) {
    adjust()
    for place in queues.indices {
      guard let entry = queues[place].take(where: { $0.object.id == request.id }) else { continue }
      enter(request, count: entry.count + 1)
      return
    }
  }

  mutating func admit(_ request: Request) -> Bool {
    returningCount = ghosts.take { $0.object.id == request.id }?.count ?? 0
    return true
  }

  mutating func insert(_ request: Request) {
    enter(request, count: returningCount + 1)
    returningCount = 0
  }

  private mutating func enter(_ request: Request, count: Int) {
    // Queue n holds objects with 2^n requests or more.
    let place = queues.indices.last { 1 << $0 <= count } ?? 0
    // Requests beyond the threshold of the highest queue are not counted.
    let entry = Entry(
      object: NaiveWeighted(request), count: min(count, 1 << (queues.count - 1)),
      entered: clock.now)
    queues[place].append(entry)
    clock.tick(request.id)
  }

  private mutating func adjust() {
    let lifeTime = Int(life * Double(queues.joined().count))
    while adjusted < clock.now {
      adjusted += 1
      for place in queues.indices.dropFirst() {
        guard var head = queues[place].first, adjusted - head.entered > lifeTime else { continue }
        head.entered = adjusted
        queues[place].removeFirst()
        queues[place - 1].append(head)
      }
    }
  }

  mutating func evict() -> ObjectID {
    adjust()
    let lowest = queues.firstIndex { !$0.isEmpty } ?? 0
    let victim = queues[lowest].removeFirst()
    if victim.object.size <= ghostLimit {
      ghosts.append(victim)
      while ghosts.map(\.object).weight > ghostLimit { ghosts.removeFirst() }
    }
    return victim.object.id
  }

  mutating func remove(_ id: ObjectID) {
    clock.retract(id)
    for place in queues.indices { queues[place].removeAll { $0.object.id == id } }
    ghosts.removeAll { $0.object.id == id }
  }
}
