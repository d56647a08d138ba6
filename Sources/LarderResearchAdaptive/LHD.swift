import LarderEngine

extension RegisteredPolicy {
  package static let lhd = RegisteredPolicy(LHD.self)
}

/// Least Hit Density: of a few objects drawn at random, evicts the one with the fewest expected
/// hits for the space and time it takes. Follows the authors' program, for one application.
struct LHD: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lhd", family: .random,
    summary: "Learns at which ages objects are requested again and evicts, from a random sample, "
      + "the one with the lowest expected hits per byte and time.",
    parameters: [
      PolicyParameter(
        "samples", default: "32", "objects sampled per eviction, 1 to 256; 8 while learning"),
      PolicyParameter(
        "period", default: "1048576", searched: ["1048576", "65536"], isCount: true,
        "requests after which the model is updated, at least 1"),
    ],
    needs: .size, isRandom: true, learns: true,
    paper: "Beckmann, Chen and Cidon, LHD: improving cache hit rate by maximizing hit density, "
      + "NSDI 2018")

  struct Tag: BitwiseCopyable {
    var id: ObjectID
    var time: UInt32
    /// Its ages at the last two requests, and if it is an explorer, kept to learn old ages.
    var history: UInt32

    static var ageMask: UInt32 { 0x7FFF }
    static var explorer: UInt32 { 1 << 31 }
    var lastAge: UInt32 { history & Tag.ageMask }
    var group: UInt32 { HitDensities.group(agesSum: lastAge + (history >> 15 & Tag.ageMask)) }
    var isExplorer: Bool { history & Tag.explorer != 0 }
  }

  private static var newest: Int { 8 }
  private static var samplesWhileLearning: UInt32 { 8 }
  private static var learningReconfigurations: Int { 50 }
  private static var explorerShare: Double { 0.01 }
  private static var explorerOdds: UInt64 { 32 }

  // Residents in no order, from slot 1, and the slot of each object.
  private var tags: Column<Tag>
  private var places: Column<UInt32>
  private var count: UInt32 = 0
  private var model: HitDensities
  private var random: SeededGenerator
  private let samples: UInt32
  private let period: Int
  private var untilReconfiguration: Int
  // Requests so far, modulo 2^32.
  private var clock: UInt32 = 0
  // New objects that ranked no better than the last victims: always candidates.
  private var doubtful: Column<ObjectID>
  private var doubtfulNext: UInt32 = 0
  private var meanVictimDensity: Float = 0
  private var explorerBudget: Int64

  init(_ setup: PolicySetup) throws(PolicyError) {
    let samples = try setup.spec.integer("samples", default: 32, in: 1...256)
    let period = try setup.spec.integer("period", default: 1 << 20, in: 1...(1 << 40))
    self.samples = UInt32(samples)
    self.period = period
    untilReconfiguration = period
    model = HitDensities()
    tags = Column(objects: setup.objects)
    places = Column(objects: setup.objects)
    doubtful = Column(objects: LHD.newest)
    random = SeededGenerator(seed: setup.seed)
    explorerBudget = Int64(min(Double(setup.capacity), 1e18) * LHD.explorerShare)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  func remembers(_ id: ObjectID) -> Bool {
    contains(id) || (1...UInt32(LHD.newest)).contains { doubtful[$0] == id }
  }

  var ghostsMax: Int { LHD.newest }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    renew(request, oldSize: request.size)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    renew(request, oldSize: sizes[request.id])
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    var victim: UInt32 = 0
    var lowest = Float.infinity
    let isLearning = model.reconfigurations <= LHD.learningReconfigurations
    var left = isLearning ? LHD.samplesWhileLearning : samples
    // Each random number selects two candidates.
    while left > 0 {
      let word = random.next()
      consider(LHD.scaled(UInt32(truncatingIfNeeded: word), count), sizes, &victim, &lowest)
      if left > 1 {
        consider(LHD.scaled(UInt32(truncatingIfNeeded: word >> 32), count), sizes, &victim, &lowest)
      }
      left -= min(left, 2)
    }
    for slot in 1...UInt32(LHD.newest) {
      let place = places[doubtful[slot]]
      if place != 0 { consider(place, sizes, &victim, &lowest) }
    }
    meanVictimDensity = 0.9 * meanVictimDensity + 0.1 * max(lowest, -1)
    let tag = tags[victim]
    model.countEviction(tag.group, age: age(tag))
    if tag.isExplorer { explorerBudget += Int64(sizes[tag.id]) }
    drop(victim)
    return tag.id
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    count += 1
    let place = count
    places[request.id] = place
    let explores = random.next() % LHD.explorerOdds == 0
    var tag = Tag(id: request.id, time: clock, history: HitDensities.ages << 15)
    explore(&tag, explores, request.size)
    tags[place] = tag
    if !explores, density(tag, request.size) < meanVictimDensity {
      doubtful[doubtfulNext + 1] = request.id
      doubtfulNext = (doubtfulNext + 1) % UInt32(LHD.newest)
    }
    tick()
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    for slot in 1...UInt32(LHD.newest) where doubtful[slot] == id { doubtful[slot] = .none }
    let place = places[id]
    guard place != 0 else { return }
    if tags[place].isExplorer { explorerBudget += Int64(sizes[id]) }
    drop(place)
  }

  mutating func reserve(objects: Int) {
    tags.reserve(objects: objects)
    places.reserve(objects: objects)
  }

  @inline(__always) func prefetch(_ id: ObjectID) { places.prefetch(id) }
  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { tags.prefetch(places[id]) }
  var stateBytes: Int { tags.bytes + places.bytes + model.bytes }

  @inline(__always) private static func scaled(_ random: UInt32, _ count: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(random) * UInt64(count)) >> 32) + 1
  }

  @inline(__always) private func consider(
    _ place: UInt32, _ sizes: some ObjectSizes, _ victim: inout UInt32, _ lowest: inout Float
  ) {
    let tag = tags[place]
    let density = density(tag, sizes[tag.id])
    if density < lowest || victim == 0 {
      victim = place
      lowest = density
    }
  }

  @inline(__always) private func age(_ tag: Tag) -> UInt32 {
    min((clock &- tag.time) >> model.coarsening, HitDensities.ages - 1)
  }

  @inline(__always) private func density(_ tag: Tag, _ size: UInt32) -> Float {
    let age = age(tag)
    guard age < HitDensities.ages - 1 else { return -.greatestFiniteMagnitude }
    let density = model.density(tag.group, age: age) / Float(max(size, 1))
    return tag.isExplorer ? density + 1 : density
  }

  @inline(__always) private mutating func renew(_ request: Request, oldSize: UInt32) {
    let place = places[request.id]
    var tag = tags[place]
    let age = age(tag)
    model.countHit(tag.group, age: age)
    if tag.isExplorer { explorerBudget += Int64(oldSize) }
    tag.history = tag.lastAge << 15 | age
    tag.time = clock
    explore(&tag, random.next() % LHD.explorerOdds == 0, request.size)
    tags[place] = tag
    tick()
  }

  @inline(__always) private mutating func explore(
    _ tag: inout Tag, _ explores: Bool, _ size: UInt32
  ) {
    guard explores, explorerBudget > 0,
      model.reconfigurations < LHD.learningReconfigurations
    else { return }
    tag.history |= Tag.explorer
    explorerBudget -= Int64(size)
  }

  @inline(__always) private mutating func tick() {
    clock &+= 1
    untilReconfiguration -= 1
    if untilReconfiguration == 0 {
      model.reconfigure(objects: Int(count))
      untilReconfiguration = period
    }
  }

  @inline(__always) private mutating func drop(_ place: UInt32) {
    places[tags[place].id] = 0
    if place != count {
      tags[place] = tags[count]
      places[tags[count].id] = place
    }
    count -= 1
  }
}

