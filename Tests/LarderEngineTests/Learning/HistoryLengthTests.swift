import LarderContracts
import LarderEngine
import Testing

@testable import LarderResearchModels

@Suite struct HistoryLengthTests {
  @Test(arguments: [(300, 40), (500, 4), (0, 100), (0, 0), (100, 600), (900, 20), (10, 1)])
  func growsLikeModel(hits: Int, ghosts: Int) {
    var random = TestRandom(seed: 9)
    var history = HistoryLength()
    var model = NaiveHistory()
    for _ in 0..<5 {
      // It takes some requests before an object can be forgotten.
      for isFull in [false, true] {
        if isFull { (history.isFull, model.isFull) = (true, true) }
        for _ in 0..<(isFull ? 1_000_001 : 10) {
          let draw = random.below(1000)
          history.note(isHit: draw < hits, isKnown: draw < hits + ghosts)
          model.note(isHit: draw < hits, isKnown: draw < hits + ghosts)
        }
      }
      history.adapt()
      model.adapt()
      #expect(history.evictedMax(residents: 100) == 100 * (model.multiple - 1) + 2)
      #expect(history.isFull == model.isFull)
    }
    #expect(model.multiple <= HistoryLength.most)
  }
}

/// The rule of 3L-Cache's authors, written anew.
private struct NaiveHistory {
  var multiple = 2
  var requests = 0
  var hits = 0
  var found = 0
  var isFull = false

  mutating func note(isHit: Bool, isKnown: Bool) {
    guard isFull else { return }
    requests += 1
    hits += isHit ? 1 : 0
    found += isKnown ? 1 : 0
  }

  mutating func adapt() {
    guard requests > 1_000_000, isFull else { return }
    let gain = Double(found - hits) / (Double(hits) * Double(multiple - 1))
    if gain > 0.01 {
      if multiple - 1 < (requests - hits) / (found - hits) {
        multiple += 1
        isFull = false
      }
      multiple = min(multiple, 6)
    }
    (requests, hits, found) = (0, 0, 0)
  }
}
