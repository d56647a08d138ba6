import LarderEngine

extension RegisteredPolicy {
  package static let cacheus = RegisteredPolicy(Cacheus.self)
}

/// LeCaR with experts that withstand scans and churn, and a learning rate that adapts, as in the
/// authors' program: SR-LRU, with a probation list and one for reused objects, and CR-LFU, which
/// evicts the newest of the least requested. The weights keep what they learned from removed
/// objects.
struct Cacheus: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "cacheus", family: .adaptive,
    summary: "Evicts by scan-resistant LRU or by LFU (ties: the most recent), chosen at random; a "
      + "miss on a recent victim of one lowers its probability. O(log n).",
    parameters: [
      PolicyParameter("ghost", default: "0.5", "objects in each history, share of those cached")
    ],
    isRandom: true, learns: true,
    paper: "Rodriguez, Yusuf, Lyons, Paz, Rangaswami, Liu, Zhao and Narasimhan, Learning cache "
      + "replacement with CACHEUS, FAST 2021")

  // The authors' S and Q, and the histories of both experts.
  private static var reused: UInt32 { 0 }
  private static var probation: UInt32 { 1 }
  private static var lruGhosts: UInt32 { 2 }
  private static var lfuGhosts: UInt32 { 3 }

  // An object's word: list plus one, flags, and a ghost's count.
  private static var placeMask: UInt32 { 7 }
  private static var demoted: UInt32 { 8 }
  private static var new: UInt32 { 16 }
  private static var flags: UInt32 { 24 }
  private static var countShift: UInt32 { 5 }
  private static var countMax: UInt64 { (1 << 27) - 1 }

  private var lists: LinkedLists
  private var frequencies: IndexedHeap
  private var words: Column<UInt32>
  // Weights of the objects in `reused` and `probation`; lengths of the histories.
  private var sums: Column<UInt64>
  private var weights = ExpertWeights(first: 0.5)
  private var rate: LearningRate
  private var random: SeededGenerator
  private var order = OrderCounter()
  private var size: CacheSizeInObjects
  private let capacity: UInt64
  private let countsBytes: Bool
  private let ghostShare: Double
  let ghostsMax: Int
  private var reusedLimit: UInt64
  // Demoted objects in `probation`, and new ones among the ghosts of LRU.
  private var demotedCount = 0
  private var newGhostCount = 0
  private var countToRestore: UInt64 = 0
  private var madeRoom = false
  private var hasEvicted = false
  // The object being replaced; the cache still counts its old size.
  private var resized = Request.none

  init(_ setup: PolicySetup) throws(PolicyError) {
    let ghostShare = try setup.spec.number("ghost", default: 0.5, in: 0...100)
    self.ghostShare = ghostShare
    ghostsMax = setup.ghostsMax(share: 2 * ghostShare)
    capacity = setup.capacity
    countsBytes = setup.unit == .bytes
    reusedLimit = capacity - max(1, UInt64(Double(capacity) * 0.01 + 0.5))
    size = CacheSizeInObjects(setup)
    rate = LearningRate(period: size.objects)
    random = SeededGenerator(seed: setup.seed)
    lists = LinkedLists(lists: 4, objects: setup.objects)
    frequencies = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
    words = Column(objects: setup.objects)
    sums = Column(objects: 4)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool {
    let place = words[id] & Cacheus.placeMask
    return place == Cacheus.reused + 1 || place == Cacheus.probation + 1
  }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool { words[id] != 0 }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    let id = request.id
    rate.count(isHit: true, nextPeriod: size.objects, &random)
    frequencies.update(id, key: frequencies.key(of: id) + 1, order: nextOrder())
    if words[id] & Cacheus.placeMask == Cacheus.reused + 1 {
      lists.moveToFront(id, list: Cacheus.reused)
      return
    }
    if words[id] & Cacheus.demoted != 0 {
      words[id] &= ~Cacheus.demoted
      let ratio = Double(newGhostCount) / Double(max(1, demotedCount))
      demotedCount -= 1
      growReused(by: ratio, request.size)
    }
    let weight = weight(id, sizes)
    sums[Cacheus.probation] -= weight
    while sums[Cacheus.reused] + weight > reusedLimit, demoteOldest(sizes) {}
    lists.moveToFront(id, list: Cacheus.reused)
    setPlace(id, Cacheus.reused)
    sums[Cacheus.reused] += weight
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    let list = (words[request.id] & Cacheus.placeMask) - 1
    sums[list] = sums[list] - UInt64(sizes[request.id]) + UInt64(request.size)
    resized = request
    hit(request, sizes)
    resized = .none
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    rate.count(isHit: false, nextPeriod: size.objects, &random)
    countToRestore = 0
    madeRoom = false
    let word = words[request.id]
    if word != 0 { learn(request, word) }
    return true
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    if !hasEvicted { begin() }
    madeRoom = true
    if lists.back(list: Cacheus.probation) == .none { _ = demoteOldest(sizes) }
    let oldest = lists.back(list: Cacheus.probation)
    let rarest = frequencies.minimum()
    let followsLRU = random.nextUnit() < weights.first
    let victim = followsLRU ? oldest : rarest
    leave(victim, sizes[victim])
    if oldest == rarest {
      frequencies.remove(victim)
      lists.remove(victim)
      words[victim] = 0
    } else {
      remember(victim, in: followsLRU ? Cacheus.lruGhosts : Cacheus.lfuGhosts)
    }
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    let (id, weight) = (request.id, UInt64(request.size))
    size.enter()
    let probationUsed = sums[Cacheus.probation]
    var list = Cacheus.probation
    var flag: UInt32 = 0
    if countToRestore > 0 {
      list = Cacheus.reused
    } else if !madeRoom, probationUsed == 0, sums[Cacheus.reused] + weight <= reusedLimit {
      list = Cacheus.reused
    } else if madeRoom || probationUsed + weight > capacity - reusedLimit {
      flag = Cacheus.new
    }
    frequencies.insert(id, key: max(countToRestore, 1), order: nextOrder())
    lists.pushFront(id, list: list)
    words[id] = list + 1 | flag
    sums[list] += weight
    if countToRestore > 0 || flag != 0 {
      while sums[Cacheus.reused] >= reusedLimit, demoteOldest(sizes) {}
    }
    countToRestore = 0
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    let word = words[id]
    guard word != 0 else { return }
    if contains(id) {
      leave(id, sizes[id])
      frequencies.remove(id)
      lists.remove(id)
      words[id] = 0
    } else {
      forget(id, word)
    }
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    frequencies.reserve(objects: objects)
    words.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    frequencies.prefetch(id)
    words.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) {
    lists.prefetchNeighbours(id)
    frequencies.prefetchEntry(id)
  }

  var stateBytes: Int { lists.bytes + frequencies.bytes + words.bytes }
}

