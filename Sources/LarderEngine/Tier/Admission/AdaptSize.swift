/// Admits objects with a probability that depends on their size, and finds the size scale with the
/// best hit ratio from a model of recent requests. As in the authors' program, at least 250,000
/// requests and three times the capacity of distinct bytes lie between two searches, counts decay
/// by 0.3, and a golden section follows a coarse search.
final class AdaptSize: AdmissionFilter {
  static let description = AdmissionDescription(
    name: "adaptsize",
    summary: "Stores a missing object with probability e^(-size / c); c is tuned periodically with "
      + "a Markov model of the recent requests.",
    parameters: [
      PolicyParameter(
        "interval", default: "250000", isCount: true, "requests between two tunings of c")
    ],
    watchesHits: true, isRandom: true, comparesSizes: true,
    paper: "Berger, Sitaraman and Harchol-Balter, AdaptSize: orchestrating the hot object memory "
      + "cache in a content delivery network, NSDI 2017")

  /// The largest number of objects before a search: sizes may be tiny compared with the capacity.
  private static let objectsMax = 1 << 22

  private let capacity: Double
  private let interval: Int
  private var random: SeededGenerator
  private var scale: Double
  private var untilSearch: Int
  private let objectsMax: Int
  private var seen = AdaptSizeObjects()

  init(_ setup: AdmissionSetup) throws(PolicyError) {
    capacity = Double(setup.capacity)
    let interval = try setup.spec.integer(
      "interval", default: 250_000, in: 1000...1_000_000_000)
    self.interval = max(1, interval / setup.parts)
    objectsMax = Self.objectsMax / setup.parts
    random = SeededGenerator(seed: setup.seed ^ 0x6164_6170)
    // Nearly everything is admitted until the first search.
    scale = max(1, capacity)
    untilSearch = self.interval
  }

  func requested(_ request: Request) {
    seen.note(request)
    untilSearch -= 1
    guard untilSearch <= 0 else { return }
    guard seen.sizeSum > capacity * 3 || seen.count > objectsMax else {
      untilSearch = max(1, interval / 50)
      return
    }
    seen.age()
    scale = DeterministicMath.pow(2, seen.model(capacity: capacity).bestExponent())
    untilSearch = interval
  }

  func prefetch(_ fingerprint: UInt32) { seen.prefetch(fingerprint) }

  func admits(_ request: Request, victim: UInt32?) -> Bool {
    random.nextUnit() < DeterministicMath.exp(-Double(request.size) / scale)
  }

  var stateBytes: Int { seen.bytes }
}

/// The objects that AdaptSize has seen, by fingerprint, with their request counts and sizes. Open
/// addressing with linear probing, with the objects in the table itself, so that a request costs
/// one cache miss. Memory: 16 bytes for each slot, with 1.6 to 3.2 slots for each object.
struct AdaptSizeObjects: ~Copyable {
  // Not private: the compiler (6.3) fails in debug mode on a column of a private type.
  struct Object: BitwiseCopyable {
    /// Requests since the last search. A slot with 0 in both counts is empty.
    var recent: Float
    var before: Float
    var fingerprint: UInt32
    var size: UInt32

    var isEmpty: Bool { recent == 0 && before == 0 }
  }

  private var slots: Column<Object>
  private var mask: UInt32
  private(set) var count = 0
  private(set) var sizeSum = 0.0

  private static let roomMin = 1024

  init() { self.init(room: Self.roomMin) }

  private init(room: Int) {
    mask = UInt32(room - 1)
    slots = Column(objects: room - 1)
  }

  var bytes: Int { slots.bytes }

  @inline(__always) mutating func note(_ request: Request) {
    var slot = slot(of: request.fingerprint)
    if slots[slot].isEmpty {
      if (count + 1) * 8 > (Int(mask) + 1) * 5 {
        grow()
        slot = self.slot(of: request.fingerprint)
      }
      count += 1
      slots[slot] = Object(recent: 0, before: 0, fingerprint: request.fingerprint, size: 0)
    }
    slots[slot].recent += 1
    // A hit may carry another size than the object's; the last requested size counts.
    sizeSum += Double(request.size) - Double(slots[slot].size)
    slots[slot].size = request.size
  }

