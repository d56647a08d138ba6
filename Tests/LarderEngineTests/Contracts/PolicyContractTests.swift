import LarderEngine
import Testing

/// What `EvictionPolicy` promises, for every registered policy.
@Suite struct PolicyContractTests {
  @Test(arguments: ContractSpecs.varied, [CapacityUnit.objects, .bytes])
  func residencyIsAccountedFor(spec: String, unit: CapacityUnit) throws {
    for seed in 0..<150 as Range<UInt64> {
      let capacity = 1 + seed % 17
      let features = TestTraceMaker.Features(rawValue: Int(seed % 16))
      var trace = ContractSpecs.trace(features, capacity: capacity, seed: seed)
      if unit == .objects {
        for place in trace.requests.indices { trace.requests[place].size = 1 }
      }
      let problem = try Self.problem(spec, capacity, unit, trace)
      guard problem != nil else { continue }
      let smallest = try trace.shrunk { try Self.problem(spec, capacity, unit, $0) != nil }
      let found = try Self.problem(spec, capacity, unit, smallest) ?? "?"
      Issue.record("\(spec) \(capacity) \(unit): \(found) after\n\(smallest)")
      return
    }
  }

  private static func problem(
    _ spec: String, _ capacity: UInt64, _ unit: CapacityUnit, _ trace: TestTrace
  ) throws -> String? {
    var probe = try ShadowedProbe(
      spec, capacity: capacity, unit: unit, objects: trace.objects, seed: 3)
    let nextUses = trace.nextUses
    for (index, line) in trace.requests.enumerated() {
      let request = ContractSpecs.request(trace, index, nextUses)
      if let problem = probe.step(line, request) { return problem }
    }
    return nil
  }

  /// An object that is stored while there is room, and removed at once, might never have been,
  /// unless the policy says that it learns.
  @Test(arguments: ContractSpecs.forgetting)
  func removalLeavesNoTrace(spec: String) throws {
    for seed in 0..<60 as Range<UInt64> {
      let trace = ContractSpecs.trace([], capacity: 9, seed: seed)
      let extra = ObjectID(trace.objects + 1)
      let probes = try (0..<2).map { _ in
        try ContractSpecs.probe(spec, capacity: 9, objects: trace.objects + 1)
      }
      let nextUses = trace.nextUses
      for index in trace.requests.indices {
        if probes[0].used < 9 {
          #expect(probes[0].request(Request(id: extra)) == .stored(evicted: []))
          probes[0].remove(extra)
          #expect(!probes[0].contains(extra) && !probes[0].remembers(extra))
        }
        let request = ContractSpecs.request(trace, index, nextUses)
        // Make room now and then, so that the visitor is seen in a cache that has evicted, too.
        if index % 7 == 6 { for probe in probes { probe.remove(request.id) } }
        try #require(
          probes[0].request(request) == probes[1].request(request), "request \(index) of\n\(trace)")
      }
    }
  }

  /// A ghost that is removed is forgotten, and is a stranger when it comes back.
  @Test(arguments: ContractSpecs.varied)
  func removedGhostsAreForgotten(spec: String) throws {
    let probe = try ContractSpecs.probe(spec, capacity: 10, objects: 200)
    for id in 1...100 as ClosedRange<ObjectID> { _ = probe.request(Request(id: id)) }
    let known = (1...100 as ClosedRange<ObjectID>).filter { probe.remembers($0) }
    #expect(known.count >= 10)
    for id in known { probe.remove(id) }
    #expect(!(1...200 as ClosedRange<ObjectID>).contains { probe.remembers($0) })
    #expect(probe.used == 0)
    let fresh = try ContractSpecs.probe(spec, capacity: 10, objects: 200)
    for id in 101...110 as ClosedRange<ObjectID> {
      #expect(probe.request(Request(id: id)) == fresh.request(Request(id: id)))
    }
  }

  @Test(arguments: ContractSpecs.varied)
  func growingIdsChangeNothing(spec: String) throws {
    for seed in 0..<40 as Range<UInt64> {
      let trace = ContractSpecs.trace([.sizes, .costs], capacity: 12, seed: seed)
      let whole = try ContractSpecs.probe(
        spec, capacity: 12, unit: .bytes, objects: trace.objects)
      let growing = try ContractSpecs.probe(spec, capacity: 12, unit: .bytes, objects: 1)
      let nextUses = trace.nextUses
      var reserved = 1
      for index in trace.requests.indices {
        let request = ContractSpecs.request(trace, index, nextUses)
        if Int(request.id) > reserved {
          reserved = Int(request.id)
          growing.reserve(objects: reserved)
        }
        try #require(
          whole.request(request) == growing.request(request), "request \(index) of\n\(trace)")
      }
    }
  }
}
