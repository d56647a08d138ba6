import LarderEngine

/// LRB (Song, Berger, Li and Lloyd, NSDI 2020) with the stand-in for a library.
struct NaiveLRB: NaivePolicy {
  struct Object {
    var id: ObjectID
    var last: Int
    var size: UInt32
    var intervals: [Int] = []
    var counts: [Float] = []
    var samples: [Int] = []
  }

  // In the order of insertion, except that the last moves to the index of a removed one.
  var residents: [Object] = []
  var ghosts: [Object] = []
  var examples: (rows: [[Float]], labels: [Float]) = ([], [])
  var trees: [BoostedTrees.Tree]?
  var now = -1
  var isSampling = false
  var residentsMax = 0
  var random: SeededGenerator
  let seed: Int
  let window: Int
  let batch: Int
  let history: Double
  let weighsSize: Bool

  init(_ spec: PolicySpec, seed: UInt64) throws {
    self.seed = Int(seed & 0x7FFF_FFFF)
    random = SeededGenerator(seed: seed)
    window = try spec.integer("window", default: 1 << 26, in: 2...1 << 40)
    batch = try spec.integer("batch", default: 1 << 17, in: 2...1 << 20)
    history = try spec.number("history", default: 0, in: 0...1000)
    weighsSize = spec.values["objective"] == "objects"
  }

  func contains(_ id: ObjectID) -> Bool { residents.contains { $0.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { ghosts.contains { $0.id == id } }

  mutating func hit(_ request: Request) { self.request(request.id) }

  mutating func replace(_ request: Request) {
    self.request(request.id)
    if let place = residents.firstIndex(where: { $0.id == request.id }) {
      residents[place].size = request.size
    }
  }

  mutating func admit(_ request: Request) -> Bool {
    self.request(request.id)
    return true
  }

  mutating func insert(_ request: Request) {
    var object =
      Self.takeSwapping(&ghosts, request.id) ?? Object(id: request.id, last: now, size: 0)
    object.size = request.size
    residents.append(object)
    residentsMax = max(residentsMax, residents.count)
  }

  mutating func evict() -> ObjectID {
    // No two objects have the same last request.
    let oldest = residents.min { $0.last < $1.last }?.id ?? .none
    let isLRU = trees == nil || now - last(oldest) >= window
    let id = isLRU ? oldest : latest()
    isSampling = true
    guard let victim = Self.takeSwapping(&residents, id) else { return .none }
    if now - victim.last >= window {
      label(victim, now - victim.last + window)
    } else {
      ghosts.append(victim)
      while history > 0, Double(ghosts.count) > Double(residentsMax) * history { forgetOldest() }
    }
    return id
  }

  mutating func remove(_ id: ObjectID) {
    if Self.takeSwapping(&residents, id) == nil { _ = Self.takeSwapping(&ghosts, id) }
  }

  private func last(_ id: ObjectID) -> Int { residents.first { $0.id == id }?.last ?? 0 }

  private static func takeSwapping(_ objects: inout [Object], _ id: ObjectID) -> Object? {
    guard let place = objects.firstIndex(where: { $0.id == id }) else { return nil }
    objects.swapAt(place, objects.count - 1)
    return objects.removeLast()
  }

  private mutating func forgetOldest() {
    guard let oldest = ghosts.min(by: { $0.last < $1.last }) else { return }
    _ = Self.takeSwapping(&ghosts, oldest.id)
    label(oldest, 2 * window)
  }

  private mutating func request(_ id: ObjectID) {
    now += 1
    while ghosts.contains(where: { now - $0.last >= window }) { forgetOldest() }
    if let place = residents.firstIndex(where: { $0.id == id }) {
      let object = residents[place]
      learn(object, object.samples.map { now - $0 })
      note(&residents[place])
    } else if let place = ghosts.firstIndex(where: { $0.id == id }) {
      let object = ghosts[place]
      learn(object, object.samples.map { now - $0 })
      note(&ghosts[place])
    }
    guard isSampling, residents.count + ghosts.count > 0 else { return }
    let place = Int(random.next(below: UInt64(residents.count + ghosts.count)))
    if place < residents.count {
      residents[place].samples.append(now)
    } else {
      ghosts[place - residents.count].samples.append(now)
    }
  }

  private func note(_ object: inout Object) {
    let interval = now - object.last
    object.counts = (0..<10).map { k in
      let before = object.counts.isEmpty ? 1 : Double(object.counts[k])
      return Float(before * halved(interval, k) + 1)
    }
    object.intervals.append(interval)
    object.last = now
    object.samples = []
  }

  private func halved(_ requests: Int, _ k: Int) -> Double {
    let times = min(requests / (1024 << k), max(window / 1024, 1) - 1)
    return (0..<times).reduce(1.0) { value, _ in value / 2 }
  }

  private func row(_ object: Object, at time: Int) -> [Float] {
    let age = time - object.last
    let intervals = Array(object.intervals.suffix(31).reversed())
    var sum = 0
    var within = 0
    for interval in intervals {
      sum += interval
      if sum < window { within += 1 }
    }
    var row = [Float(age)] + intervals.map { Float($0) }
    row += [Float](repeating: 0, count: 32 - row.count)
    row += [Float(object.size), Float(within)]
    for k in 0..<10 {
      let count = object.counts.isEmpty ? 1 : Double(object.counts[k])
      row.append(Float(count * halved(age, k)))
    }
    return row
  }

  private mutating func label(_ object: Object, _ distance: Int) {
    learn(object, object.samples.map { _ in distance })
  }

  private mutating func learn(_ object: Object, _ distances: [Int]) {
    for (time, distance) in zip(object.samples, distances) {
      examples.rows.append(row(object, at: time))
      examples.labels.append(Float(DeterministicMath.log(Double(distance) + 1)))
    }
    if examples.rows.count >= batch {
      trees = NaiveBooster.trees(examples.rows, examples.labels, seed: seed)
      examples = ([], [])
    }
  }

  private mutating func latest() -> ObjectID {
    var drawn: [Object] = []
    var draws = 0
    while drawn.count < 64 {
      draws += 1
      let object = residents[Int(random.next(below: UInt64(residents.count)))]
      if draws < 200, drawn.contains(where: { $0.id == object.id }) { continue }
      drawn.append(object)
    }
    let scores = drawn.map { object in
      NaiveBooster.predict(trees ?? [], row(object, at: now))
        * (weighsSize ? Double(object.size) : 1)
    }
    let best = scores.max() ?? 0
    return drawn[scores.firstIndex(of: best) ?? 0].id
  }
}