  func prefetch(_ fingerprint: UInt32) { slots.prefetch(home(fingerprint)) }

  /// Ages the counts and forgets rarely requested objects. O(objects).
  mutating func age() {
    var room = Self.roomMin
    while room * 5 < count * 8 { room *= 2 }
    var kept = AdaptSizeObjects(room: room)
    for slot in 0...mask where !slots[slot].isEmpty {
      var object = slots[slot]
      object.before = object.before == 0 ? object.recent : object.before * 0.3 + object.recent * 0.7
      guard object.before >= 0.1 else { continue }
      object.recent = 0
      kept.put(object)
    }
    self = kept
  }

  /// A model of the requests until the last call of `age`. O(objects).
  func model(capacity: Double) -> AdaptSizeModel {
    var groups = AdaptSizeGroups()
    for slot in 0...mask where !slots[slot].isEmpty {
      groups.add(rate: slots[slot].before, size: slots[slot].size)
    }
    return AdaptSizeModel(capacity: capacity, groups: groups)
  }

  /// The slot of the object with a fingerprint, or a free one for it. O(1) on average.
  @inline(__always) private func slot(of fingerprint: UInt32) -> UInt32 {
    var slot = home(fingerprint)
    while slots[slot].fingerprint != fingerprint, !slots[slot].isEmpty { slot = (slot + 1) & mask }
    return slot
  }

  @inline(__always) private func home(_ fingerprint: UInt32) -> UInt32 {
    let hash = UInt64(fingerprint) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: hash >> 32) & mask
  }

  private mutating func put(_ object: Object) {
    slots[slot(of: object.fingerprint)] = object
    count += 1
    sizeSum += Double(object.size)
  }

  @inline(never) private mutating func grow() {
    var larger = AdaptSizeObjects(room: (Int(mask) + 1) * 2)
    for slot in 0...mask where !slots[slot].isEmpty { larger.put(slots[slot]) }
    self = larger
  }
}

/// The hit ratio of an LRU cache that admits objects with probability e^(-size / 2^exponent): a
/// Markov chain of each object's position in the list, solved for the time that objects stay
/// (sections 4.1 and 4.2 of the paper).
struct AdaptSizeModel {
  private let capacity: Double
  private let groups: [AdaptSizeGroups.Group]

  init(capacity: Double, groups: AdaptSizeGroups) {
    self.capacity = capacity
    self.groups = groups.means
  }

  func bestExponent() -> Double {
    let golden = 0.618_033_99
    // The solution of one exponent is close to that of the next.
    var life: Double?
    func modelled(_ exponent: Double) -> Double { self.hits(exponent, near: &life) }
    let highest = DeterministicMath.log(capacity) / DeterministicMath.log(2)
    var (low, high) = (0.0, highest)
    var best = (exponent: highest, hits: modelled(highest))
    var exponent = 2.0
    while exponent < highest {
      let hits = modelled(exponent)
      if hits > best.hits { best = (exponent, hits) }
      exponent += 4
    }
    (low, high) = (max(0, best.exponent - 4), min(highest, best.exponent + 4))
    var left = high - golden * (high - low)
    var right = low + golden * (high - low)
    var (hitsLeft, hitsRight) = (modelled(left), modelled(right))
    for _ in 0..<15 where high - low > 0.1 {
      if hitsRight > hitsLeft {
        (low, left, hitsLeft) = (left, right, hitsRight)
        right = low + golden * (high - low)
        hitsRight = modelled(right)
      } else {
        (high, right, hitsRight) = (right, left, hitsLeft)
        left = high - golden * (high - low)
        hitsLeft = modelled(left)
      }
    }
    let (found, hits) = hitsLeft > hitsRight ? (left, hitsLeft) : (right, hitsRight)
    return hits > best.hits ? found : best.exponent
  }

  func hits(_ exponent: Double, near known: inout Double?) -> Double {
    let scale = DeterministicMath.pow(2, exponent)
    let probabilities = groups.map { DeterministicMath.exp(-$0.size / scale) }
    guard let life = life(scale, probabilities, near: known) else { return 0 }
    known = life
    var sum = 0.0
    for (group, probability) in zip(groups, probabilities) {
      sum += group.objects * group.rate * Self.hitRatio(group.rate * life, probability)
    }
    return sum
  }

