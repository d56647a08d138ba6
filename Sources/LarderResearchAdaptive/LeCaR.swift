import LarderEngine

extension RegisteredPolicy {
  package static let leCaR = RegisteredPolicy(LeCaR.self)
}

/// Learning Cache Replacement: each eviction follows LRU or LFU, drawn at random with weights that
/// shift away from the expert whose victims are missed. As in the authors' program, an object that
/// returns from a history keeps its count.
struct LeCaR: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lecar", family: .adaptive,
    summary: "Evicts by LRU or by LFU, chosen at random; a miss on a recent victim of one of them "
      + "lowers its probability, more so for recent evictions. O(log n).",
    parameters: [
      PolicyParameter("rate", default: "0.45", "learning rate, from 0 to 10"),
      PolicyParameter(
        "discount", default: "0.005", "remaining regret after one request per cached object"),
      PolicyParameter("ghost", default: "0.5", "objects in each history, share of those cached"),
    ],
    isRandom: true, learns: true,
    paper:
      "Vietri, Rodriguez, Martinez, Lyons, Liu, Rangaswami, Zhao and Narasimhan, Driving cache "
      + "replacement with ML-based LeCaR, HotStorage 2018")

  private static var residents: UInt32 { 0 }
  private static var lruGhosts: UInt32 { 1 }
  private static var lfuGhosts: UInt32 { 2 }

  // A ghost's history is in the lowest bits of its word, its count above them.
  private static var historyMask: UInt16 { 3 }
  private static var countMax: UInt64 { 0x3FFF }

  private var lists: LinkedLists
  // By count; a ghost's entry holds the clock at its eviction.
  private var frequencies: IndexedHeap
  private var marks: Column<UInt16>
  // Ghosts in each history.
  private var ghostCounts: Column<Int>
  private var weights = ExpertWeights(first: 0.5)
  private var random: SeededGenerator
  private var order = OrderCounter()
  private var size: CacheSizeInObjects
  private var clock: UInt32 = 0
  private var countToRestore: UInt64 = 0
  private let rate: Double
  private let logOfDiscount: Double
  private let ghostShare: Double
  let ghostsMax: Int

  init(_ setup: PolicySetup) throws(PolicyError) {
    let rate = try setup.spec.number("rate", default: 0.45, in: 0...10)
    let discount = try setup.spec.number("discount", default: 0.005, in: 0.000001...1)
    let ghostShare = try setup.spec.number("ghost", default: 0.5, in: 0...100)
    self.rate = rate
    self.ghostShare = ghostShare
    ghostsMax = setup.ghostsMax(share: 2 * ghostShare)
    logOfDiscount = DeterministicMath.log(discount)
    size = CacheSizeInObjects(setup)
    random = SeededGenerator(seed: setup.seed)
    lists = LinkedLists(lists: 3, objects: setup.objects)
    frequencies = IndexedHeap(objects: setup.objects, capacity: setup.expectedResidents)
    marks = Column(objects: setup.objects)
    ghostCounts = Column(objects: 2)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { frequencies.contains(id) }

  @inline(__always) func remembers(_ id: ObjectID) -> Bool { lists.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    clock &+= 1
    lists.moveToFront(request.id, list: LeCaR.residents)
    let count = frequencies.key(of: request.id) + 1
    frequencies.update(request.id, key: count, order: order.next())
  }

  @inline(__always) mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    clock &+= 1
    countToRestore = 0
    let mark = marks[request.id]
    if mark != 0 { learn(request.id, mark) }
    return true
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    let oldest = lists.back(list: LeCaR.residents)
    let rarest = frequencies.minimum()
    let followsLRU = random.nextUnit() < weights.first
    let victim = followsLRU ? oldest : rarest
    let count = frequencies.key(of: victim)
    frequencies.remove(victim)
    if oldest == rarest {
      lists.remove(victim)
    } else {
      let list = followsLRU ? LeCaR.lruGhosts : LeCaR.lfuGhosts
      lists.moveToFront(victim, list: list)
      let kept = UInt16(truncatingIfNeeded: min(count, LeCaR.countMax))
      marks[victim] = kept << 2 | UInt16(truncatingIfNeeded: list)
      frequencies.setNote(of: victim, to: clock % IndexedHeap.noteLimit)
      ghostCounts[list] += 1
      while ghostCounts[list] > size.share(ghostShare) { forget(lists.back(list: list)) }
    }
    size.leave()
    return victim
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    size.enter()
    lists.pushFront(request.id, list: LeCaR.residents)
    frequencies.insert(request.id, key: countToRestore + 1, order: order.next())
    countToRestore = 0
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if marks[id] != 0 {
      forget(id)
    } else if contains(id) {
      lists.remove(id)
      frequencies.remove(id)
      size.leave()
    }
  }

  mutating func reserve(objects: Int) {
    lists.reserve(objects: objects)
    frequencies.reserve(objects: objects)
    marks.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) {
    lists.prefetch(id)
    frequencies.prefetch(id)
    marks.prefetch(id)
  }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) {
    lists.prefetchNeighbours(id)
    frequencies.prefetchEntry(id)
  }

  var stateBytes: Int { lists.bytes + frequencies.bytes + marks.bytes }

  @inline(never) private mutating func learn(_ id: ObjectID, _ mark: UInt16) {
    let age = Double((clock &- frequencies.note(of: id)) % IndexedHeap.noteLimit)
    let regret = DeterministicMath.exp(logOfDiscount * age / Double(size.objects))
    let isLRU = UInt32(mark & LeCaR.historyMask) == LeCaR.lruGhosts
    weights.penalise(first: isLRU, loss: rate * regret)
    countToRestore = UInt64(mark >> 2)
    forget(id)
  }

  @inline(__always) private mutating func forget(_ ghost: ObjectID) {
    ghostCounts[UInt32(marks[ghost] & LeCaR.historyMask)] -= 1
    lists.remove(ghost)
    marks[ghost] = 0
  }
}

/// Weights of two experts that recommend victims, LRU and LFU. An expert loses weight when its
/// victim is missed (regret minimisation with multiplicative weights).
struct ExpertWeights {
  // The lowest weight, from which an expert can recover.
  private static var least: Double { 0.01 }

  private(set) var first: Double

  @inline(never) mutating func penalise(first isFirst: Bool, loss: Double) {
    let factor = DeterministicMath.exp(-loss)
    let one = isFirst ? first * factor : first
    let other = isFirst ? 1 - first : (1 - first) * factor
    let share = one / (one + other)
    first = min(max(share, ExpertWeights.least), 1 - ExpertWeights.least)
  }
}