extension Cacheus {
  @inline(__always) private func weight(_ id: ObjectID, _ sizes: some ObjectSizes) -> UInt64 {
    UInt64(id == resized.id ? resized.size : sizes[id])
  }

  @inline(__always) private mutating func nextOrder() -> UInt32 { ~order.next() }

  @inline(__always) private mutating func setPlace(_ id: ObjectID, _ list: UInt32) {
    words[id] = (words[id] & ~Cacheus.placeMask) | (list + 1)
  }

  @inline(never) private mutating func begin() {
    hasEvicted = true
    if countsBytes { rate = LearningRate(period: size.objects) }
  }

  @inline(__always) private mutating func demoteOldest(_ sizes: some ObjectSizes) -> Bool {
    let id = lists.back(list: Cacheus.reused)
    guard id != .none else { return false }
    let weight = weight(id, sizes)
    sums[Cacheus.reused] -= weight
    sums[Cacheus.probation] += weight
    lists.moveToFront(id, list: Cacheus.probation)
    setPlace(id, Cacheus.probation)
    words[id] |= Cacheus.demoted
    demotedCount += 1
    return true
  }

  @inline(__always) private mutating func leave(_ id: ObjectID, _ weight: UInt32) {
    let word = words[id]
    sums[(word & Cacheus.placeMask) - 1] -= UInt64(weight)
    if word & Cacheus.demoted != 0 { demotedCount -= 1 }
    size.leave()
  }

  @inline(__always) private mutating func remember(_ victim: ObjectID, in list: UInt32) {
    let count = min(frequencies.key(of: victim), Cacheus.countMax)
    frequencies.remove(victim)
    lists.moveToFront(victim, list: list)
    let isNew = words[victim] & Cacheus.new
    words[victim] = UInt32(truncatingIfNeeded: count) << Cacheus.countShift | isNew | (list + 1)
    sums[list] += 1
    if list == Cacheus.lruGhosts, isNew != 0 { newGhostCount += 1 }
    while sums[list] > UInt64(size.share(ghostShare)) {
      let oldest = lists.back(list: list)
      forget(oldest, words[oldest])
    }
  }

