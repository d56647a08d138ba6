import LarderEngine

/// Hyperbolic caching (Blankstein, Sen, Freedman, USENIX ATC 2017), section 2: of a sample, the
/// object with the fewest requests for its time in the cache. Time counts requests.
struct NaiveHyperbolic: NaivePolicy {
  struct Entry {
    var object: NaiveWeighted
    var requests: Int
    var start: Int
  }
  /// In the order of the engine, because samples are drawn by index.
  var residents: [Entry] = []
  var clock = NaiveRequestClock()
  var random: SeededGenerator
  let samples: Int
  let dividesBySize: Bool

  init(samples: Int, dividesBySize: Bool, seed: UInt64) {
    self.samples = samples
    self.dividesBySize = dividesBySize
    random = SeededGenerator(seed: seed)
  }

  func contains(_ id: ObjectID) -> Bool { residents.contains { $0.object.id == id } }

  mutating func hit(_ request: Request) {
    clock.tick(request.id)
    for place in residents.indices where residents[place].object.id == request.id {
      residents[place].requests += 1
      residents[place].object.size = UInt64(request.size)
    }
  }

  mutating func insert(_ request: Request) {
    clock.tick(request.id)
    residents.append(Entry(object: NaiveWeighted(request), requests: 1, start: clock.now))
  }

  private func priority(_ entry: Entry) -> Double {
    let rate = Double(entry.requests) / Double(clock.now - entry.start + 1)
    return dividesBySize ? rate / Double(max(entry.object.size, 1)) : rate
  }

  mutating func evict() -> ObjectID {
    var draws: [UInt64] = []
    while draws.count < samples {
      let word = random.next()
      draws += [word & 0xFFFF_FFFF, word >> 32]
    }
    let sample = draws.prefix(samples).map { Int(($0 * UInt64(residents.count)) >> 32) }
    let lowest = sample.firstMinimum { priority(residents[$0]) < priority(residents[$1]) }
    return lowest.map { residents.fill(hole: $0).object.id } ?? .none
  }

  mutating func remove(_ id: ObjectID) {
    clock.retract(id)
    let place = residents.firstIndex { $0.object.id == id }
    if let place { residents.fill(hole: place) }
  }
}
