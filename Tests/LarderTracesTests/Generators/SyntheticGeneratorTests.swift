import Testing

@testable import LarderTraces

/// Purpose of each synthetic generator.
struct SyntheticGeneratorTests {
  private func keys(_ text: String, requests: Int, seed: UInt64 = 1) throws -> [UInt64] {
    try Generated.records(text, requests: requests, seed: seed).map(\.key)
  }

  private func share(_ keys: [UInt64], where isCounted: (UInt64) -> Bool) -> Double {
    Double(keys.filter(isCounted).count) / Double(keys.count)
  }

  @Test func sequentialNeverRepeats() throws {
    #expect(try keys("sequential", requests: 5000) == Array(0..<5000))
    #expect(try keys("sequential:each=3", requests: 8) == [0, 0, 0, 1, 1, 1, 2, 2])
  }

  @Test func loopRepeats() throws {
    #expect(try keys("loop:objects=3", requests: 8) == [0, 1, 2, 0, 1, 2, 0, 1])
    #expect(try keys("loop:objects=1", requests: 3) == [0, 0, 0])
  }

  @Test func zipfFavoursLowKeysUnlessScattered() throws {
    let keys = try keys("zipf:objects=1000", requests: 50_000)
    // 1 / H(1000) = 0.1336.
    #expect(abs(share(keys) { $0 == 0 } - 0.1336) < 0.005)
    let scattered = try self.keys("zipf:objects=1000:scatter=true", requests: 50_000)
    let counts = Dictionary(grouping: scattered, by: { $0 }).mapValues(\.count)
    #expect(scattered.allSatisfy { $0 < 1000 })
    let first = counts.max { $0.value < $1.value }
    #expect(abs(Double(first?.value ?? 0) / 50_000 - 0.1336) < 0.005)
    #expect(first?.key != 0)
  }

  @Test(arguments: [1, 2, 3, 5, 64, 1000, 4097]) func scatteringIsABijection(count: Int) {
    let permutation = Permutation(count: count, seed: 7)
    let images = Set((0..<UInt64(count)).map { permutation($0) })
    #expect(images.count == count && images.allSatisfy { $0 < UInt64(count) })
  }

  @Test func scanInterruptsAHotSet() throws {
    let keys = try keys("scan:objects=100:cold=1000:share=30%:length=50", requests: 200_000)
    let cold = keys.filter { $0 >= 100 }
    #expect(abs(Double(cold.count) / 200_000 - 0.3) < 0.03)
    // Cold objects come in order, in a circle.
    #expect(zip(cold, cold.dropFirst()).allSatisfy { $1 == ($0 == 1099 ? 100 : $0 + 1) })
    #expect(try self.keys("scan:objects=10:share=0", requests: 1000).allSatisfy { $0 < 10 })
    #expect(try self.keys("scan:objects=10:share=1", requests: 1000).allSatisfy { $0 >= 10 })
  }

  @Test func shiftingSetMovesOn() throws {
    let text = "shifting:objects=1000:working-set=100:every=500:step=30:exponent=0"
    let keys = try keys(text, requests: 40_000)
    for phase in 0..<80 {
      let start = UInt64(30 * phase)
      let present = Set(keys[500 * phase..<500 * (phase + 1)])
      let expected = Set((start..<start + 100).map { $0 % 1000 })
      #expect(present.isSubset(of: expected) && present.count > 95)
    }
    #expect(
      Generated.message {
        _ = try Generated.source(
          try Generated.spec("shifting:objects=10:working-set=11", requests: 1))
      } == "shifting: working-set: expected at most objects (10), found '11'")
  }

  @Test func oneHitWondersOccurOnce() throws {
    let keys = try keys("one-hit-wonders:objects=100:share=25%", requests: 40_000)
    let wonders = keys.filter { $0 >= 100 }
    #expect(Set(wonders).count == wonders.count)
    #expect(abs(Double(wonders.count) / 40_000 - 0.25) < 0.01)
    #expect(try self.keys("one-hit-wonders:share=1", requests: 1000).allSatisfy { $0 >= 100_000 })
  }
}
