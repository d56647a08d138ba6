import LarderEngine

extension RegisteredPolicy {
  package static let lrb = RegisteredPolicy(LRB.self)
}

/// Learning Relaxed Belady, by the authors' rules as implemented in libCacheSim: of 64 residents
/// drawn at random, the one with the latest predicted request is evicted. Each request draws an
/// object as a training example; its label is the logarithm of the time until its next request, or
/// of twice the window. LRU before the first model and for objects not requested within a window.
struct LRB: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lrb", family: .adaptive,
    summary: "Boosted trees predict the time to the next request of 64 residents drawn at random; "
      + "the latest is evicted. LRU until the first model. One training every 131,072 examples "
      + "takes about a second; 64 predictions per eviction.",
    parameters: [
      PolicyParameter(
        "window", default: "67108864", isCount: true,
        "requests after which an object is forgotten and its next request counts as beyond the "
          + "horizon, from "
          + "2 to 2^40"),
      PolicyParameter(
        "batch", default: "131072", isCount: true,
        "training examples for a model, from 2 to 2^20"),
      PolicyParameter(
        "history", default: "0", inRealCaches: "2",
        "evicted objects that are remembered, share of the most residents; 0 for all in the window"
      ),
      PolicyParameter(
        "objective", default: "bytes", searched: ["bytes", "objects"],
        "the optimised ratio: of bytes, or of objects (predictions are multiplied by the size)"),
    ],
    needs: [.size, .boosting], isRandom: true, learns: true,
    paper: "Song, Berger, Li and Lloyd, Learning relaxed Belady for content distribution network "
      + "caching, NSDI 2020")

  static var features: Int { 44 }
  private static var sizeFeature: Int { 32 }
  private static var candidates: Int { 64 }
  // Limits redrawing when few objects are resident.
  private static var drawsMax: Int { 200 }
  private static var objectsMax: Int { 100_000_000 }

  struct Known: BitwiseCopyable {
    var last: UInt64
    var size: UInt32
    var record: UInt32
    var samples: UInt32
    var drawn: UInt32
  }

  private var known: Column<Known>
  private var residents: IDBag
  private var order: LinkedLists
  private var ghosts: IDBag
  // Ghosts by their last request.
  private var expiry: IndexedHeap
  private var intervals: RequestIntervals
  private var pending: PendingSamples
  private var learner: Learner
  private var random: SeededGenerator
  private var isSampling = false
  // The number of this request; the first is 0.
  private var now: UInt64 = .max
  private var evictions: UInt32 = 0
  private var residentsMax = 0
  private let window: UInt64
  private let history: Double
  private let capacity: UInt64
  private let unit: CapacityUnit

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let window = UInt64(try spec.integer("window", default: 1 << 26, in: 2...1 << 40))
    let history = try spec.number("history", default: 0, in: 0...1000)
    learner = try Learner(
      setup, features: LRB.features, batch: 1 << 17, trees: 32, candidates: LRB.candidates,
      objectsMax: LRB.objectsMax)
    self.window = window
    self.history = history
    capacity = setup.capacity
    unit = setup.unit
    known = Column(objects: setup.objects)
    residents = IDBag(objects: setup.objects, capacity: setup.expectedResidents)
    order = LinkedLists(objects: setup.objects)
    ghosts = IDBag(objects: setup.objects, capacity: 0)
    expiry = IndexedHeap(objects: setup.objects, capacity: 16)
    intervals = RequestIntervals(window: window)
    pending = PendingSamples()
    random = SeededGenerator(seed: setup.seed)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool {
    residents.contains(id) || ghosts.contains(id)
  }

  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    order.moveToFront(request.id)
    self.request(request.id)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    hit(request, sizes)
    known[request.id].size = request.size
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    self.request(request.id)
    return true
  }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    if ghosts.contains(id) {
      ghosts.remove(id)
      expiry.remove(id)
    } else {
      known[id] = Known(last: now, size: 0, record: 0, samples: 0, drawn: 0)
    }
    known[id].size = request.size
    residents.insert(id)
    order.pushFront(id)
    residentsMax = max(residentsMax, residents.count)
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let oldest = order.back()
    let isLRU = learner.model == nil || now &- known[oldest].last >= window
    let victim = isLRU ? oldest : latest()
    isSampling = true
    let age = now &- known[victim].last
    residents.remove(victim)
    order.remove(victim)
    if age >= window {
      label(victim) { [window] _ in age &+ window }
      forget(victim)
    } else {
      ghosts.insert(victim)
      expiry.insert(victim, key: known[victim].last, order: 0)
      if history > 0 { limitGhosts() }
    }
    return victim
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if residents.contains(id) {
      residents.remove(id)
      order.remove(id)
    } else if ghosts.contains(id) {
      ghosts.remove(id)
      expiry.remove(id)
    } else {
      return
    }
    forget(id)
  }

  mutating func reserve(objects: Int) {
    precondition(objects <= LRB.objectsMax, "too many objects for lrb")
    known.reserve(objects: objects)
    residents.reserve(objects: objects)
    order.reserve(objects: objects)
    ghosts.reserve(objects: objects)
    expiry.reserve(objects: objects)
  }

  func prefetch(_ id: ObjectID) {
    known.prefetch(id)
    residents.prefetch(id)
    order.prefetch(id)
  }

  var candidate: ObjectID { order.back() }

  var ghostsMax: Int {
    history == 0 || unit == .bytes ? .max : Int(min(Double(capacity) * history, 0x1p40))
  }

  var stateBytes: Int {
    known.bytes + residents.bytes + order.bytes + ghosts.bytes + expiry.bytes + intervals.bytes
      + pending.bytes + learner.bytes
  }
}