/// LHD's model: the probabilities of hits and evictions at each age, and the hits that follow for
/// each unit of time an object stays, for objects classified by the ages at their last two
/// requests.
struct HitDensities: ~Copyable {
  static var ages: UInt32 { 20_000 }
  private static var classes: UInt32 { 16 }
  // The factor by which older counts are multiplied at a reconfiguration.
  private static var decay: Float { 0.9 }
  // The largest ratio of the age step to the time that an object stays.
  private static var coarseningError: Float { 0.01 }

  // One row of ages for each class.
  private var hits: Column<Float>
  private var evictions: Column<Float>
  private var densities: Column<Float>
  private var meanObjects: Float = 0
  private var meanObjectsMass: Float = 0
  private(set) var coarsening: UInt32 = 10
  private(set) var reconfigurations = 0

  init() {
    let cells = Int(HitDensities.classes * HitDensities.ages)
    hits = Column(objects: cells)
    evictions = Column(objects: cells)
    densities = Column(objects: cells)
  }

  @inline(__always) static func group(agesSum: UInt32) -> UInt32 {
    guard agesSum > 0 else { return classes - 1 }
    guard agesSum < ages else { return 0 }
    let doublings = UInt32(agesSum.leadingZeroBitCount - ages.leadingZeroBitCount)
    return min(classes - 1, agesSum << doublings < ages ? doublings + 1 : doublings)
  }

