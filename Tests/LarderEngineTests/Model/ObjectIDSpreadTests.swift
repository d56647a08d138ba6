import LarderEngine
import Testing

@Suite struct ObjectIDSpreadTests {
  @Test func spreadIsInvertible() {
    let ids = Array(0...10_000 as ClosedRange<ObjectID>) + [1 << 20, 1 << 31, .max - 1, .max]
    for id in ids { #expect(ObjectID(spread: id.spread) == id) }
    #expect(Set(ids.map(\.spread)).count == ids.count)
    // Not the ids themselves: half of all keys are in the upper half of the numbers.
    let upper = ids.count { $0.spread > UInt64.max / 2 }
    #expect(abs(upper - ids.count / 2) < 300)
  }
}