/// Requests and examples.
extension LRB {
  private mutating func request(_ id: ObjectID) {
    now &+= 1
    forgetExpired()
    let isGhost = ghosts.contains(id)
    if isGhost || residents.contains(id) {
      label(id) { [now] in now &- $0 }
      note(id)
      if isGhost { expiry.update(id, key: now, order: 0) }
    }
    if isSampling { sample() }
  }

  private mutating func note(_ id: ObjectID) {
    let interval = UInt32(clamping: now &- known[id].last)
    known[id].last = now
    if known[id].record == 0 {
      known[id].record = intervals.make(interval)
    } else {
      intervals.append(interval, to: known[id].record)
    }
  }

  private mutating func forgetExpired() {
    while expiry.count > 0 {
      let oldest = expiry.minimum()
      guard now &- known[oldest].last >= window else { return }
      forgetGhost(oldest)
    }
  }

  private mutating func limitGhosts() {
    while Double(ghosts.count) > Double(residentsMax) * history {
      forgetGhost(expiry.minimum())
    }
  }

  private mutating func forgetGhost(_ id: ObjectID) {
    ghosts.remove(id)
    expiry.remove(id)
    label(id) { [window] _ in 2 &* window }
    forget(id)
  }

  private mutating func label(_ id: ObjectID, _ distance: (_ sampled: UInt64) -> UInt64) {
    guard known[id].samples != 0 else { return }
    while known[id].samples != 0 {
      let time = pending.removeFirst(from: &known[id].samples)
      write(id, at: time, to: learner.exampleRow())
      learner.addExample(distance: distance(time))
    }
    if learner.isBatchComplete { learner.train() }
  }

  private mutating func forget(_ id: ObjectID) {
    pending.removeAll(from: &known[id].samples)
    if known[id].record != 0 { intervals.remove(known[id].record) }
    known[id] = Known(last: 0, size: 0, record: 0, samples: 0, drawn: 0)
  }

  private mutating func sample() {
    let count = residents.count + ghosts.count
    guard count > 0 else { return }
    let place = Int(random.next(below: UInt64(count)))
    let id = place < residents.count ? residents[place] : ghosts[place - residents.count]
    pending.append(now, to: &known[id].samples)
  }

  private mutating func latest() -> ObjectID {
    evictions &+= 1
    var draws = 0
    learner.removeCandidates()
    while learner.candidates < LRB.candidates {
      draws += 1
      let id = residents[Int(random.next(below: UInt64(residents.count)))]
      if known[id].drawn == evictions, draws < LRB.drawsMax { continue }
      known[id].drawn = evictions
      write(id, at: now, to: learner.addCandidate(id))
    }
    learner.predict()
    var best = 0
    var bestScore = score(0)
    for place in 1..<learner.candidates {
      let score = score(place)
      if score > bestScore { (best, bestScore) = (place, score) }
    }
    return learner.id(best)
  }

  private func score(_ place: Int) -> Double {
    let score = learner.score(place)
    return learner.weighsSize ? score * Double(known[learner.id(place)].size) : score
  }

  private func write(_ id: ObjectID, at time: UInt64, to row: UnsafeMutablePointer<Float>) {
    let object = known[id]
    let age = time &- object.last
    row[0] = Float(age)
    var within = 0
    if object.record != 0 {
      within = intervals.writeIntervals(of: object.record, within: window, to: row + 1)
    }
    row[LRB.sizeFeature] = Float(object.size)
    row[LRB.sizeFeature + 1] = Float(within)
    intervals.writeCounts(of: object.record, age: age, to: row + LRB.sizeFeature + 2)
  }
}

/// Sample times of objects that wait for a label: a circular list for each object, oldest first,
/// whose owner keeps the index of its last element, 0 for none. O(1).
struct PendingSamples: ~Copyable {
  struct Sample: BitwiseCopyable {
    var time: UInt64
    var next: UInt32
  }

  private var samples = Column<Sample>(objects: 15)
  private var free: UInt32 = 0
  private var used: UInt32 = 0