  @inline(__always) private mutating func forget(_ ghost: ObjectID, _ word: UInt32) {
    let list = (word & Cacheus.placeMask) - 1
    sums[list] -= 1
    if list == Cacheus.lruGhosts, word & Cacheus.new != 0 { newGhostCount -= 1 }
    lists.remove(ghost)
    words[ghost] = 0
  }

  @inline(never) private mutating func learn(_ request: Request, _ word: UInt32) {
    let isLRU = word & Cacheus.placeMask == Cacheus.lruGhosts + 1
    forget(request.id, word)
    if isLRU, word & Cacheus.new != 0 {
      let ratio = Double(demotedCount) / Double(max(1, newGhostCount))
      shrinkReused(by: ratio, request.size)
    }
    weights.penalise(first: isLRU, loss: rate.value)
    countToRestore = UInt64(word >> Cacheus.countShift)
  }

  @inline(__always) private mutating func growReused(by ratio: Double, _ size: UInt32) {
    reusedLimit = min(capacity - 1, reusedLimit + Cacheus.step(ratio, size))
  }

  @inline(__always) private mutating func shrinkReused(by ratio: Double, _ size: UInt32) {
    let probationLimit = capacity - reusedLimit + Cacheus.step(ratio, size)
    reusedLimit = capacity - max(1, min(capacity - 1, probationLimit))
  }

  @inline(__always) private static func step(_ ratio: Double, _ size: UInt32) -> UInt64 {
    UInt64(max(1, (ratio + 0.5).rounded(.down))) * UInt64(size)
  }
}

/// Cacheus' learning rate. Each period it keeps moving in the direction in which the hit ratio
/// rises; it picks a random direction when the ratio falls while the rate is constant. Follows the
/// authors' program, including its thresholds and rounding to thousandths.
struct LearningRate {
  private static var least: Double { 0.001 }
  private static var patience: Int { 10 }

  private(set) var value: Double
  private var current: Double
  private var previous = 0.0
  private let resetValue: Double
  private var period: Int
  private var requests = 0
  private var hits = 0
  private var hitRatio = 0.0
  private var periodsWithoutHits = 0
  private var periodsOfDecline = 0

  init(period: Int) {
    // The root of 2 ln 2 / period.
    value = (1.3862943611198906 / Double(max(period, 1))).squareRoot()
    current = value
    resetValue = min(max(value, LearningRate.least), 1)
    self.period = max(period, 1)
  }

  @inline(__always) mutating func count(
    isHit: Bool, nextPeriod: Int, _ random: inout SeededGenerator
  ) {
    requests += 1
    if requests >= period {
      change(&random)
      requests = 0
      hits = 0
      period = max(nextPeriod, 1)
    }
    if isHit { hits += 1 }
  }

  @inline(never) private mutating func change(_ random: inout SeededGenerator) {
    let ratio = LearningRate.rounded(Double(hits) / Double(period))
    let gain = LearningRate.rounded(ratio - hitRatio)
    let step = LearningRate.rounded(current) - LearningRate.rounded(previous)
    let direction = step * gain
    if direction > 0 {
      value = min(value + abs(value * step), 1)
      periodsWithoutHits = 0
      periodsOfDecline = 0
    } else if direction < 0 {
      value = max(value - abs(value * step), LearningRate.least)
      periodsWithoutHits = 0
      periodsOfDecline = 0
    } else if gain <= 0 {
      standStill(ratio, gain, &random)
    }
    previous = current
    current = value
    hitRatio = ratio
  }

  private mutating func standStill(
    _ ratio: Double, _ gain: Double, _ random: inout SeededGenerator
  ) {
    if ratio <= 0, gain == 0 { periodsWithoutHits += 1 }
    if gain < 0 {
      periodsOfDecline += 1
      periodsWithoutHits += 1
    }
    if periodsWithoutHits >= LearningRate.patience {
      value = resetValue
      periodsWithoutHits = 0
    } else if gain < 0 {
      if periodsOfDecline >= LearningRate.patience {
        value = resetValue
        periodsOfDecline = 0
      } else {
        tryDirection(&random)
      }
    }
  }

  private mutating func tryDirection(_ random: inout SeededGenerator) {
    if value >= 1 {
      value = 0.9
    } else if value <= LearningRate.least {
      value = 0.005
    } else if random.next(below: 2) == 0 {
      value = min(value * 1.25, 1)
    } else {
      value = max(value * 0.75, LearningRate.least)
    }
  }

  private static func rounded(_ value: Double) -> Double {
    (value * 1000).rounded(.toNearestOrEven) / 1000
  }
}
