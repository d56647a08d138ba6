import LarderEngine
import Testing

struct SeededGeneratorTests {
  @Test func numbersDependOnlyOnSeed() {
    var first = SeededGenerator(seed: 7)
    var second = SeededGenerator(seed: 7)
    var other = SeededGenerator(seed: 8)
    let numbers = (0..<100).map { _ in first.next() }
    #expect(numbers == (0..<100).map { _ in second.next() })
    #expect(numbers != (0..<100).map { _ in other.next() })
  }

  @Test func seedZeroSequenceIsStable() {
    var random = SeededGenerator(seed: 0)
    let expected: [UInt64] = [
      11_091_344_671_253_066_420, 13_793_997_310_169_335_082, 1_900_383_378_846_508_768,
    ]
    #expect(expected.map { _ in random.next() } == expected)
  }

  @Test func boundedNumbersAreUniform() {
    var random = SeededGenerator(seed: 3)
    var counts = [Int](repeating: 0, count: 10)
    for _ in 0..<100_000 { counts[Int(random.next(below: 10))] += 1 }
    // Chi-square with 9 degrees of freedom: 27.9 is exceeded once in a thousand.
    let chiSquare = counts.reduce(0.0) { $0 + Double(($1 - 10_000) * ($1 - 10_000)) / 10_000 }
    #expect(chiSquare < 27.9)
  }

  @Test func unitNumbersStayBelowOne() {
    var random = SeededGenerator(seed: 5)
    var sum = 0.0
    for _ in 0..<10_000 {
      let value = random.nextUnit()
      #expect(value >= 0 && value < 1)
      sum += value
    }
    #expect(abs(sum / 10_000 - 0.5) < 0.01)
  }
}
