import Testing

@testable import LarderEngine

@Suite struct RecencyOrderTests {
  @Test func bitsCountLikeAnArray() { check(RecencyBits.self, room: 3000, steps: 20_000) }

  @Test func weightsAddUpLikeAnArray() { check(RecencyWeights.self, room: 3000, steps: 20_000) }

  @Test func bitsCountAcrossSections() { checkWide(RecencyBits.self, room: 5 << 20) }

  @Test func weightsAddUpAcrossSections() { checkWide(RecencyWeights.self, room: 5 << 19) }

  private func check<Order: RecencyOrder & ~Copyable>(
    _ type: Order.Type, room: Int, steps: Int
  ) {
    var random = TestRandom(seed: 7)
    var order = Order(room: room)
    var model: [UInt32?] = []
    for step in 0..<steps {
      if order.isFull {
        #expect(model.count >= room)
        order.makeRanks()
        let live = model.indices.filter { model[$0] != nil }
        for (rank, position) in live.enumerated() {
          #expect(order.rank(UInt32(position)) == UInt32(rank))
        }
        order.renumber(room: room)
        model = live.map { model[$0] }
      }
      let live = model.indices.suffix(50).filter { model[$0] != nil }
      if random.oneIn(2), !live.isEmpty {
        let position = random.oneIn(3) ? firstLive(model) : random.pick(live)
        let weight = model[position] ?? 0
        if Order.weighs, weight > 1, random.oneIn(3) {
          order.lighten(UInt32(position), by: 1)
          model[position] = weight - 1
        } else {
          order.remove(UInt32(position))
          model[position] = nil
        }
      } else {
        let weight = Order.weighs ? UInt32(random.below(20)) : 1
        #expect(order.append(weight) == UInt32(model.count))
        model.append(weight)
      }
      guard step % 64 == 0 else { continue }
      var sum: UInt64 = 0
      for (position, weight) in model.enumerated() {
        if let weight {
          #expect(order.before(UInt32(position)) == sum)
          #expect(order.weight(UInt32(position)) == weight)
        }
        sum += UInt64(weight ?? 0)
      }
      #expect(order.total == sum)
    }
  }

  private func firstLive(_ model: [UInt32?]) -> Int { model.firstIndex { $0 != nil } ?? 0 }

  private func checkWide<Order: RecencyOrder & ~Copyable>(_ type: Order.Type, room: Int) {
    var order = Order(room: room)
    for _ in 0..<room { _ = order.append(1) }
    var removed = 0
    // Across the borders of all parts, from the end and from the start.
    for position in stride(from: 63, to: room, by: 65_535) {
      #expect(order.before(UInt32(position)) == UInt64(position - removed))
      order.remove(UInt32(position))
      removed += 1
    }
    #expect(order.total == UInt64(room - removed))
    #expect(order.before(UInt32(room - 1)) == UInt64(room - 1 - removed))
    #expect(order.before(0) == 0)
  }
}
