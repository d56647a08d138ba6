import LarderEngine

extension RegisteredPolicy {
  package static let threeLCache = RegisteredPolicy(ThreeLCache.self)
}

/// 3L-Cache, by the authors' rules: a model predicts the next requests of a batch of objects from
/// both ends of an LRU queue; half of a batch is evicted before the next is predicted. Candidates
/// are new objects, once more than a share of the size is new, and old ones behind a scan pointer.
/// The least recent object is evicted if the authors' program would evict nothing; percentages stop
/// at 255.
struct ThreeLCache: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "3l-cache", family: .adaptive,
    summary: "Boosted trees predict the next request of up to 1,024 old and 1,536 new objects "
      + "together; half of them, the latest, are evicted before the next batch. LRU until the "
      + "first model. O(log n) and two predictions per eviction.",
    parameters: [
      PolicyParameter(
        "batch", default: "65536", isCount: true,
        "training examples for a model, from 2 to 2^20"),
      PolicyParameter(
        "objective", default: "bytes", searched: ["bytes", "objects"],
        "the optimised ratio: of bytes, or of objects (predictions are multiplied by the size, "
          + "and all old objects are candidates)"),
    ],
    needs: [.size, .boosting], isRandom: true, learns: true,
    paper: "Zhou, Niu, Xiong, Fang and Wang, 3L-Cache: low overhead and precise learning-based "
      + "eviction policy for caches, FAST 2025")

  static var features: Int { 6 }
  private static var objectsMax: Int { 1 << 30 }

  struct Known: BitwiseCopyable {
    var last: UInt64
    var sampled: UInt64
    var intervals: (UInt32, UInt32, UInt32)
    var size: UInt32
    var place: UInt32
    var epoch: UInt32
    var requests: UInt16
    var intervalCount: UInt8
    var isGhost: Bool
  }

  /// An object that was stored. Its `epoch` distinguishes it from a later object with the same id.
  struct Arrival: BitwiseCopyable {
    var id: ObjectID
    var epoch: UInt32
  }

  var known: Column<Known>
  var residents: IDBag
  // The most recent object at the front.
  var order: LinkedLists
  // Evicted objects, oldest first; one that returns leaves `.none`.
  var evicted = NumberedQueue<ObjectID>()
  // Predicted residents, the latest first.
  var predicted: IndexedHeap
  // Objects stored since the last training, oldest first; they are considered before old objects.
  var arrivals = NumberedQueue<Arrival>()
  // Their total size, without that of objects taken.
  var arrivalsSize: UInt64 = 0
  var learner: Learner
  var random: SeededGenerator
  var scan: ScanState
  var history = HistoryLength()
  var predictions = OrderCounter()
  var pointer = ObjectID.none
  var now: UInt64 = .max
  var trainedAt: UInt64 = 0
  var used: UInt64 = 0
  var evictionsLeft = 0
  let ghostsMax: Int
  private var isSampling = false

  init(_ setup: PolicySetup) throws(PolicyError) {
    learner = try Learner(
      setup, features: ThreeLCache.features, batch: 1 << 16, trees: 16, candidates: 16,
      objectsMax: ThreeLCache.objectsMax)
    known = Column(objects: setup.objects)
    residents = IDBag(objects: setup.objects, capacity: setup.expectedResidents)
    order = LinkedLists(objects: setup.objects)
    predicted = IndexedHeap(objects: setup.objects, capacity: 16)
    random = SeededGenerator(seed: setup.seed)
    scan = ScanState(adapts: !learner.weighsSize)
    ghostsMax = setup.ghostsMax(share: Double(HistoryLength.most - 1))
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool {
    residents.contains(id) || known[id].isGhost
  }

  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) { self.request(request.id) }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    self.request(request.id)
    used = used - UInt64(known[request.id].size) + UInt64(request.size)
    known[request.id].size = request.size
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    self.request(request.id)
    return true
  }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    if known[id].isGhost {
      evicted.replace(known[id].place, by: .none)
      known[id].isGhost = false
    } else {
      clear(id)
      known[id].last = now
      known[id].requests = 1
    }
    known[id].size = request.size
    if residents.count == 0 { pointer = id }
    residents.insert(id)
    order.pushFront(id)
    used += UInt64(request.size)
    guard learner.model != nil else { return }
    arrivals.append(Arrival(id: id, epoch: known[id].epoch))
    arrivalsSize += UInt64(request.size)
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let victim = learner.model == nil ? order.back() : latest()
    isSampling = true
    evictionsLeft -= 1
    leave(victim)
    known[victim].isGhost = true
    known[victim].place = evicted.append(victim)
    return victim
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if residents.contains(id) {
      leave(id)
    } else if known[id].isGhost {
      evicted.replace(known[id].place, by: .none)
    } else {
      return
    }
    clear(id)
    known[id].epoch &+= 1
  }

  mutating func reserve(objects: Int) {
    precondition(objects <= ThreeLCache.objectsMax, "too many objects for 3l-cache")
    known.reserve(objects: objects)
    residents.reserve(objects: objects)
    order.reserve(objects: objects)
    predicted.reserve(objects: objects)
  }

  func prefetch(_ id: ObjectID) {
    known.prefetch(id)
    residents.prefetch(id)
    order.prefetch(id)
    predicted.prefetch(id)
  }

  var candidate: ObjectID { predicted.count > 0 ? predicted.minimum() : order.back() }

  var stateBytes: Int {
    known.bytes + residents.bytes + order.bytes + evicted.bytes + predicted.bytes + arrivals.bytes
      + learner.bytes
  }

  private mutating func leave(_ id: ObjectID) {
    if pointer == id { pointer = next(after: id) }
    if predicted.contains(id) { predicted.remove(id) }
    residents.remove(id)
    order.remove(id)
    used -= UInt64(known[id].size)
  }

  func next(after id: ObjectID) -> ObjectID {
    let ahead = order.ahead(of: id)
    return ahead == .none ? order.back() : ahead
  }
}

