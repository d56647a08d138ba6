import LarderEngine

/// S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi, SOSP 2023), Algorithm 1, and QD-LP-FIFO (Yang, Qiu,
/// Zhang, Yue, Rashmi, HotOS 2023), in which one hit is enough and main evicts for objects that
/// enter it, the small queue for the others; until main has its share, the small queue may have
/// more.
struct NaiveS3FIFO: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var size: UInt64
    var counter = 0
  }
  var small: [Entry] = []
  var main: [Entry] = []
  var ghost: [Entry] = []
  var returning: Request?

  let mainLimit: UInt64
  let ghostLimit: UInt64

  let isQDLP: Bool

  init(isQDLP: Bool, capacity: UInt64, small: Double, ghost: Double) {
    self.isQDLP = isQDLP
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
    returning = ghost.take { $0.id == request.id }.map { _ in request }
    return true
  }

  mutating func insert(_ request: Request) {
    let entry = Entry(id: request.id, size: UInt64(request.size))
    if returning != nil { main.append(entry) } else { small.append(entry) }
    returning = nil
  }

  mutating func evict() -> ObjectID {
    if !isQDLP, used(main) > mainLimit { return evictMain() }
    while !small.isEmpty {
      let entering = UInt64(returning?.size ?? 0)
      if isQDLP, used(main) + entering > mainLimit, !main.isEmpty { return evictMain() }
      let oldest = small.removeFirst()
      if oldest.counter > (isQDLP ? 0 : 1) {
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
