import Testing

@testable import LarderEngine

@Suite struct SweepQueueTests {
  @Test func removalsDoNotMakeTheRingGrow() throws {
    let probe = try ContractSpecs.probe("sieve", capacity: 1000, objects: 64)
    let bytes = probe.stateBytes
    for number in 0..<100_000 {
      #expect(probe.request(Request(id: ObjectID(number % 60 + 1))) == .stored(evicted: []))
      if number >= 10 { probe.remove(ObjectID((number - 10) % 60 + 1)) }
    }
    #expect(probe.stateBytes <= bytes)
    #expect(probe.used == 10)
  }
}