/// Requests and examples.
extension ThreeLCache {
  private mutating func request(_ id: ObjectID) {
    now &+= 1
    let isResident = residents.contains(id)
    let isGhost = known[id].isGhost
    history.note(isHit: isResident, isKnown: isResident || isGhost)
    if isResident || isGhost {
      if becomesExample(id) { addExample(id, label: now &- known[id].sampled) }
      known[id].sampled = 0
      note(id)
    }
    if isResident {
      if pointer == id { pointer = next(after: id) }
      if predicted.contains(id) { predicted.remove(id) }
      order.moveToFront(id)
    }
    if isSampling { sample() }
    forgetOldest()
  }

  private mutating func note(_ id: ObjectID) {
    let interval = UInt32(clamping: now &- known[id].last)
    known[id].last = now
    let count = known[id].intervalCount
    switch count % 3 {
    case 0: known[id].intervals.0 = interval
    case 1: known[id].intervals.1 = interval
    default: known[id].intervals.2 = interval
    }
    known[id].intervalCount = count == 5 ? 3 : count + 1
    if known[id].requests < .max { known[id].requests += 1 }
  }

  private mutating func becomesExample(_ id: ObjectID) -> Bool {
    guard known[id].sampled != 0 else { return false }
    return random.next(below: 4) == 0 || learner.model == nil
  }

  private mutating func addExample(_ id: ObjectID, label: UInt64) {
    write(id, at: known[id].sampled, to: learner.exampleRow())
    learner.addExample(distance: label)
    guard learner.isBatchComplete, evictionsLeft <= 0 else { return }
    learner.train()
    forgetPredictions()
    trainedAt = now
    history.adapt()
  }

  private mutating func sample() {
    let count = residents.count + evicted.count
    guard count > 0 else { return }
    let place = Int(random.next(below: UInt64(count)))
    let id = place < residents.count ? residents[place] : evicted[place - residents.count]
    if id != .none, known[id].sampled == 0 { known[id].sampled = now }
  }

  private mutating func forgetOldest() {
    guard evicted.count >= history.evictedMax(residents: residents.count) else { return }
    history.isFull = true
    let oldest = evicted.popOldest()
    guard oldest != .none else { return }
    if becomesExample(oldest) {
      let age = now &- known[oldest].last
      addExample(oldest, label: history.label(afterForgetting: age))
    }
    clear(oldest)
  }

  func write(_ id: ObjectID, at time: UInt64, to row: UnsafeMutablePointer<Float>) {
    let object = known[id]
    row[0] = Float(time &- object.last)
    let intervals = [object.intervals.0, object.intervals.1, object.intervals.2]
    let count = Int(object.intervalCount)
    for back in 0..<min(count, 3) { row[1 + back] = Float(intervals[(count - 1 - back) % 3]) }
    row[4] = Float(object.size)
    row[5] = Float(object.requests)
  }

