import Testing

@testable import LarderEngine

@Suite struct DistanceGridTests {
  @Test(arguments: [0, 1, 2, 3, 7, 50])
  func countsAtSmallestSufficientCapacity(_ count: Int) {
    var random = TestRandom(seed: UInt64(count))
    var capacities = (0..<count).map { _ in UInt64(random.below(100)) }
    capacities.sort()
    var grid = DistanceCounts(capacities: capacities, depths: 0)
    let depths = (0..<500).map { _ in UInt64(random.below(120)) }
    for depth in depths { grid.count(depth) }
    #expect(
      grid.cumulative()
        == capacities.map { capacity in
          UInt64(depths.count { $0 <= capacity })
        })
  }

  @Test func heapReturnsLargestFirst() {
    var random = TestRandom(seed: 3)
    var heap = MaxHeap<UInt32>()
    var model: [UInt32] = []
    for _ in 0..<5000 {
      if random.oneIn(3), let largest = model.max() {
        #expect(heap.largest == largest)
        heap.removeLargest()
        model.remove(at: model.firstIndex(of: largest) ?? 0)
      } else {
        let element = UInt32(random.below(1000))
        heap.insert(element)
        model.append(element)
      }
      #expect(heap.count == model.count && heap.isEmpty == model.isEmpty)
    }
  }
}
