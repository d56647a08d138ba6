import LarderEngine

/// 3L-Cache (Zhou and others, FAST 2025) with the stand-in for a library.
struct NaiveThreeLCache: NaivePolicy {
  struct Object {
    var id: ObjectID
    var last: Int
    var size: UInt32
    var requests = 1
    var intervals: [Int] = []
    var sampled = 0
    var serial = 0
  }
  struct Prediction {
    var id: ObjectID
    var value: Float
  }

  var known: [ObjectID: Object] = [:]
  // As in LRB's model; then by the last request, the oldest first.
  var residents: [ObjectID] = []
  var queue: [ObjectID] = []
  var evicted: [ObjectID] = []
  // In the order of prediction.
  var predictions: [Prediction] = []
  var arrivals: [(id: ObjectID, serial: Int)] = []
  var arrivalSize = 0
  var examples: (rows: [[Float]], labels: [Float]) = ([], [])
  var trees: [BoostedTrees.Tree]?
  var scan: NaiveScan
  var history = NaiveHistory()
  var pointer = ObjectID.none
  var now = -1
  var trainedAt = 0
  var evictionsLeft = 0
  var isSampling = false
  var serials: [ObjectID: Int] = [:]
  var random: SeededGenerator
  let seed: Int
  let batch: Int
  let weighsSize: Bool

  init(_ spec: PolicySpec, seed: UInt64) throws {
    self.seed = Int(seed & 0x7FFF_FFFF)
    random = SeededGenerator(seed: seed)
    batch = try spec.integer("batch", default: 1 << 16, in: 2...1 << 20)
    weighsSize = spec.values["objective"] == "objects"
    scan = NaiveScan(adapts: !weighsSize)
  }

  func contains(_ id: ObjectID) -> Bool { residents.contains(id) }
  func isGhost(_ id: ObjectID) -> Bool { !contains(id) && known[id] != nil }

  var used: Int { residents.reduce(0) { $0 + Int(known[$1]?.size ?? 0) } }

  mutating func hit(_ request: Request) { self.request(request.id) }

  mutating func replace(_ request: Request) {
    self.request(request.id)
    known[request.id]?.size = request.size
  }

  mutating func admit(_ request: Request) -> Bool {
    self.request(request.id)
    return true
  }

  mutating func insert(_ request: Request) {
    let id = request.id
    if let place = evicted.firstIndex(of: id) { evicted[place] = .none }
    var object = known[id] ?? Object(id: id, last: now, size: 0)
    object.size = request.size
    object.serial = serials[id, default: 0]
    known[id] = object
    if residents.isEmpty { pointer = id }
    residents.append(id)
    queue.append(id)
    if trees != nil {
      arrivals.append((id, object.serial))
      arrivalSize += Int(request.size)
    }
  }

  mutating func evict() -> ObjectID {
    let victim = trees == nil ? queue[0] : latest()
    isSampling = true
    evictionsLeft -= 1
    leave(victim)
    evicted.append(victim)
    return victim
  }

  mutating func remove(_ id: ObjectID) {
    guard known[id] != nil else { return }
    if contains(id) { leave(id) }
    if let place = evicted.firstIndex(of: id) { evicted[place] = .none }
    known[id] = nil
    serials[id, default: 0] += 1
  }

  private mutating func leave(_ id: ObjectID) {
    if pointer == id { pointer = next(id) }
    predictions.removeAll { $0.id == id }
    if let place = residents.firstIndex(of: id) {
      residents.swapAt(place, residents.count - 1)
      residents.removeLast()
    }
    queue.removeAll { $0 == id }
  }

  func next(_ id: ObjectID) -> ObjectID {
    let place = queue.firstIndex(of: id) ?? 0
    return queue[(place + 1) % queue.count]
  }

  private mutating func request(_ id: ObjectID) {
    now += 1
    history.note(isHit: contains(id), isKnown: known[id] != nil)
    if var object = known[id] {
      if isExample(object) { learn(object, now - object.sampled) }
      object.sampled = 0
      object.intervals.append(now - object.last)
      object.last = now
      object.requests = min(object.requests + 1, 65_535)
      known[id] = object
    }
    if contains(id) {
      if pointer == id { pointer = next(id) }
      predictions.removeAll { $0.id == id }
      queue.removeAll { $0 == id }
      queue.append(id)
    }
    if isSampling, residents.count + evicted.count > 0 {
      let place = Int(random.next(below: UInt64(residents.count + evicted.count)))
      let drawn = (residents + evicted)[place]
      if known[drawn]?.sampled == 0 { known[drawn]?.sampled = now }
    }
    if evicted.count >= residents.count * (history.multiple - 1) + 2 { forgetOldest() }
  }

  private mutating func forgetOldest() {
    history.isFull = true
    guard let object = known[evicted.removeFirst()] else { return }
    if isExample(object) {
      let age = now - object.last
      let label = history.ageBefore + age
      history.ageSince = max(history.ageSince, age)
      learn(object, label)
    }
    known[object.id] = nil
  }

  private mutating func isExample(_ object: Object) -> Bool {
    guard object.sampled != 0 else { return false }
    return random.next(below: 4) == 0 || trees == nil
  }

  private mutating func learn(_ object: Object, _ label: Int) {
    examples.rows.append(row(object, at: object.sampled))
    examples.labels.append(Float(DeterministicMath.log(Double(label) + 1)))
    guard examples.rows.count >= batch, evictionsLeft <= 0 else { return }
    trees = NaiveBooster.trees(examples.rows, examples.labels, seed: seed)
    examples = ([], [])
    predictions = []
    trainedAt = now
    history.adapt()
  }

  func row(_ object: Object, at time: Int) -> [Float] {
    let intervals = object.intervals.suffix(3).reversed().map { Float($0) }
    return [Float(time - object.last)] + intervals
      + [Float](repeating: 0, count: 3 - intervals.count)
      + [Float(object.size), Float(object.requests)]
  }
}
