/// 3L-Cache: a model predicts when objects are requested next, asked in batches about objects from
/// both ends of an LRU queue; half of a batch is evicted before the next is predicted.
///
/// The authors' rules. Candidates are new objects, once more than a share of the size is new, and
/// old ones, of which a pointer that moves through the queue passes over those requested often. Of
/// equal predictions the first wins. Where the authors' program would evict nothing, as in caches
/// of a few objects, the least recent object is evicted, and shares are percentages up to 255
/// instead of numbers that wrap around.
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
        "the ratio that is optimised: of bytes, or of objects, where predictions are multiplied by "
          + "the size and all old objects are candidates"),
    ],
    needs: [.size, .boosting], isRandom: true, learns: true,
    paper: "Zhou, Niu, Xiong, Fang and Wang, 3L-Cache: low overhead and precise learning-based "
      + "eviction policy for caches, FAST 2025")

  /// Features in a row: the age, 3 intervals, the size and the number of requests.
  static var features: Int { 6 }
  private static var objectsMax: Int { 1 << 30 }

  /// What is known of an object, resident or not.
  struct Known: BitwiseCopyable {
    /// The number of the last request.
    var last: UInt64
    /// When it was drawn as an example since, or 0.
    var sampled: UInt64
    /// The last three intervals, as a ring.
    var intervals: (UInt32, UInt32, UInt32)
    /// What is or was stored, in the capacity's unit.
    var size: UInt32
    /// The number of its place among the evicted ones.
    var place: UInt32
    /// How often the object of this id was removed.
    var epoch: UInt32
    var requests: UInt16
    /// Intervals so far, less 3 where there are 6.
    var intervalCount: UInt8
    var isGhost: Bool
  }

  var known: Column<Known>
  var residents: IDBag
  // The most recent one in front.
  var order: LinkedLists
  var evicted: EvictedQueue
  // Residents that were predicted, the latest first.
  var predicted: IndexedHeap
  var arrivals: NewArrivals
  var examples: TrainingRows
  var candidates: CandidateRows
  var candidateCount = 0
  var random: SeededGenerator
  private let boosting: GradientBoosting
  private let parameters: GradientBoosting.Parameters
  var model: BoostedTrees?
  var scan: ScanState
  var history = HistoryLength()
  var predictions = OrderCounter()
  /// The object at which the scan stands.
  var pointer = ObjectID.none
  /// The number of this request; the first is 0.
  var now: UInt64 = .max
  /// The request at which the model was trained.
  var trainedAt: UInt64 = 0
  var used: UInt64 = 0
  /// Evictions left before the next batch is predicted.
  var evictionsLeft = 0
  private var isSampling = false
  private let batch: Int
  let weighsSize: Bool

  init(_ setup: PolicySetup) throws(PolicyError) {
    let spec = setup.spec
    let batch = try spec.integer("batch", default: 1 << 16, in: 2...1 << 20)
    let objective = try spec.choice("objective", ["bytes", "objects"])
    try setup.requireObjects(atMost: ThreeLCache.objectsMax)
    let boosting = try GradientBoosting.current(for: spec)
    self.batch = batch
    self.boosting = boosting
    weighsSize = objective == "objects"
    parameters = GradientBoosting.Parameters(trees: 16, seed: setup.seed)
    known = Column(objects: setup.objects)
    residents = IDBag(objects: setup.objects, capacity: setup.expectedResidents)
    order = LinkedLists(objects: setup.objects)
    predicted = IndexedHeap(objects: setup.objects, capacity: 16)
    evicted = EvictedQueue()
    arrivals = NewArrivals()
    examples = TrainingRows(features: ThreeLCache.features, capacity: batch)
    candidates = CandidateRows(features: ThreeLCache.features, capacity: 16)
    random = SeededGenerator(seed: setup.seed)
    scan = ScanState(adapts: !weighsSize)
  }

  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  @inline(__always)
  func remembers(_ id: ObjectID) -> Bool { residents.contains(id) || known[id].isGhost }

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
      evicted.remove(known[id].place)
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
    if model != nil { arrivals.append(id, epoch: known[id].epoch, size: request.size) }
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let victim = model == nil ? order.back() : latest()
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
      evicted.remove(known[id].place)
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

  var ghostsMax: Int { residents.count * (HistoryLength.most - 1) + 2 }

  var stateBytes: Int {
    known.bytes + residents.bytes + order.bytes + evicted.bytes + predicted.bytes + arrivals.bytes
      + examples.bytes + candidates.bytes + parameters.modelBytes
  }

  /// Takes an object out of all that residents are in.
  private mutating func leave(_ id: ObjectID) {
    if pointer == id { pointer = next(after: id) }
    if predicted.contains(id) { predicted.remove(id) }
    residents.remove(id)
    order.remove(id)
    used -= UInt64(known[id].size)
  }

  /// The object behind which the scan goes on: from the oldest to the newest, and round.
  func next(after id: ObjectID) -> ObjectID {
    let ahead = order.ahead(of: id)
    return ahead == .none ? order.back() : ahead
  }
}

/// Requests and examples.
extension ThreeLCache {
  /// Counts a request for an object, resident or not.
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

  /// Whether an object was drawn as an example and becomes one: one in four once there is a model.
  private mutating func becomesExample(_ id: ObjectID) -> Bool {
    guard known[id].sampled != 0 else { return false }
    return random.next(below: 4) == 0 || model == nil
  }

  private mutating func addExample(_ id: ObjectID, label: UInt64) {
    candidates.set(0, id)
    write(id, at: known[id].sampled, to: candidates.row(0))
    examples.append(
      UnsafeBufferPointer(start: candidates.row(0), count: ThreeLCache.features),
      label: Float(DeterministicMath.log(Double(label) + 1)))
    if examples.count >= batch, evictionsLeft <= 0 { train() }
  }

  /// Draws one of the objects that are remembered as an example of this moment.
  private mutating func sample() {
    let count = residents.count + evicted.count
    guard count > 0 else { return }
    let place = Int(random.next(below: UInt64(count)))
    let id = place < residents.count ? residents[place] : evicted[place - residents.count]
    if id != .none, known[id].sampled == 0 { known[id].sampled = now }
  }

  /// Forgets the object that was evicted first where there are too many.
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

  private mutating func train() {
    // With a library that fails, the model stays.
    if let trained = try? boosting.train(examples, parameters) { model = trained }
    examples.removeAll()
    forgetPredictions()
    trainedAt = now
    history.adapt()
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

  /// Forgets an object but for its epoch.
  private func clear(_ id: ObjectID) {
    known[id] = Known(
      last: 0, sampled: 0, intervals: (0, 0, 0), size: 0, place: 0, epoch: known[id].epoch,
      requests: 0, intervalCount: 0, isGhost: false)
  }
}
