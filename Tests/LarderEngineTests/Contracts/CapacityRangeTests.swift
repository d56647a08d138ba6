import LarderPolicies
import Testing

@testable import LarderEngine

@Suite struct CapacityRangeTests {
  /// The largest values of parameters by which policies multiply their capacity.
  static let extremes = [
    "2q:in=0.9999:ghost=100", "mq:queues=16:ghost=100:life=1000000", "lru-k:k=8:history=100",
    "lirs:hir=1:stack=1000", "s3-fifo:small=0.9999:ghost=100", "qd-lp:small=0.0001:ghost=100",
    "slru:segments=64", "lecar:ghost=100", "cacheus:ghost=100", "w-tinylfu:window=1:protected=1",
    "w-tinylfu:window=adaptive",
    "s4-fifo:small=0.9999:threshold=3:ghost=100:skip=1:refuse-large=false",
    "clock2q-plus:small=0.9999:ghost=100:window=1", "tinyufo:counters=exact",
    "la-cache:admission=all:history=1000",
  ]

  @Test(
    arguments: ContractSpecs.plain + extremes,
    [1, 2, 3, PolicySetup.capacityMax - 1, PolicySetup.capacityMax])
  func everyCapacityWorks(spec: String, capacity: UInt64) throws {
    for (seed, unit) in [CapacityUnit.objects, .bytes].enumerated() {
      let trace = ContractSpecs.trace([.sizes, .costs], capacity: 5, seed: UInt64(seed))
      let counts = try ContractSpecs.counts(spec, capacity: capacity, unit: unit, over: trace)
      #expect(counts.admissions + counts.rejections == counts.misses)
      if capacity > 3 { #expect(counts.evictions == 0) }
    }
  }

  @Test(
    arguments: ContractSpecs.plain + ["pfoo-u", "pfoo-l"],
    [0, PolicySetup.capacityMax + 1, .max])
  func capacitiesOutOfRangeAreRejected(policy: String, capacity: UInt64) throws {
    let spec = try PolicySpec(parsing: policy)
    let expected = PolicyError.capacity(
      policy: policy, capacity: capacity, expected: "1 to 1125899906842624")
    let trace = ContractSpecs.trace([], capacity: 5, seed: 1)
    #expect(throws: expected) {
      try ContractSpecs.counts(policy, capacity: capacity, over: trace)
    }
    #expect(throws: expected) {
      try PolicyRegistry.makeCacheTier(
        CacheTierSetup(policy: spec, entriesMax: nil, bytesMax: capacity, objects: 5))
    }
  }

  @Test(arguments: AdmissionRegistry.all.map(\.description.name))
  func filtersCheckTheirSetup(name: String) throws {
    let spec = try PolicySpec(parsing: name)
    for capacity in [0, PolicySetup.capacityMax + 1] {
      #expect(throws: PolicyError.self) {
        try AdmissionRegistry.make(
          AdmissionSetup(capacity: capacity, unit: .bytes, spec: spec))
      }
    }
    for parts in [0, -1, .min] {
      #expect(throws: PolicyError.self) {
        try AdmissionRegistry.make(
          AdmissionSetup(capacity: 5, unit: .bytes, spec: spec, parts: parts))
      }
    }
    // Even with a huge capacity, memory is allocated as objects arrive.
    let largest = AdmissionSetup(
      capacity: PolicySetup.capacityMax, unit: .objects, spec: spec, parts: 1024)
    #expect(try #require(try AdmissionRegistry.make(largest)).stateBytes < 32 << 20)
  }

  @Test func largeSketchGrowsWithAdmissions() throws {
    let made = try AdmissionRegistry.make(
      AdmissionSetup(
        capacity: 1 << 30, unit: .objects, spec: try PolicySpec(parsing: "tinylfu")))
    let filter = try #require(made)
    let bytes = filter.stateBytes
    #expect(bytes < 32 << 20)
    for id in 1...ObjectID(1_100_000) {
      #expect(filter.admits(Request(id: id), victim: nil))
    }
    #expect(filter.stateBytes > bytes)
    for _ in 0..<3 { filter.requested(Request(id: 5)) }
    #expect(filter.admits(Request(id: 5), victim: Request(id: 6).fingerprint))
    #expect(!filter.admits(Request(id: 6), victim: Request(id: 5).fingerprint))
  }
}
