import LarderEngine

/// QD-LP-FIFO (Yang, Qiu, Zhang, Yue, Rashmi, HotOS 2023): a small FIFO, a ghost FIFO, and a CLOCK
/// with 2-bit counters. The clock evicts for objects that enter it, and the small queue for the
/// others; until the clock has its share, the small queue may have more.
struct NaiveQDLP: NaivePolicy {
  struct Entry {
    var object: NaiveWeighted
    var counter = 0
  }
  var small: [Entry] = []
  var main: [Entry] = []
  var ghost: [NaiveWeighted] = []
  /// The missing object that was found among the ghosts.
  var returning: NaiveWeighted?

  let mainLimit: UInt64
  let ghostLimit: UInt64

  init(capacity: UInt64, small: Double, ghost: Double) {
    mainLimit = capacity - max(1, UInt64(small * Double(capacity)))
    ghostLimit = UInt64(ghost * Double(capacity))
  }

  func contains(_ id: ObjectID) -> Bool { (small + main).contains { $0.object.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { ghost.has(id) }

  mutating func hit(_ request: Request) {
    for queue in [\NaiveQDLP.small, \.main] {
      guard let place = self[keyPath: queue].firstIndex(where: { $0.object.id == request.id })
      else { continue }
      let counter = min(self[keyPath: queue][place].counter + 1, 3)
      self[keyPath: queue][place] = Entry(object: NaiveWeighted(request), counter: counter)
    }
  }

  mutating func admit(_ request: Request) -> Bool {
    returning = ghost.has(request.id) ? NaiveWeighted(request) : nil
    ghost.drop(request.id)
    return true
  }

  mutating func insert(_ request: Request) {
    let entry = Entry(object: NaiveWeighted(request))
    if returning == nil { small.append(entry) } else { main.append(entry) }
    returning = nil
  }

  mutating func evict() -> ObjectID {
    while true {
      let entering = returning?.size ?? 0
      let isMainFull = main.map(\.object).weight + entering > mainLimit
      if small.isEmpty || (isMainFull && !main.isEmpty) { return evictMain() }
      let oldest = small.removeFirst()
      if oldest.counter > 0 {
        main.append(Entry(object: oldest.object))
        continue
      }
      if oldest.object.size <= ghostLimit {
        ghost.append(oldest.object)
        while ghost.weight > ghostLimit { ghost.removeFirst() }
      }
      return oldest.object.id
    }
  }

  private mutating func evictMain() -> ObjectID {
    while main[0].counter > 0 {
      var spared = main.removeFirst()
      spared.counter -= 1
      main.append(spared)
    }
    return main.removeFirst().object.id
  }

  mutating func remove(_ id: ObjectID) {
    small.removeAll { $0.object.id == id }
    main.removeAll { $0.object.id == id }
    ghost.drop(id)
  }
}
