import LarderEngine

/// Evicts a random object. The last one moves to its index, as in the engine, so that a random
/// number selects the same object.
struct NaiveRandom: NaivePolicy {
  var residents: [ObjectID] = []
  var random: SeededGenerator

  func contains(_ id: ObjectID) -> Bool { residents.contains(id) }
  mutating func hit(_ request: Request) {}
  mutating func evict() -> ObjectID {
    residents.fill(hole: Int(random.next(below: UInt64(residents.count))))
  }
  mutating func insert(_ request: Request) { residents.append(request.id) }
  mutating func remove(_ id: ObjectID) {
    if let place = residents.firstIndex(of: id) { residents.fill(hole: place) }
  }
}

extension Array {
  @discardableResult
  mutating func fill(hole place: Int) -> Element {
    let element = self[place]
    self[place] = self[count - 1]
    removeLast()
    return element
  }
}
