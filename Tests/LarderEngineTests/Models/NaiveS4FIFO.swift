import LarderEngine

/// S4-FIFO (OSDI 2026) without its model, and Clock2Q+ (arXiv 2511.21958), step by step.
struct NaiveS4FIFO: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var size: Int
    var counter = 0
  }

  /// Rules for the hits in the small queue that count.
  enum Age {
    /// S4-FIFO: a share of the objects in the small queue.
    case skip(NaiveShare)
    /// Clock2Q+: a share of the small queue's capacity.
    case window(NaiveShare)
  }

  var small: [Entry] = []
  var main: [Entry] = []
  var ghost: [Entry] = []
  var admitted: [Entry] = []
  var newest: ObjectID = .none
  var promoted: ObjectID = .none
  var owed = 0
  var hasEvicted = false

  let capacity: Int
  let smallLimit: Int
  let ghostLimit: Int
  let threshold: Int
  let ghostsPromote: Bool
  let age: Age
  let refusesLarge: Bool

  init(_ spec: PolicySpec, capacity: UInt64) {
    func text(_ name: String, _ fallback: String) -> String { spec.values[name] ?? fallback }
    let isClock = spec.name == "clock2q-plus"
    self.capacity = Int(capacity)
    smallLimit = NaiveShare(text("small", "0.1")).of(self.capacity)
    ghostLimit = NaiveShare(text("ghost", "0.9")).of(self.capacity)
    threshold = Int(text("threshold", isClock ? "1" : "2")) ?? 0
    ghostsPromote = text("ghost-to-main", "0") == "0"
    age =
      isClock
      ? .window(NaiveShare(text("window", "0.5"))) : .skip(NaiveShare(text("skip", "0")))
    refusesLarge = text("refuse-large", "true") == "true"
  }

  func contains(_ id: ObjectID) -> Bool { (small + main).contains { $0.id == id } }
  func isGhost(_ id: ObjectID) -> Bool {
    ghostsPromote && !contains(id) && ghost.contains { $0.id == id }
  }
  func used(_ queue: [Entry]) -> Int { queue.reduce(0) { $0 + $1.size } }

  mutating func hit(_ request: Request) {
    if let place = small.firstIndex(where: { $0.id == request.id }) {
      if counts(request.id) { small[place].counter += 1 }
      small[place].size = Int(request.size)
    }
    if let place = main.firstIndex(where: { $0.id == request.id }) {
      main[place].counter += 1
      main[place].size = Int(request.size)
    }
  }

  mutating func replace(_ request: Request) {
    owed = 0
    hit(request)
  }

  private func counts(_ id: ObjectID) -> Bool {
    let place = admitted.lastIndex { $0.id == id } ?? 0
    let later = admitted[(place + 1)...]
    switch age {
    case .skip(let share): return 1 + later.count >= share.of(small.count)
    case .window(let share): return share.isReached(by: used(Array(later)), of: smallLimit)
    }
  }

  mutating func admit(_ request: Request) -> Bool {
    promoted = ghostsPromote ? ghost.take { $0.id == request.id }?.id ?? .none : .none
    owed = 0
    guard refusesLarge else { return true }
    if request.size > smallLimit { return false }
    if request.size == smallLimit, promoted == .none {
      owed = Int(request.size)
      return false
    }
    return true
  }

  var overflows: Bool { owed > 0 && used(small) + used(main) + owed > capacity }

  mutating func insert(_ request: Request) {
    let entry = Entry(id: request.id, size: Int(request.size))
    if promoted == request.id {
      main.append(entry)
    } else if !hasEvicted, used(small) >= smallLimit {
      main.append(entry)
    } else {
      small.append(entry)
      admitted.append(entry)
      newest = request.id
    }
    promoted = .none
  }

  mutating func evict() -> ObjectID {
    hasEvicted = true
    while true {
      if used(main) > capacity - smallLimit || small.isEmpty { return evictMain() }
      while !small.isEmpty {
        let oldest = small.removeFirst()
        if oldest.counter >= threshold {
          main.append(Entry(id: oldest.id, size: oldest.size))
        } else {
          remember(oldest)
          return oldest.id
        }
      }
    }
  }

  private mutating func evictMain() -> ObjectID {
    while main[0].counter > 0 {
      var spared = main.removeFirst()
      let isOneBit = if case .window = age { true } else { false }
      spared.counter = isOneBit ? 0 : min(spared.counter, 3) - 1
      main.append(spared)
    }
    return main.removeFirst().id
  }

  private mutating func remember(_ entry: Entry) {
    guard entry.size <= ghostLimit, !ghost.contains(where: { $0.id == entry.id }) else { return }
    ghost.append(entry)
    while used(ghost) > ghostLimit { ghost.removeFirst() }
  }

  mutating func remove(_ id: ObjectID) {
    small.removeAll { $0.id == id }
    main.removeAll { $0.id == id }
    ghost.removeAll { $0.id == id }
    // An object that is added and removed at once leaves no trace.
    if newest == id, id != .none {
      admitted.removeLast()
      newest = .none
    }
  }
}
