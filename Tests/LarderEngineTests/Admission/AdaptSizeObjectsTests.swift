import Testing

@testable import LarderEngine

@Suite struct AdaptSizeObjectsTests {
  private struct Seen {
    var recent: Float = 0
    var before: Float = 0
    var size: UInt32 = 0
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func agreesWithADictionary(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = AdaptSizeObjects()
    var naive: [UInt32: Seen] = [:]
    for round in 0..<8 {
      for _ in 0..<4000 {
        let spread: UInt64 = round % 2 == 0 ? 3000 : 500
        let key = UInt32(random.next() % spread) &* (round < 4 ? 1 : 0x10_0000)
        let size = UInt32(random.next() % 1000)
        var request = Request(id: 1, size: size)
        request.fingerprint = key
        table.note(request)
        naive[key, default: Seen()].recent += 1
        naive[key]?.size = size
      }
      #expect(table.sizeSum == naive.values.reduce(0) { $0 + Double($1.size) })
      table.age()
      for (key, seen) in naive {
        let weighted = seen.before == 0 ? seen.recent : seen.before * 0.3 + seen.recent * 0.7
        naive[key] = weighted < 0.1 ? nil : Seen(recent: 0, before: weighted, size: seen.size)
      }
      #expect(table.sizeSum == naive.values.reduce(0) { $0 + Double($1.size) })
      var groups = AdaptSizeGroups()
      for seen in naive.values { groups.add(rate: seen.before, size: seen.size) }
      var (first, second): (Double?, Double?) = (nil, nil)
      let own = table.model(capacity: 50_000).hits(10, near: &first)
      let expected = AdaptSizeModel(capacity: 50_000, groups: groups).hits(10, near: &second)
      #expect(abs(own - expected) <= 1e-9 * expected, "\(round)")
    }
  }
}
