import Testing

@testable import LarderEngine

@Suite struct GhostPlacesTests {
  /// A queue and its named contents, from the oldest to the newest.
  private struct Model: ~Copyable {
    var queue = GhostPlaces(places: 0)
    var names: [Int] = []
    var places: [Int: UInt32] = [:]

    mutating func repack(to count: Int) {
      var moved: [(UInt32, UInt32)] = []
      let isSame = count == Int(queue.places)
      queue.repack(places: UInt32(count)) { moved.append(($0, $1)) }
      for (old, new) in moved {
        guard let name = places.first(where: { $0.value == old })?.key else { continue }
        // Callers that store data by slot move it at once.
        let isFree = !places.values.contains(new)
        #expect(!isSame || isFree)
        places[name] = new
      }
      if !isSame { renumber() }
    }

    mutating func renumber() {
      for (number, name) in names.enumerated() { places[name] = UInt32(number) }
    }
  }

  @Test(arguments: [1, 4, 63, 64, 65, 200], [UInt64(1), 2])
  func behavesAsAQueueWithHoles(count: Int, seed: UInt64) {
    var model = Model()
    var random = TestRandom(seed: seed)
    model.repack(to: count)
    var next = 0
    for _ in 0..<4_000 {
      switch random.below(5) {
      case 0...2:
        if model.queue.isFull {
          let places = Int(model.queue.places)
          #expect(model.names.count <= places)
          model.repack(to: model.names.count < count ? count : count * 2)
          if model.queue.isFull { continue }
        }
        let place = model.queue.push()
        let isTwice = model.places.values.contains(place)
        #expect(!isTwice)
        model.names.append(next)
        model.places[next] = place
        next += 1
      case 3 where !model.names.isEmpty:
        let name = model.names.remove(at: random.below(model.names.count))
        guard let place = model.places.removeValue(forKey: name) else { continue }
        let isTaken = model.queue.isTaken(place)
        #expect(isTaken)
        model.queue.remove(at: place)
      case 4 where !model.names.isEmpty:
        let name = model.names.removeFirst()
        let (popped, expected) = (model.queue.popOldest(), model.places.removeValue(forKey: name))
        #expect(popped == expected)
      default: break
      }
      let (held, known) = (Int(model.queue.count), model.names.count)
      #expect(held == known)
      if model.names.count < count, model.queue.places > count { model.repack(to: count) }
    }
    #expect(next > 1_000)
  }
}
