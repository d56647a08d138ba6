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

  @Test func orderSurvivesTheClosingOfHoles() {
    var random = SeededGenerator(seed: 4)
    var queue = SweepQueue(objects: 500, capacity: 8)
    // Oldest first, with the position of the hand.
    var list: [(id: ObjectID, isMarked: Bool)] = []
    var hand = 0
    for _ in 0..<20_000 {
      let id = ObjectID(1 + random.next(below: 500))
      let place = list.firstIndex { $0.id == id }
      #expect(queue.contains(id) == (place != nil))
      switch (random.next(below: 8), place) {
      case (0...3, nil):
        queue.push(id)
        list.append((id, false))
      case (4...6, let place?):
        queue.remove(id)
        list.remove(at: place)
        if place < hand { hand -= 1 }
        if hand == list.count { hand = 0 }
      case (7, let place?):
        queue.setMark(id)
        list[place].isMarked = true
      case (7, nil) where !list.isEmpty:
        while list[hand].isMarked {
          list[hand].isMarked = false
          hand = (hand + 1) % list.count
        }
        #expect(queue.popUnmarked() == list.remove(at: hand).id)
        if hand == list.count { hand = 0 }
      default: break
      }
    }
  }
}
