import LarderEngine
import LarderExperiments
import LarderTraces

/// Properties of every trace that was read from any source.
enum TraceProperties {
  /// Reads a file, unless it is rejected, and checks the trace.
  static func check(path: String, format: ComponentSpec?) throws {
    let trace = try accepted(or: TraceError.self, ComponentError.self, TooLong.self) {
      // One line of some formats expands to millions of requests.
      try PreparedTrace.load(path: path, format: format, progress: { _ in throw TooLong() })
    }
    guard let trace else { return }
    try columns(of: trace)
    for note in trace.notes { try require(!note.isEmpty, "an empty note") }
    try roundTrip(trace)
    try simulations(of: trace)
  }

  /// A trace of more than a million requests, which takes too long to check.
  private struct TooLong: Error {}

  /// Checks that ids are in range, times in order and costs finite, and that the footprint is the
  /// sum of the sizes of objects when they can first be stored.
  private static func columns(of trace: PreparedTrace) throws {
    let requests = trace.requests
    try require(requests.count > 0, "no requests")
    try require(requests.objects <= requests.count, "more objects than requests")
    var seen: Set<ObjectID> = []
    var storable: Set<ObjectID> = []
    var footprint: UInt64 = 0
    var time: UInt64 = 0
    for index in 0..<requests.count {
      let id = requests.ids[index]
      try require(id >= 1 && id <= requests.objects, "id \(id) of \(requests.objects) objects")
      seen.insert(id)
      let operation = requests.operations.flatMap { Operation(rawValue: $0[index]) } ?? .get
      if operation == .get || operation == .set, storable.insert(id).inserted {
        footprint &+= UInt64(requests.sizes?[index] ?? 1)
      }
      if let times = requests.times {
        try require(times[index] >= time, "times decrease at request \(index)")
        time = times[index]
      }
      if let cost = requests.costs?[index] {
        try require(cost >= 0 && cost.isFinite, "request \(index) costs \(cost)")
      }
    }
    // A prepared trace may have objects without requests.
    if seen.count == requests.objects {
      try require(
        trace.footprintBytes == footprint,
        "a footprint of \(trace.footprintBytes), not \(footprint)")
    }
  }

  private static func roundTrip(_ trace: PreparedTrace) throws {
    let path = FuzzScratch.path("again.larder")
    try TraceWriter.larder.write(trace, to: path)
    let again = try PreparedTrace.load(path: path, format: ComponentSpec(name: "larder"))
    let (old, new) = (trace.requests, again.requests)
    try require(
      old.count == new.count && old.objects == new.objects
        && trace.footprintBytes == again.footprintBytes
        && trace.sampling.rate == again.sampling.rate,
      "facts differ once written and read again")
    func same<Element: Equatable>(
      _ left: UnsafePointer<Element>?, _ right: UnsafePointer<Element>?, _ name: String
    ) throws {
      let isSame =
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): (0..<old.count).allSatisfy { left[$0] == right[$0] }
        default: false
        }
      try require(isSame, "\(name) differ once written and read again")
    }
    try same(old.ids, new.ids, "ids")
    try same(old.sizes, new.sizes, "sizes")
    try same(old.times, new.times, "times")
    try same(old.operations, new.operations, "operations")
    try same(old.ttls, new.ttls, "TTLs")
    try same(old.costs, new.costs, "costs")
    try same(trace.prompts, again.prompts, "prompts")
  }

  /// Checks that the counts of a few policies add up.
  private static func simulations(of trace: PreparedTrace) throws {
    for (policy, unit) in [("lru", CapacityUnit.bytes), ("gdsf", .bytes), ("s3-fifo", .objects)] {
      let whole = unit == .bytes ? trace.footprintBytes : UInt64(trace.requests.objects)
      let tier = TierSetup(
        policy: try PolicySpec(parsing: policy),
        capacity: min(max(1, whole / 3), PolicySetup.capacityMax))
      try SimulationProperties.check(
        SimulationSetup(arrangement: .memory(tier), unit: unit), over: trace.requests)
    }
  }
}