  private func clear(_ id: ObjectID) {
    known[id] = Known(
      last: 0, sampled: 0, intervals: (0, 0, 0), size: 0, place: 0, epoch: known[id].epoch,
      requests: 0, intervalCount: 0, isGhost: false)
  }
}

/// Candidates and predictions.
extension ThreeLCache {
  mutating func latest() -> ObjectID {
    if evictionsLeft <= 0 || predicted.count == 0 {
      evictionsLeft = predictBatch() / ScanState.evictionRate
    }
    guard predicted.count > 0 else { return order.back() }
    let victim = predicted.popMinimum().id
    scan.note(
      victimWith: known[victim].requests, isOld: known[victim].last <= scan.lastCandidate)
    return victim
  }

  mutating func forgetPredictions() {
    while predicted.count > 0 { _ = predicted.popMinimum() }
  }

  private mutating func predictBatch() -> Int {
    learner.removeCandidates()
    if scan.length == 0 { scan.length = residents.count }
    var sampleSize = scan.sampleSize
    takeNew(atMost: Double(sampleSize) * 1.5)
    if arrivalsSize < used * UInt64(scan.reserved) / 10 || learner.candidates == 0 {
      takeOld(&sampleSize)
    }
    predictCandidates()
    return learner.candidates
  }

  private mutating func takeNew(atMost most: Double) {
    var taken = 0
    while arrivalsSize > used * UInt64(scan.reserved) / 100, Double(taken) < most,
      arrivals.count > 0
    {
      let arrival = arrivals.popOldest()
      let id = arrival.id
      guard known[id].epoch == arrival.epoch, remembers(id) else { continue }
      arrivalsSize -= min(arrivalsSize, UInt64(known[id].size))
      if residents.contains(id) {
        take(id)
        taken += 1
      }
    }
    if arrivals.count == 0 { arrivalsSize = 0 }
  }

  private mutating func takeOld(_ sampleSize: inout Int) {
    var taken = 0
    while taken < sampleSize, learner.candidates < scan.length {
      if scan.isCandidate(requests: known[pointer].requests) {
        take(pointer)
        taken += 1
      }
      scan.looked += 1
      if scan.looked >= scan.length {
        scan.restart(length: residents.count, arrivals: arrivals.count)
        sampleSize = scan.sampleSize
        taken = 0
        pointer = order.back()
        forgetPredictions()
      } else {
        pointer = next(after: pointer)
      }
    }
    guard learner.candidates > 0 else { return }
    scan.lastCandidate = known[learner.id(learner.candidates - 1)].last
    scan.note(candidates: sampleSize)
  }

  private mutating func take(_ id: ObjectID) { write(id, at: now, to: learner.addCandidate(id)) }

  private mutating func predictCandidates() {
    learner.predict()
    for place in 0..<learner.candidates {
      let id = learner.id(place)
      let distance = DeterministicMath.exp(learner.score(place))
      let value =
        learner.weighsSize
        ? Float(Double(known[id].size) * distance) : Float(distance + Double(now &- trainedAt))
      // The heap has the smallest key on top; distances are not negative.
      let key = UInt64(UInt32.max - max(value, 0).bitPattern)
      if predicted.contains(id) {
        predicted.update(id, key: key, order: predictions.next())
      } else {
        predicted.insert(id, key: key, order: predictions.next())
      }
    }
  }
}

/// The range and kind of candidates, which 3L-Cache adapts after each scan of the queue.
struct ScanState {
  static var evictionRate: Int { 2 }
  private static var most: Int { 255 }

  /// Objects in the queue when the scan began; 0 before the first.
  var length = 0
  var looked = 0
  var boundary: Int
  private(set) var beginning = 1
  private(set) var reserved = 2
  var lastCandidate: UInt64 = 0

  // Victims by the logarithm of their requests.
  private var victims: [UInt64] = Array(repeating: 0, count: 16)
  // Victims and candidates, for the beginning of the queue and for the rest.
  private var old = (victims: UInt64(0), candidates: UInt64(0))
  private var oldBefore = (victims: UInt64(0), candidates: UInt64(0))
  private let adapts: Bool

  init(adapts: Bool) {
    self.adapts = adapts
    boundary = adapts ? 1 : 65_535
  }