  @inline(__always) func density(_ group: UInt32, age: UInt32) -> Float {
    guard reconfigurations > 0 else {
      return Float(HitDensities.classes + group + 1) / Float(age + 1)
    }
    return densities[HitDensities.cell(group, age)]
  }

  @inline(__always) mutating func countHit(_ group: UInt32, age: UInt32) {
    hits[HitDensities.cell(group, age)] += 1
  }

  @inline(__always) mutating func countEviction(_ group: UInt32, age: UInt32) {
    evictions[HitDensities.cell(group, age)] += 1
  }

  @inline(never) mutating func reconfigure(objects: Int) {
    for cell in 0..<HitDensities.classes * HitDensities.ages {
      hits[cell] *= HitDensities.decay
      evictions[cell] *= HitDensities.decay
    }
    adaptCoarsening(objects: objects)
    for group in 0..<HitDensities.classes { model(group) }
    reconfigurations += 1
  }

  var bytes: Int { hits.bytes + evictions.bytes + densities.bytes }

  @inline(__always) private static func cell(_ group: UInt32, _ age: UInt32) -> UInt32 {
    group * ages + age
  }

  private mutating func model(_ group: UInt32) {
    let last = HitDensities.cell(group, HitDensities.ages - 1)
    var laterHits = hits[last]
    var laterEvents = hits[last] + evictions[last]
    var timeToCome = laterEvents
    for age in stride(from: Int(HitDensities.ages) - 2, through: 0, by: -1) {
      let cell = HitDensities.cell(group, UInt32(age))
      laterHits += hits[cell]
      laterEvents += hits[cell] + evictions[cell]
      timeToCome += laterEvents
      densities[cell] = laterEvents > 1e-5 ? laterHits / timeToCome : 0
    }
  }

  /// The authors choose the coarsening twice, soon after the start and once the mean is steady.
  private mutating func adaptCoarsening(objects: Int) {
    meanObjects = meanObjects * HitDensities.decay + Float(objects)
    meanObjectsMass = meanObjectsMass * HitDensities.decay + 1
    guard reconfigurations == 5 || reconfigurations == 25 else { return }
    let mean = meanObjects / meanObjectsMass
    let best = mean / (HitDensities.coarseningError * Float(HitDensities.ages))
    var shift: UInt32 = 1
    while shift < 31, Float(UInt32(1) << shift) < best { shift += 1 }
    let old = coarsening
    coarsening = shift
    meanObjects *= 8
    meanObjectsMass *= 8
    for group in 0..<HitDensities.classes {
      if shift < old {
        HitDensities.stretch(hits, group, by: old - shift)
        HitDensities.stretch(evictions, group, by: old - shift)
      } else if shift > old {
        HitDensities.compress(hits, group, by: shift - old)
        HitDensities.compress(evictions, group, by: shift - old)
      }
    }
  }

  private static func stretch(
    _ counts: borrowing Column<Float>, _ group: UInt32, by shift: UInt32
  ) {
    let last = cell(group, ages - 1)
    for age in (ages >> shift)..<(ages - 1) { counts[last] += counts[cell(group, age)] }
    for age in stride(from: Int(ages) - 2, through: 0, by: -1) {
      let share = counts[cell(group, UInt32(age) >> shift)] / Float(UInt32(1) << shift)
      counts[cell(group, UInt32(age))] = share
    }
  }

  private static func compress(
    _ counts: borrowing Column<Float>, _ group: UInt32, by shift: UInt32
  ) {
    for age in 0..<(ages - 1) {
      let from = UInt64(age) << shift
      var sum: Float = 0
      for place in from..<from + 1 << shift where place < UInt64(ages - 1) {
        sum += counts[cell(group, UInt32(truncatingIfNeeded: place))]
      }
      counts[cell(group, age)] = sum
    }
  }
}
