import LarderEngine

/// LHD (Beckmann, Chen, Cidon, NSDI 2018), following the authors' program for one application.
struct NaiveLHD: NaivePolicy {
  struct Entry {
    var object: NaiveWeighted
    var time: Int
    var lastAge = 0
    var ageBefore = NaiveHitDensities.ages
    var isExplorer = false
  }
  /// In the order of the engine, because candidates are drawn by index.
  var residents: [Entry] = []
  /// New objects that ranked no better than recent victims: at most eight, each new one replacing
  /// the oldest.
  var doubtful = [ObjectID](repeating: .none, count: 8)
  var doubtfulNext = 0
  var model = NaiveHitDensities()
  var meanVictimDensity: Float = 0
  var explorerBudget: Int
  var clock = 0
  var untilReconfiguration: Int
  var random: SeededGenerator
  let samples: Int
  let period: Int

  init(capacity: UInt64, samples: Int, period: Int, seed: UInt64) {
    explorerBudget = Int(Double(capacity) * 0.01)
    self.samples = samples
    self.period = period
    untilReconfiguration = period
    random = SeededGenerator(seed: seed)
  }

  private func place(of id: ObjectID) -> Int? { residents.firstIndex { $0.object.id == id } }
  func contains(_ id: ObjectID) -> Bool { place(of: id) != nil }
  func isGhost(_ id: ObjectID) -> Bool { doubtful.contains(id) && !contains(id) }

  private func age(_ entry: Entry) -> Int {
    min((clock - entry.time) >> model.coarsening, NaiveHitDensities.ages - 1)
  }
  private func group(_ entry: Entry) -> Int {
    NaiveHitDensities.group(agesSum: entry.lastAge + entry.ageBefore)
  }
  private func density(_ entry: Entry) -> Float {
    let age = age(entry)
    guard age < NaiveHitDensities.ages - 1 else { return -.greatestFiniteMagnitude }
    let density = model.density(group(entry), age: age) / Float(max(entry.object.size, 1))
    return entry.isExplorer ? density + 1 : density
  }

  mutating func hit(_ request: Request) {
    guard let place = place(of: request.id) else { return }
    var entry = residents[place]
    let age = age(entry)
    model.hits[group(entry)][age] += 1
    if entry.isExplorer { explorerBudget += Int(entry.object.size) }
    entry.object = NaiveWeighted(request)
    entry.ageBefore = entry.lastAge
    entry.lastAge = age
    entry.time = clock
    entry.isExplorer = draws(random.next())
    if entry.isExplorer { explorerBudget -= Int(request.size) }
    residents[place] = entry
    tick()
  }

  private func draws(_ number: UInt64) -> Bool {
    number % 32 == 0 && explorerBudget > 0 && model.reconfigurations < 50
  }

  mutating func insert(_ request: Request) {
    let number = random.next()
    var entry = Entry(object: NaiveWeighted(request), time: clock)
    entry.isExplorer = draws(number)
    if entry.isExplorer { explorerBudget -= Int(request.size) }
    residents.append(entry)
    if number % 32 != 0, density(entry) < meanVictimDensity {
      doubtful[doubtfulNext] = request.id
      doubtfulNext = (doubtfulNext + 1) % 8
    }
    tick()
  }

  private mutating func tick() {
    clock += 1
    untilReconfiguration -= 1
    guard untilReconfiguration == 0 else { return }
    model.reconfigure(objects: residents.count)
    untilReconfiguration = period
  }

  mutating func evict() -> ObjectID {
    let wanted = model.reconfigurations <= 50 ? 8 : samples
    var draws: [UInt64] = []
    while draws.count < wanted {
      let word = random.next()
      draws += [word & 0xFFFF_FFFF, word >> 32]
    }
    let drawn = draws.prefix(wanted).map { Int(($0 * UInt64(residents.count)) >> 32) }
    let candidates = drawn + doubtful.compactMap { place(of: $0) }
    let lowest = candidates.firstMinimum { density(residents[$0]) < density(residents[$1]) }
    guard let lowest else { return .none }
    let victim = residents[lowest]
    meanVictimDensity = 0.9 * meanVictimDensity + 0.1 * max(density(victim), -1)
    model.evictions[group(victim)][age(victim)] += 1
    drop(lowest)
    return victim.object.id
  }

  private mutating func drop(_ place: Int) {
    let entry = residents.fill(hole: place)
    if entry.isExplorer { explorerBudget += Int(entry.object.size) }
  }

  mutating func remove(_ id: ObjectID) {
    doubtful = doubtful.map { $0 == id ? .none : $0 }
    if let place = place(of: id) { drop(place) }
  }
}
