@testable import LarderEngine
@testable import LarderResearchAdaptive

/// TinyUFO (cloudflare/pingora): two queues; the object with more misses stays.
struct NaiveTinyUFO: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var size: Int
    var uses = 0
  }

  var small: [Entry] = []
  var main: [Entry] = []
  var misses: NaiveMisses
  var victim: ObjectID = .none
  let capacity: Int

  init(_ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit) {
    self.capacity = Int(capacity)
    misses = NaiveMisses(
      size: NaiveCacheSize(capacity, unit), isExact: spec.values["counters"] == "exact",
      sketch: MissCounts.sketch(
        objects: MissCounts.sketched(unit == .objects ? Int(capacity) : 16)))
  }

  func contains(_ id: ObjectID) -> Bool { (small + main).contains { $0.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { !contains(id) && misses.known[id, default: 0] > 0 }
  func used(_ queue: [Entry]) -> Int { queue.reduce(0) { $0 + $1.size } }

  mutating func hit(_ request: Request) {
    for queue in [\NaiveTinyUFO.small, \.main] {
      guard let place = self[keyPath: queue].firstIndex(where: { $0.id == request.id }) else {
        continue
      }
      self[keyPath: queue][place].uses = min(self[keyPath: queue][place].uses + 1, 3)
      self[keyPath: queue][place].size = Int(request.size)
    }
  }

  mutating func admit(_ request: Request) -> Bool {
    victim = .none
    let seen = misses.count(request.id)
    if used(small) + used(main) + Int(request.size) <= capacity { return true }
    let found = takeVictim()
    if misses.seen(found.id) > seen {
      small.append(Entry(id: found.id, size: found.size))
      return false
    }
    // Back to its old position: it leaves when it is evicted.
    small.insert(found, at: 0)
    victim = found.id
    return true
  }

  mutating func evict() -> ObjectID {
    let id = victim == .none ? takeVictim().id : victim
    small.removeAll { $0.id == id }
    victim = .none
    misses.note(residents: small.count + main.count)
    return id
  }

  private mutating func takeVictim() -> Entry {
    if used(small) >= capacity / 10 + 1 || main.isEmpty {
      while !small.isEmpty {
        let oldest = small.removeFirst()
        if oldest.uses <= 1 { return oldest }
        main.append(oldest)
      }
    }
    while true {
      var oldest = main.removeFirst()
      if oldest.uses == 0 { return oldest }
      oldest.uses -= 1
      main.append(oldest)
    }
  }

  mutating func insert(_ request: Request) {
    small.append(Entry(id: request.id, size: Int(request.size)))
    misses.note(residents: small.count + main.count)
  }

  mutating func remove(_ id: ObjectID) {
    victim = .none
    small.removeAll { $0.id == id }
    main.removeAll { $0.id == id }
    misses.known[id] = nil
  }
}

/// Miss counts of each object, in a dictionary or in the engine's sketch, because a model could not
/// know better which counters two keys share.
final class NaiveMisses {
  private var size: NaiveCacheSize
  var known: [ObjectID: UInt32] = [:]
  private let isExact: Bool
  private var sketch: FrequencySketch
  private var steps = 0

  init(size: NaiveCacheSize, isExact: Bool, sketch: consuming FrequencySketch) {
    self.size = size
    self.isExact = isExact
    self.sketch = sketch
  }

  func count(_ id: ObjectID) -> UInt32 {
    if steps >= 8 * size.objects {
      steps = 0
      known = known.mapValues { $0 / 2 }
      sketch.halve()
    } else {
      steps += 1
    }
    if !isExact { return sketch.incrementLowest(Request.fingerprint(of: id)) }
    known[id] = min(known[id, default: 0] + 1, 255)
    return known[id, default: 0]
  }

  func seen(_ id: ObjectID) -> UInt32 {
    isExact ? known[id, default: 0] : sketch.estimate(Request.fingerprint(of: id))
  }

  func note(residents: Int) {
    size.note(residents)
    sketch.reserve(objects: MissCounts.sketched(residents))
  }
}
