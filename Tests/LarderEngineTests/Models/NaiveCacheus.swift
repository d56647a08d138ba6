import LarderEngine

/// Cacheus (Rodriguez and others, FAST 2021), following the authors' program: SR-LRU and CR-LFU as
/// experts, and an adaptive learning rate.
struct NaiveCacheus: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var size: UInt64
    var requests = 1
    var isDemoted = false
    var isNew = false
    var order: Int
  }
  /// S and Q of the paper, the oldest first.
  var reused: [Entry] = []
  var probation: [Entry] = []
  var reusedLimit: UInt64
  var experts = NaiveExperts()
  var rate: NaiveLearningRate
  var size: NaiveCacheSize
  var random: SeededGenerator
  var calls = 0
  var countToRestore = 0
  var madeRoom = false
  var hasEvicted = false
  let capacity: UInt64
  let countsBytes: Bool
  let ghostShare: Double

  init(capacity: UInt64, unit: CapacityUnit, ghostShare: Double, seed: UInt64) {
    self.capacity = capacity
    self.ghostShare = ghostShare
    countsBytes = unit == .bytes
    reusedLimit = capacity - max(1, UInt64(0.01 * Double(capacity) + 0.5))
    size = NaiveCacheSize(capacity, unit)
    rate = NaiveLearningRate(period: size.objects)
    random = SeededGenerator(seed: seed)
  }

  private func weight(_ entries: [Entry]) -> UInt64 { entries.reduce(0) { $0 + $1.size } }
  private var demoted: Int { probation.count { $0.isDemoted } }
  private var newGhosts: Int { experts.histories[0].count { $0.isNew } }

  func contains(_ id: ObjectID) -> Bool { (reused + probation).contains { $0.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { experts.isGhost(id) }

  mutating func hit(_ request: Request) {
    rate.count(isHit: true, size.objects, &random)
    calls += 1
    if var entry = reused.take(where: { $0.id == request.id }) {
      touch(&entry, request)
      reused.append(entry)
      return
    }
    guard let place = probation.firstIndex(where: { $0.id == request.id }) else { return }
    if probation[place].isDemoted {
      let ratio = Double(newGhosts) / Double(max(1, demoted))
      reusedLimit = min(capacity - 1, reusedLimit + step(ratio, request))
      probation[place].isDemoted = false
    }
    var entry = probation.remove(at: place)
    touch(&entry, request)
    while weight(reused) + entry.size > reusedLimit, demoteOldest() {}
    reused.append(entry)
  }

  private func touch(_ entry: inout Entry, _ request: Request) {
    entry.requests += 1
    entry.order = calls
    entry.size = UInt64(request.size)
  }

  private mutating func demoteOldest() -> Bool {
    guard !reused.isEmpty else { return false }
    var entry = reused.removeFirst()
    entry.isDemoted = true
    probation.append(entry)
    return true
  }

  private func step(_ ratio: Double, _ request: Request) -> UInt64 {
    UInt64(max(1, (ratio + 0.5).rounded(.down))) * UInt64(request.size)
  }

  mutating func admit(_ request: Request) -> Bool {
    rate.count(isHit: false, size.objects, &random)
    countToRestore = 0
    madeRoom = false
    if let (victim, expert) = experts.take(request.id) {
      if expert == 0, victim.isNew {
        let ratio = Double(demoted) / Double(max(1, newGhosts))
        let limit = capacity - reusedLimit + step(ratio, request)
        reusedLimit = capacity - max(1, min(capacity - 1, limit))
      }
      experts.penalise(expert, loss: rate.value)
      countToRestore = victim.requests
    }
    return true
  }

  mutating func insert(_ request: Request) {
    calls += 1
    var entry = Entry(id: request.id, size: UInt64(request.size), order: calls)
    entry.requests = max(countToRestore, 1)
    if countToRestore > 0 {
      reused.append(entry)
    } else if !madeRoom, weight(probation) == 0, weight(reused) + entry.size <= reusedLimit {
      reused.append(entry)
    } else {
      entry.isNew = madeRoom || weight(probation) + entry.size > capacity - reusedLimit
      probation.append(entry)
    }
    if countToRestore > 0 || entry.isNew { while weight(reused) >= reusedLimit, demoteOldest() {} }
    countToRestore = 0
    size.note(reused.count + probation.count)
  }

  mutating func evict() -> ObjectID {
    if !hasEvicted, countsBytes { rate = NaiveLearningRate(period: size.objects) }
    hasEvicted = true
    madeRoom = true
    if probation.isEmpty { _ = demoteOldest() }
    let rarest = (reused + probation).firstMinimum {
      ($0.requests, -$0.order) < ($1.requests, -$1.order)
    }
    let expert = random.nextUnit() < experts.weights[0] ? 0 : 1
    guard let oldest = probation.first, let rarest else { return .none }
    let victim = expert == 0 ? oldest : rarest
    drop(victim.id)
    if oldest.id != rarest.id {
      experts.remember(
        .init(id: victim.id, requests: victim.requests, time: 0, isNew: victim.isNew),
        of: expert, atMost: Int(Double(size.objects) * ghostShare))
    }
    return victim.id
  }

  private mutating func drop(_ id: ObjectID) {
    reused.removeAll { $0.id == id }
    probation.removeAll { $0.id == id }
  }

  mutating func remove(_ id: ObjectID) {
    _ = experts.take(id)
    drop(id)
  }
}
