import LarderEngine
import TestSupport
import Testing

@Suite struct BoundTests {
  /// MIN is optimal for objects of equal size (Mattson, Gecsei, Slutz, Traiger, IBM Systems Journal
  /// 1970) among rules that store every miss. A cache that rejects objects is no better than one
  /// with an additional slot through which those pass.
  @Test(arguments: ContractSpecs.varied)
  func noPolicyBeatsBelady(spec: String) throws {
    for seed in 0..<UInt64(TestEffort.rounds(150, atLeast: 18)) {
      let trace = ContractSpecs.trace([.costs], capacity: 9, seed: seed)
      let capacity = 1 + seed % 9
      let counts = try ContractSpecs.counts(spec, capacity: capacity, over: trace)
      let room = capacity + (counts.rejections > 0 ? 1 : 0)
      let bound = try ContractSpecs.counts("belady", capacity: room, over: trace)
      #expect(counts.hits <= bound.hits, "capacity \(capacity)\n\(trace)")
    }
  }

  /// More room never hurts stack algorithms (the same paper).
  @Test(arguments: ["lru", "belady"])
  func moreRoomNeverHurts(spec: String) throws {
    for seed in 0..<UInt64(TestEffort.rounds(150, atLeast: 18)) {
      let trace = ContractSpecs.trace([], capacity: 9, seed: seed)
      var last: UInt64 = 0
      for capacity in 1...12 as ClosedRange<UInt64> {
        let hits = try ContractSpecs.counts(spec, capacity: capacity, over: trace).hits
        #expect(hits >= last, "capacity \(capacity)\n\(trace)")
        last = hits
      }
    }
  }
}
