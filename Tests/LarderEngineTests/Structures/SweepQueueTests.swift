import Testing

@testable import LarderEngine

@Suite struct SweepQueueTests {
  @Test func removalsDoNotMakeTheRingGrow() throws {
    let probe = try ContractSpecs.probe("sieve", capacity: 1000, objects: 64)
    let bytes = probe.stateBytes
    for number in 0..<100_000 {
      #expect(probe.request(Request(id: ObjectID(number % 60 + 1))) == .stored(evicted: []))
      if number >= 10 { probe.remove(ObjectID((number - 10) % 60 + 1)) }
    }
    #expect(probe.stateBytes <= bytes)
    #expect(probe.used == 10)
  }

  /// Objects are pushed, marked, removed and taken; the list has a hand at an index.
  @Test(arguments: [UInt64(1), 2, 3])
  func behavesAsAListWithAHand(seed: UInt64) {
    let objects = 500
    var queue = SweepQueue(objects: objects, capacity: 0)
    var random = TestRandom(seed: seed)
    var (list, hand): ([(id: ObjectID, isMarked: Bool)], Int) = ([], 0)
    var free = (1...ObjectID(objects)).map { $0 }
    func pass(_ count: Int) { hand = hand + count < list.count ? hand + count : 0 }
    for step in 0..<40_000 {
      let most = step / 8_000 % 2 == 0 ? objects - 50 : 20
      let place = random.below(max(list.count, 1))
      switch random.below(10) {
      case 0...3 where list.count < most:
        let id = free.removeLast()
        queue.push(id)
        list.append((id, false))
      case 4...6 where !list.isEmpty:
        list[place].isMarked = true
        queue.setMark(list[place].id)
      case 7 where !list.isEmpty:
        let id = list.remove(at: place).id
        hand -= place < hand ? 1 : 0
        pass(0)
        queue.remove(id)
        free.append(id)
      case 8... where !list.isEmpty:
        while list[hand].isMarked {
          list[hand].isMarked = false
          pass(1)
        }
        let id = list.remove(at: hand).id
        pass(0)
        let popped = queue.popUnmarked()
        #expect(popped == id)
        free.append(id)
      default: break
      }
    }
  }
}
