import Testing

@testable import LarderEngine

@Suite struct IDRingTests {
  /// The ring grows as it fills and shrinks when few entries are left, with holes and without; a
  /// word always holds the position of its id.
  @Test(arguments: [UInt64(1), 2, 3])
  func behavesAsAQueueThatGrowsAndShrinks(seed: UInt64) {
    let objects = 3_000
    let words = Column<UInt32>(objects: objects)
    var ring = IDRing(capacity: 0)
    var queue: [ObjectID] = []
    var free = (1...ObjectID(objects)).map { $0 }
    var random = TestRandom(seed: seed)
    for round in 0..<6 {
      let target = round % 2 == 0 ? objects - 10 : 40
      for _ in 0..<6_000 {
        if queue.count < target, let id = free.popLast() {
          words[id] = 1 << 31 | ring.push(id, words)
          queue.append(id)
        } else if random.below(4) == 0, !queue.isEmpty {
          let id = queue.remove(at: random.below(queue.count))
          ring.remove(at: words[id] & (IDRing.positionLimit - 1))
          free.append(id)
        } else if !queue.isEmpty {
          let id = queue.removeFirst()
          let popped = ring.popOldest()
          #expect(popped == id)
          free.append(id)
        }
        let count = ring.count
        #expect(count == queue.count)
      }
      let most = target < 100 ? 16 * 64 : 4 * 8_192
      let bytes = ring.bytes
      #expect(bytes <= most, "for \(queue.count) ids")
    }
    for id in queue {
      let popped = ring.popOldest()
      #expect(popped == id)
    }
    let last = ring.popOldest()
    #expect(last == .none)
  }
}
