import LarderEngine

/// One cache and one trace on which a rule is tried.
struct ContractTrial {
  var capacity: UInt64
  var unit: CapacityUnit
  /// The seed of the trace, and of the policy's random numbers.
  var seed: UInt64
  var trace: TestTrace

  /// A cache of a capacity, and a short random trace for it.
  init(
    _ features: TestTraceMaker.Features, capacity: UInt64, unit: CapacityUnit = .objects,
    seed: UInt64, for room: UInt64? = nil
  ) {
    var maker = TestTraceMaker(
      features: features, capacity: room ?? capacity, random: TestRandom(seed: seed))
    self.capacity = capacity
    self.unit = unit
    self.seed = seed
    trace = maker.make()
    if unit == .objects {
      for place in trace.requests.indices { trace.requests[place].size = 1 }
    }
  }

  /// A cache and a trace that is given.
  init(capacity: UInt64, unit: CapacityUnit = .objects, seed: UInt64, trace: TestTrace) {
    self.capacity = capacity
    self.unit = unit
    self.seed = seed
    self.trace = trace
  }
}
