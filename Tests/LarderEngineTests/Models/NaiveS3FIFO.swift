import LarderEngine

/// S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi, SOSP 2023), Algorithm 1.
struct NaiveS3FIFO: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var size: UInt64
    var counter = 0
  }
  var small: [Entry] = []
  var main: [Entry] = []
  var ghost: [Entry] = []
  /// The missing object that was found among the ghosts.
  var returning: ObjectID = .none

  let mainLimit: UInt64
  let ghostLimit: UInt64

  init(capacity: UInt64, small: Double, ghost: Double) {
    let smallLimit = max(1, UInt64(small * Double(capacity)))
    mainLimit = capacity - smallLimit
    ghostLimit = UInt64(ghost * Double(capacity))
  }

  func contains(_ id: ObjectID) -> Bool { (small + main).contains { $0.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { ghost.contains { $0.id == id } }
  func used(_ queue: [Entry]) -> UInt64 { queue.reduce(0) { $0 + $1.size } }

  mutating func hit(_ request: Request) {
    for queue in [\NaiveS3FIFO.small, \.main] {
      guard let place = self[keyPath: queue].firstIndex(where: { $0.id == request.id }) else {
        continue
      }
      let counter = self[keyPath: queue][place].counter
      self[keyPath: queue][place].counter = min(counter + 1, 3)
      self[keyPath: queue][place].size = UInt64(request.size)
    }
  }

  mutating func admit(_ request: Request) -> Bool {
    returning = ghost.take { $0.id == request.id }?.id ?? .none
    return true
  }

  mutating func insert(_ request: Request) {
    let entry = Entry(id: request.id, size: UInt64(request.size))
    if returning == request.id { main.append(entry) } else { small.append(entry) }
    returning = .none
  }

  mutating func evict() -> ObjectID {
    if used(main) > mainLimit || small.isEmpty { return evictMain() }
    while !small.isEmpty {
      let oldest = small.removeFirst()
      if oldest.counter > 1 {
        main.append(Entry(id: oldest.id, size: oldest.size))
      } else {
        remember(oldest)
        return oldest.id
      }
    }
    return evictMain()
  }

  private mutating func evictMain() -> ObjectID {
    while main[0].counter > 0 {
      var spared = main.removeFirst()
      spared.counter -= 1
      main.append(spared)
    }
    return main.removeFirst().id
  }

  private mutating func remember(_ entry: Entry) {
    guard entry.size <= ghostLimit else { return }
    ghost.append(entry)
    while used(ghost) > ghostLimit { ghost.removeFirst() }
  }

  mutating func remove(_ id: ObjectID) {
    small.removeAll { $0.id == id }
    main.removeAll { $0.id == id }
    ghost.removeAll { $0.id == id }
  }
}
