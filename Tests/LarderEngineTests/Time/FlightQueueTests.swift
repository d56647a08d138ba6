import Testing

@testable import LarderEngine

@Suite struct FlightQueueTests {
  @Test(arguments: [1, 3, 1000])
  func fetchesEndInOrder(latencies: Int) {
    var random = SeededGenerator(seed: 5)
    var queue = FlightQueue()
    var expected: [Flight] = []
    for order in 0..<20_000 {
      let end = UInt64(order) / 4 + random.next() % UInt64(latencies)
      let flight = Flight(
        completion: end, order: UInt64(order), index: 0, id: 1, stores: true, isRead: false)
      queue.add(flight)
      expected.append(flight)
      while queue.count > 0, queue.nextCompletion <= UInt64(order) / 4 {
        let next = expected.indices.max { expected[$0] < expected[$1] }
        let place = next ?? 0
        #expect(queue.takeNext().order == expected.remove(at: place).order)
      }
      #expect(queue.count == expected.count)
    }
    for flight in expected.sorted(by: >) {
      #expect(queue.takeNext().order == flight.order)
    }
    #expect(queue.count == 0 && queue.nextCompletion == .max)
  }

  @Test func waitsAreCountedExactly() {
    var random = SeededGenerator(seed: 7)
    var counts = WaitCounts()
    var waits: [UInt64] = []
    for _ in 0..<5000 {
      let wait = random.next() % 3000
      waits.append(wait)
      if wait > 0 { counts.add(wait) }
    }
    waits.sort()
    #expect(counts.total == waits.reduce(0, +))
    let places = [0.5, 0.9, 0.99, 1].map { waits[Int(($0 * 5000).rounded(.up)) - 1] }
    #expect(counts.percentiles([0.5, 0.9, 0.99, 1], of: 5000) == places)
    #expect(WaitCounts().percentiles([0.5], of: 0) == [0])
    counts.add(.max)
    #expect(counts.total == .max)
  }

  @Test func invalidFetchModelsAreRejected() {
    #expect(throws: PolicyError.self) { try FetchModel(latencies: []) }
    #expect(throws: PolicyError.self) { try FetchModel(latencies: [FetchModel.latencyMax + 1]) }
    #expect(throws: PolicyError.self) { try FetchModel(latencies: [1], bytesPerSecond: 0) }
    for servers in [0, -1, Int.min, Int.max] {
      #expect(throws: PolicyError.self) { try FetchModel(latencies: [1], servers: servers) }
    }
  }
}