  var sampleSize: Int {
    let share = Double(length) * 0.01 + Double(ScanState.evictionRate)
    return 1024 >= share ? (length > 2 ? Int(share) : 2) : 1024
  }

  private var beginningLength: Int { length * beginning / 100 }

  mutating func isCandidate(requests: UInt16) -> Bool {
    if oldBefore.candidates == 0, looked > beginningLength {
      oldBefore = old
      old = (0, 0)
    }
    return Int(requests) - 1 < boundary || looked <= beginningLength + ScanState.evictionRate
  }

  mutating func note(candidates: Int) { old.candidates += UInt64(candidates) }

  mutating func note(victimWith requests: UInt16, isOld: Bool) {
    victims[15 - requests.leadingZeroBitCount] += 1
    if isOld { old.victims += 1 }
  }

  mutating func restart(length: Int, arrivals: Int) {
    self.length = length
    looked = 0
    guard adapts else { return }
    adaptBoundary()
    if oldBefore.victims * old.candidates > old.victims * oldBefore.candidates {
      beginning = min(beginning + 1, ScanState.most)
    } else if beginning > 1 {
      beginning -= 1
    }
    if old.victims + oldBefore.victims > UInt64(arrivals) {
      reserved = min(reserved + 1, ScanState.most)
    } else if reserved > 1 {
      reserved /= 2
    }
    old = (0, 0)
    oldBefore = (0, 0)
    for place in victims.indices { victims[place] = 0 }
  }

  private mutating func adaptBoundary() {
    let most = 0.99 * Double(victims.reduce(0, +))
    var sum: UInt64 = 0
    for (power, count) in victims.enumerated() {
      sum += count
      guard Double(sum) >= most else { continue }
      let half = power == 0 ? 0 : Double(1 << (power - 1))
      let share = (most + Double(count) - Double(sum)) / Double(count)
      boundary = power == 0 ? 1 : Int(half + (half * share).rounded(.up))
      return
    }
  }
}

/// The number of evicted objects that 3L-Cache remembers, a multiple of the residents.
package struct HistoryLength {
  package static var most: Int { 6 }

  private var multiple = 2
  private var requests: UInt64 = 0
  private var hits: UInt64 = 0
  private var found: UInt64 = 0
  // The largest age of a forgotten object: before the last training, and since.
  private var forgottenAge = (before: UInt64(0), since: UInt64(0))
  package var isFull = false

  package init() {}

  package func evictedMax(residents: Int) -> Int { residents * (multiple - 1) + 2 }

  package mutating func note(isHit: Bool, isKnown: Bool) {
    guard isFull else { return }
    requests += 1
    if isHit { hits += 1 }
    if isKnown { found += 1 }
  }

  package mutating func label(afterForgetting age: UInt64) -> UInt64 {
    let label = forgottenAge.before + age
    forgottenAge.since = max(forgottenAge.since, age)
    return label
  }

  package mutating func adapt() {
    forgottenAge.before = forgottenAge.since
    guard requests > 1_000_000, isFull else { return }
    let ghosts = found - hits
    // Without hits, a single ghost that was found justifies the memory.
    if Double(ghosts) > 0.01 * Double(hits) * Double(multiple - 1) {
      if UInt64(multiple - 1) < (requests - hits) / ghosts {
        multiple += 1
        isFull = false
      }
      multiple = min(multiple, HistoryLength.most)
    }
    (requests, hits, found) = (0, 0, 0)
  }
}

/// A first-in, first-out queue whose elements have numbers, by which they can be replaced.
struct NumberedQueue<Element: BitwiseCopyable> {
  private var elements: [Element] = []
  private var head = 0
  // The number of the oldest element; numbers wrap around.
  private var first: UInt32 = 0

  var count: Int { elements.count - head }

  subscript(place: Int) -> Element { elements[head + place] }

  @discardableResult mutating func append(_ element: Element) -> UInt32 {
    elements.append(element)
    return first &+ UInt32(truncatingIfNeeded: count - 1)
  }

  mutating func replace(_ number: UInt32, by element: Element) {
    elements[head + Int(number &- first)] = element
  }

  mutating func popOldest() -> Element {
    let element = elements[head]
    head += 1
    first &+= 1
    if head >= 1024, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  var bytes: Int { elements.capacity * MemoryLayout<Element>.stride }
}
