import Testing

@testable import LarderEngine

/// AdaptSize's model of scales against the paper's, object by object, except for the effects of
/// grouping and a faster solver.
@Suite struct AdaptSizeModelTests {
  private struct Object {
    var rate: Float
    var size: UInt32
  }

  /// The paper's version: no groups, and the time multiplied until it converges.
  private struct Naive {
    var capacity: Double
    var objects: [Object]

    func hits(_ exponent: Double) -> Double {
      let scale = DeterministicMath.pow(2, exponent)
      let chances = objects.map { DeterministicMath.exp(-Double($0.size) / scale) }
      var admitted = 0.0
      for (object, chance) in zip(objects, chances) {
        admitted += Double(object.rate) * Double(object.size) * chance
      }
      guard admitted > 0 else { return 0 }
      var life = capacity / admitted
      for _ in 0..<400 where life < 1e12 {
        var occupied = 0.0
        for place in objects.indices {
          let exponent = Double(objects[place].rate) * life - Double(objects[place].size) / scale
          let odds = exponent > 40 ? 1e17 : DeterministicMath.exp(exponent) - chances[place]
          occupied += Double(objects[place].size) * odds / (1 + odds)
        }
        let next = min(1e12, capacity * life / occupied)
        defer { life = next }
        if abs(next / life - 1) < 1e-8 { break }
      }
      var hits = 0.0
      for (object, chance) in zip(objects, chances) {
        let (x, p) = (Double(object.rate) * life, chance)
        let above = x * p * (840 + 60 * x + 20 * x * x + x * x * x)
        let below =
          840 + 120 * x * (7 * p - 3) + 60 * x * x * (1 + p) + 4 * x * x * x * (5 * p - 1)
          + x * x * x * x * p
        hits += Double(object.rate) * (below == 0 ? 0 : min(1, max(0, above / below)))
      }
      return hits
    }
  }

  private func objects(_ count: Int, seed: UInt64) -> [Object] {
    var random = SeededGenerator(seed: seed)
    return (1...count).map { rank in
      let size = DeterministicMath.pow(10, 2 + 4 * random.nextUnit())
      return Object(
        rate: Float(0.5 + 20_000 / Double(rank) * random.nextUnit()), size: UInt32(size))
    }
  }

  @Test(arguments: zip([UInt64(1), 2], [0.01, 0.1]))
  func hitsMatchPaper(_ seed: UInt64, _ share: Double) {
    let objects = objects(2000, seed: seed)
    let footprint = objects.reduce(0) { $0 + Double($1.size) }
    let naive = Naive(capacity: footprint * share, objects: objects)
    let model = model(capacity: footprint * share, objects)
    var life: Double?
    for exponent in stride(from: 6.0, through: 26, by: 5) {
      let (own, expected) = (model.hits(exponent, near: &life), naive.hits(exponent))
      // Usually within 2 %; a few large popular objects contribute e to the power of their size.
      #expect(abs(own - expected) <= 0.1 * expected, "\(exponent): \(own), \(expected)")
    }
    let chosen = naive.hits(model.bestExponent())
    let best = stride(from: 6.0, through: 26, by: 4).map(naive.hits).max() ?? 0
    #expect(chosen >= 0.98 * best)
  }

  private func model(capacity: Double, _ objects: [Object]) -> AdaptSizeModel {
    var groups = AdaptSizeGroups()
    for object in objects { groups.add(rate: object.rate, size: object.size) }
    return AdaptSizeModel(capacity: capacity, groups: groups)
  }

  @Test(arguments: [1e-9, 1e-3, 1, 1e6, 1e11])
  func poorStartingPointChangesLittle(_ life: Double) {
    let objects = objects(500, seed: 3)
    let model = model(capacity: 1e6, objects)
    for exponent in stride(from: 6.0, through: 26, by: 5) {
      var (none, some): (Double?, Double?) = (nil, life)
      let (first, second) = (model.hits(exponent, near: &none), model.hits(exponent, near: &some))
      #expect(abs(first - second) <= 1e-3 * first, "\(exponent)")
    }
  }

  @Test func workingSetThatFitsAlwaysHits() {
    var life: Double?
    let model = model(capacity: 1e9, [Object(rate: 100, size: 10), Object(rate: 2, size: 20)])
    let hits = model.hits(20, near: &life)
    #expect(hits > 101 && hits <= 102)
    let nothing = self.model(capacity: 100, [Object(rate: 0, size: 10)])
    #expect(nothing.hits(10, near: &life) == 0)
  }

  @Test func extremesAreGrouped() {
    var groups = AdaptSizeGroups()
    for rate: Float in [0, 0.1, 1, 0x1p30, .greatestFiniteMagnitude] {
      for size: UInt32 in [0, 1, 1 << 20, .max] { groups.add(rate: rate, size: size) }
    }
    #expect(groups.means.reduce(0) { $0 + $1.objects } == 20)
    #expect(groups.means.contains { $0.size == Double(UInt32.max) })
  }
}