  mutating func append(_ time: UInt64, to last: inout UInt32) {
    let place = take()
    samples[place] = Sample(time: time, next: last == 0 ? place : samples[last].next)
    if last != 0 { samples[last].next = place }
    last = place
  }

  mutating func removeFirst(from last: inout UInt32) -> UInt64 {
    let first = samples[last].next
    let sample = samples[first]
    if first == last { last = 0 } else { samples[last].next = sample.next }
    samples[first].next = free
    free = first
    return sample.time
  }

  mutating func removeAll(from last: inout UInt32) {
    guard last != 0 else { return }
    let first = samples[last].next
    samples[last].next = free
    free = first
    last = 0
  }

  private mutating func take() -> UInt32 {
    if free != 0 {
      let place = free
      free = samples[place].next
      return place
    }
    used += 1
    if Int(used) > samples.objects { samples.reserve(objects: Int(used)) }
    return used
  }

  var bytes: Int { samples.bytes }
}

/// The last intervals between an object's requests, and LRB's exponentially decayed counts of its
/// requests: one record, found by number, for each object with two or more requests. Memory: 168
/// bytes a record. All operations are O(1) in the number of records.
struct RequestIntervals: ~Copyable {
  static var kept: Int { 31 }
  static var decays: Int { 10 }
  private static var stride: Int { 32 }

  // 31 intervals as a ring, and the number of intervals so far.
  private var intervals = Column<UInt32>(objects: 8 * RequestIntervals.stride)
  private var counts = Column<Float>(objects: 8 * RequestIntervals.decays)
  private var free: [UInt32] = []
  private var used: UInt32 = 0
  private let halvingsMax: UInt64

  /// Creates an empty table. Counts are halved `window` / 1024 - 1 times at most, as in the
  /// authors' program.
  init(window: UInt64) { halvingsMax = max(window >> 10, 1) - 1 }

  mutating func make(_ interval: UInt32) -> UInt32 {
    let record: UInt32
    if let last = free.popLast() {
      record = last
    } else {
      used += 1
      record = used
      intervals.reserve(objects: (Int(record) + 1) * RequestIntervals.stride)
      counts.reserve(objects: (Int(record) + 1) * RequestIntervals.decays)
    }
    let row = intervalRow(record)
    row[0] = interval
    row[RequestIntervals.kept] = 1
    let decayed = countRow(record)
    for k in 0..<RequestIntervals.decays {
      decayed[k] = Float(decay(UInt64(interval), k)) + 1
    }
    return record
  }

  mutating func append(_ interval: UInt32, to record: UInt32) {
    let row = intervalRow(record)
    let count = row[RequestIntervals.kept]
    row[Int(count) % RequestIntervals.kept] = interval
    // Only the position in the ring matters, and if the ring is full.
    let next = count + 1
    let isWrapped = next >= UInt32(2 * RequestIntervals.kept)
    row[RequestIntervals.kept] = isWrapped ? next - UInt32(RequestIntervals.kept) : next
    let decayed = countRow(record)
    for k in 0..<RequestIntervals.decays {
      decayed[k] = Float(Double(decayed[k]) * decay(UInt64(interval), k) + 1)
    }
  }

  mutating func remove(_ record: UInt32) { free.append(record) }

  func writeIntervals(
    of record: UInt32, within window: UInt64, to row: UnsafeMutablePointer<Float>
  ) -> Int {
    let ring = intervalRow(record)
    let count = Int(ring[RequestIntervals.kept])
    var sum: UInt64 = 0
    var within = 0
    for back in 0..<min(count, RequestIntervals.kept) {
      let interval = ring[(count - 1 - back) % RequestIntervals.kept]
      row[back] = Float(interval)
      sum += UInt64(interval)
      if sum < window { within += 1 }
    }
    return within
  }

  func writeCounts(of record: UInt32, age: UInt64, to row: UnsafeMutablePointer<Float>) {
    let decayed = countRow(record)
    for k in 0..<RequestIntervals.decays {
      let count = record == 0 ? 1 : Double(decayed[k])
      row[k] = Float(count * decay(age, k))
    }
  }

  private func decay(_ requests: UInt64, _ k: Int) -> Double {
    let halvings = min(requests >> UInt64(10 + k), halvingsMax)
    return halvings > 1022 ? 0 : Double(bitPattern: (1023 - halvings) << 52)
  }

  private func intervalRow(_ record: UInt32) -> UnsafeMutablePointer<UInt32> {
    intervals.row(
      from: record * UInt32(RequestIntervals.stride), count: RequestIntervals.stride)
  }

  private func countRow(_ record: UInt32) -> UnsafeMutablePointer<Float> {
    counts.row(from: record * UInt32(RequestIntervals.decays), count: RequestIntervals.decays)
  }

  var bytes: Int { intervals.bytes + counts.bytes + free.capacity * MemoryLayout<UInt32>.stride }
}
