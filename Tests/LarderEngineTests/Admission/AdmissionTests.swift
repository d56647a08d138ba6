import LarderPolicies
import Testing

@testable import LarderEngine

/// Admission filters in front of policies: their decisions and the counts of rejections.
@Suite struct AdmissionTests {
  private func counts(
    _ admission: String?, policy: String = "lru", capacity: UInt64, unit: CapacityUnit = .bytes,
    _ trace: TestTrace
  ) throws -> Counts {
    let setup = TierSetup(
      policy: try PolicySpec(parsing: policy), capacity: capacity,
      admission: try admission.map { try PolicySpec(parsing: $0) })
    let columns = trace.columns(sparse: true)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: .memory(setup), unit: unit, seed: 3), over: columns)
    simulation.run(upTo: columns.count, untilFirstEviction: false)
    return simulation.counts
  }

  private var skewed: TestTrace {
    var random = SeededGenerator(seed: 9)
    return TestTrace(requests: 4000, objects: 400, sized: true, &random)
  }

  @Test(arguments: AdmissionRegistry.all.map(\.description.name))
  func everyRequestIsAHitAnAdmissionOrARejection(name: String) throws {
    let counts = try counts(name, capacity: 200, skewed)
    #expect(counts.hits + counts.memory.admissions + counts.memory.rejections == counts.requests)
    #expect(try self.counts(name, capacity: 200, skewed) == counts)
  }

  @Test func alwaysIsNoFilter() throws {
    #expect(try counts("always", capacity: 200, skewed) == counts(nil, capacity: 200, skewed))
  }

  @Test func sizeThresholdRejectsLargerObjects() throws {
    let trace = TestTrace(ids: [1, 2, 1, 2], sizes: [3, 4, 3, 4])
    let counts = try counts("size:max=3", capacity: 100, trace)
    #expect(counts.hits == 1)
    #expect(counts.memory.rejections == 2)
  }

  @Test func secondHitAdmitsSecondRequest() throws {
    let trace = TestTrace(ids: [1, 2, 1, 1, 3], sizes: [1, 1, 1, 1, 1])
    let counts = try counts("second-hit", capacity: 100, trace)
    #expect(counts.hits == 1)
    #expect(counts.memory.admissions == 1)
    #expect(counts.memory.rejections == 3)
  }

  @Test func tinyLFUProtectsPopularObject() throws {
    let trace = TestTrace(
      ids: [1, 1, 1, 2, 1, 3, 1, 4, 1], sizes: [UInt32](repeating: 1, count: 9))
    let counts = try counts("tinylfu", capacity: 1, unit: .objects, trace)
    #expect(counts.hits == 5)
    #expect(counts.memory.rejections == 3)
  }

  @Test func tinyLFUNeedsAPolicyThatKnowsItsVictim() throws {
    let error = #expect(throws: PolicyError.self) {
      try counts("tinylfu", policy: "clock", capacity: 1, skewed)
    }
    #expect("\(try #require(error))".contains("'clock'"))
  }

  @Test func probabilityOneStoresEverything() throws {
    let all = try counts(nil, capacity: 200, skewed)
    #expect(try counts("probabilistic:p=1", capacity: 200, skewed) == all)
    #expect(try counts("probabilistic:p=0.2", capacity: 200, skewed).memory.rejections > 0)
  }

  /// Large objects are requested once, small ones repeatedly: the filter learns to reject large
  /// ones.
  @Test func adaptSizeLearnsToRejectLargeObjects() throws {
    var random = SeededGenerator(seed: 5)
    var ids: [ObjectID] = []
    var sizes: [UInt32] = []
    for index in 0..<30_000 {
      if index % 2 == 0 {
        ids.append(1 + ObjectID(random.next(below: 100)))
        sizes.append(10)
      } else {
        ids.append(ObjectID(1000 + index))
        sizes.append(900)
      }
    }
    let trace = TestTrace(ids: ids, sizes: sizes)
    let without = try counts(nil, capacity: 2000, trace)
    let with = try counts("adaptsize:interval=2000", capacity: 2000, trace)
    #expect(with.hits > without.hits * 2)
  }

  @Test(arguments: [
    "secondhit", "size:min=3", "probabilistic:p=2", "second-hit:error=1", "adaptsize:interval=x",
  ])
  func invalidFiltersAreRejected(spec: String) {
    #expect(throws: PolicyError.self) { try counts(spec, capacity: 10, skewed) }
  }

  /// Sizes are negligible next to the capacity, so the bytes seen never trigger a search.
  @Test func adaptSizeForgetsByCount() throws {
    let filter = try AdaptSize(
      AdmissionSetup(
        capacity: 1 << 50, unit: .bytes, spec: try PolicySpec(parsing: "adaptsize"), parts: 1024))
    var largest = 0
    for number in 1...60_000 {
      var request = Request(id: 1, size: 1)
      request.fingerprint = UInt32(number)
      filter.requested(request)
      largest = max(largest, filter.stateBytes)
    }
    #expect(largest <= 16 << 14)
  }
}