  private static let lifeMax = 1e12

  /// The time that an object stays without a request, in intervals: the time for which the resident
  /// objects fill the cache; nil if nothing is stored.
  private func life(
    _ scale: Double, _ probabilities: [Double], near known: Double?
  ) -> Double? {
    var admitted = 0.0
    for (group, probability) in zip(groups, probabilities) {
      admitted += group.objects * group.rate * probability * group.size
    }
    guard admitted > 0 else { return nil }
    let least = capacity / admitted
    var life = known.map { $0 < Self.lifeMax ? max(least, $0) : least } ?? least
    var (low, high) = (0.0, Double.infinity)
    for _ in 0..<40 {
      guard life < Self.lifeMax else { return Self.lifeMax }
      let (occupied, growth) = occupied(life, scale, probabilities)
      guard occupied > 0 else { return nil }
      let missing = DeterministicMath.log(capacity / occupied)
      if abs(missing) < 1e-4 { break }
      if missing > 0 { low = life } else { high = life }
      let step = min(max(missing / max(growth / occupied, 0.05), -4), 4)
      let next = life * DeterministicMath.exp(step)
      if next > low, next < high {
        life = next
      } else if low > 0, high < .infinity {
        life = (low * high).squareRoot()
      } else {
        life *= missing > 0 ? 8 : 0.125
      }
    }
    return life
  }

  private func occupied(
    _ life: Double, _ scale: Double, _ probabilities: [Double]
  ) -> (bytes: Double, growth: Double) {
    var occupied = 0.0
    var growth = 0.0
    for (group, probability) in zip(groups, probabilities) {
      let requests = group.rate * life
      let bytes = group.objects * group.size
      // p (e^x - 1) with p = e^(-size / scale), which may underflow by itself.
      let exponent = requests - group.size / scale
      guard exponent < 40 else {
        occupied += bytes
        continue
      }
      let power = DeterministicMath.exp(exponent)
      let odds = power - probability
      occupied += bytes * odds / (1 + odds)
      growth += bytes * requests * power / ((1 + odds) * (1 + odds))
    }
    return (occupied, growth)
  }

  /// The share of requests that hit, from the expected number of requests while the object stays:
  /// the authors' rational approximation of p (e^x - 1) / (1 + p (e^x - 1)), clamped to 0...1.
  private static func hitRatio(_ x: Double, _ p: Double) -> Double {
    let square = x * x
    let cube = square * x
    let above = x * p * (840 + 60 * x + 20 * square + cube)
    let below =
      840 + 120 * x * (7 * p - 3) + 60 * square * (1 + p) + 4 * cube * (5 * p - 1)
      + square * square * p
    guard below != 0 else { return 0 }
    return min(max(above / below, 0), 1)
  }
}

/// Groups of similar objects for AdaptSize's model, about a hundred: their rates agree in the
/// exponent and two bits, and their sizes in the exponent and three. A group has their means.
struct AdaptSizeGroups {
  struct Group {
    var objects = 0.0
    var rate = 0.0
    var size = 0.0
  }

  private static let rates = 128
  private static let sizes = 272

  // The index of each group plus one, by the bits that its objects share; 0 for none.
  private var places = [UInt16](repeating: 0, count: rates * sizes)
  private var sums: [Group] = []

  mutating func add(rate: Float, size: UInt32) {
    let first = Self.leading(rate, bits: 2, from: 0x1p-4, count: Self.rates)
    let second = Self.leading(Float(size), bits: 3, from: 1, count: Self.sizes)
    let key = first * Self.sizes + second
    if places[key] == 0 {
      sums.append(Group())
      places[key] = UInt16(sums.count)
    }
    let place = Int(places[key]) - 1
    sums[place].objects += 1
    sums[place].rate += Double(rate)
    sums[place].size += Double(size)
  }

  var means: [Group] {
    sums.map {
      Group(objects: $0.objects, rate: $0.rate / $0.objects, size: $0.size / $0.objects)
    }
  }

  private static func leading(_ value: Float, bits: UInt32, from first: Float, count: Int) -> Int {
    let above = Int(value.bitPattern >> (23 - bits)) - Int(first.bitPattern >> (23 - bits))
    return min(max(above, 0), count - 1)
  }
}
