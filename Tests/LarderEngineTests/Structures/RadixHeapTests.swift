import Testing

@testable import LarderEngine

@Suite struct RadixHeapTests {
  private struct Entry {
    var key: UInt64
    var order: UInt32
  }

  /// Sequences of keys: above a floor that victims raise, few or many of them, and arbitrary ones.
  enum Keys: CaseIterable {
    case few, many, any
  }

  @Test(arguments: Keys.allCases)
  func popsSmallest(_ keys: Keys) {
    for seed in 0..<40 {
      var random = SeededGenerator(seed: UInt64(seed))
      var heap = RadixHeap(objects: 300)
      var model: [ObjectID: Entry] = [:]
      var floor: UInt64 = 0
      var order: UInt32 = seed % 4 == 0 ? .max - 1500 : 0
      let most = 1 + Int(random.next(below: 300))
      for _ in 0..<4000 {
        let id = ObjectID(1 + random.next(below: UInt64(most)))
        let key =
          switch keys {
          case .few: floor + random.next(below: 4)
          case .many: floor + random.next(below: 1 << (random.next(below: 40)))
          case .any: random.next(below: 1 << (1 + random.next(below: 60)))
          }
        order &+= 1
        #expect(heap.contains(id) == (model[id] != nil))
        switch random.next(below: 8) {
        case 0...3:
          if model[id] == nil {
            heap.insert(id, key: key, order: order)
          } else {
            heap.update(id, key: key, order: order)
          }
          model[id] = Entry(key: key, order: order)
        case 4:
          if model[id] != nil { heap.remove(id) }
          model[id] = nil
        case 5:
          #expect(heap.minimum() == Self.least(of: model), "seed \(seed)")
        default:
          let least = Self.least(of: model)
          guard let entry = model.removeValue(forKey: least) else { continue }
          let (id, key) = heap.popMinimum()
          #expect(id == least && key == entry.key, "seed \(seed)")
          floor = key
        }
        #expect(heap.count == model.count)
      }
    }
  }

  @Test func aQueueDoesNotGrow() {
    var heap = RadixHeap(objects: 100)
    for id: ObjectID in 1...100 { heap.insert(id, key: 7, order: UInt32(id)) }
    var bytes = 0
    for order: UInt32 in 101...100_000 {
      let (id, key) = heap.popMinimum()
      #expect(id == (order - 1) % 100 + 1 && key == 7)
      heap.insert(id, key: 7, order: order)
      if order == 1000 { bytes = heap.bytes }
    }
    #expect(heap.bytes == bytes)
  }

  private static func least(of model: [ObjectID: Entry]) -> ObjectID {
    let least = model.min { a, b in
      a.value.key != b.value.key ? a.value.key < b.value.key : a.value.order < b.value.order
    }
    return least?.key ?? .none
  }
}
