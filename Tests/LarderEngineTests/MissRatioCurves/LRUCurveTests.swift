import LarderPolicies
import TestSupport
import Testing

@testable import LarderEngine

@Suite struct LRUCurveTests {
  @Test func distancesEqualPlainStack() throws {
    for seed in 0..<TestEffort.rounds(2000) {
      var random = TestRandom(seed: UInt64(seed))
      let objects = 1 + random.below(40)
      let ids = (0..<1 + random.below(200)).map { _ in
        ObjectID(1 + min(random.below(objects), random.below(objects)))
      }
      var stack: [ObjectID] = []
      var hits = [UInt64](repeating: 0, count: objects + 1)
      for id in ids {
        if let depth = stack.firstIndex(of: id) {
          for capacity in (depth + 1)...objects { hits[capacity] += 1 }
          stack.remove(at: depth)
        }
        stack.insert(id, at: 0)
      }
      let trace = TestTrace(ids: ids).columns()
      let curve = try Self.curve(of: trace, .objects)
      for capacity in 0...objects {
        #expect(curve.hits(at: UInt64(capacity)) == hits[capacity], "seed \(seed)")
      }
      #expect(curve.requests == UInt64(ids.count))
      #expect(curve.coldMisses == UInt64(Set(ids).count))
    }
  }

  @Test(arguments: [CapacityUnit.objects, .bytes])
  func hitsEqualSimulations(_ unit: CapacityUnit) throws {
    var exact = 0
    for seed in 0..<TestEffort.rounds(400) {
      let trace = Self.trace(seed: UInt64(seed))
      let capacities = (1...60).map { UInt64($0) }
      let curve = try Self.curve(of: trace.columns(), unit, capacities)
      #expect(curve.resizedGets == 0)
      for capacity in capacities where curve.isExact(at: capacity) {
        let hits = try ContractSpecs.counts("lru", capacity: capacity, unit: unit, over: trace).hits
        #expect(curve.hits(at: capacity) == hits, "seed \(seed), capacity \(capacity)")
        exact += 1
      }
    }
    #expect(exact > TestEffort.rounds(10_000))
  }

  @Test func aLargeObjectMakesSmallCachesInexact() throws {
    // A cache of 2 does not store object 2 and keeps object 1; in the stack it is below object 2.
    let trace = TestTrace([
      TestRequest(id: 1, size: 1), TestRequest(id: 2, size: 5), TestRequest(id: 1, size: 1),
    ])
    let curve = try Self.curve(of: trace.columns(), .bytes, [2, 5, 6])
    #expect(curve.largestObject == 5)
    #expect(!curve.isExact(at: 2) && curve.isExact(at: 5))
    #expect(curve.hits(at: 2) == 0)
    #expect(try ContractSpecs.counts("lru", capacity: 2, unit: .bytes, over: trace).hits == 1)
    #expect(curve.hits(at: 6) == 1)
    #expect(curve.hits(at: 3) == nil)
  }

  @Test func resizedGetMakesByteCountsInexact() throws {
    let trace = TestTrace([TestRequest(id: 1, size: 3), TestRequest(id: 1, size: 4)]).columns()
    let curve = try Self.curve(of: trace, .bytes, [10])
    #expect(curve.resizedGets == 1)
    #expect(!curve.isExact(at: 10))
    #expect(try Self.curve(of: trace, .objects).isExact(at: 1))
  }

  @Test func hostileTraces() throws {
    let one = try Self.curve(of: TestTrace(ids: [1]).columns(), .objects)
    #expect(one.hits == [0, 0] && one.coldMisses == 1)
    let weightless = TestTrace([
      TestRequest(id: 1, size: 0), TestRequest(id: 2, size: 0), TestRequest(id: 1, size: 0),
    ])
    let free = try Self.curve(of: weightless.columns(), .bytes, [1, 2])
    #expect(free.hits == [1, 1])
    let none = try Self.curve(of: TestTrace([]).columns(), .objects)
    #expect(none.requests == 0 && none.hits == [0])
    #expect(try Self.curve(of: TestTrace(ids: [1, 1]).columns(), .bytes, []).hits == [])
  }

  /// Positions have 32 bits, also after a renumbering of a billion of them.
  @Test func positionsOfManyObjectsAreNotTruncated() throws {
    for live in [1, 1 << 20, 1 << 30, 1 << 30 + 1, LRUStack<RecencyBits>.objectsMax] {
      let room = LRUStack<RecencyBits>.room(live: live)
      #expect(room >= 2 * live && room < Int(UInt32.max), "\(live)")
      #expect(room % (1 << 16) == 0 || live < 1 << 30, "whole blocks: \(live)")
    }
    let ids: [ObjectID] = [1]
    try ids.withUnsafeBufferPointer { ids in
      let base = try #require(ids.baseAddress)
      let columns = RequestColumns(
        count: 1, objects: LRUStack<RecencyBits>.objectsMax + 1, ids: base, owner: nil)
      for unit in CapacityUnit.allCases {
        #expect(throws: PolicyError.self) { try LRUCurvePass(over: columns, unit: unit) }
        #expect(throws: PolicyError.self) {
          try FixedSizePass(
            over: columns, unit: unit, capacities: [1], objectsMax: .max, seed: 1)
        }
      }
    }
  }

  @Test func expiryIsDetected() {
    var request = TestRequest(id: 1)
    #expect(!LRUCurvePass.expires(TestTrace([request]).columns()))
    #expect(!LRUCurvePass.expires(TestTrace([request]).columns(sparse: true)))
    request.ttlSeconds = 1
    #expect(LRUCurvePass.expires(TestTrace([request]).columns()))
  }

  static func curve(
    of trace: RequestColumns, _ unit: CapacityUnit, _ capacities: [UInt64] = []
  ) throws -> LRUCurve {
    let pass = try LRUCurvePass(over: trace, unit: unit, capacities: capacities)
    // In parts, as with progress.
    while pass.position < trace.count { pass.run(upTo: pass.position + 7) }
    return pass.result
  }

  private static func trace(seed: UInt64) -> TestTrace {
    var random = TestRandom(seed: seed)
    let objects = 1 + random.below(20)
    let hasOperations = random.oneIn(2)
    var sizes = (0...objects).map { _ in UInt32(random.below(9)) }
    return TestTrace(
      (0..<1 + random.below(200)).map { _ in
        var request = TestRequest(
          id: ObjectID(1 + min(random.below(objects), random.below(objects))))
        if hasOperations {
          request.operation = random.pick([.get, .get, .get, .get, .set, .set, .delete, .modify])
        }
        if request.operation == .set { sizes[Int(request.id)] = UInt32(random.below(9)) }
        request.size = sizes[Int(request.id)]
        return request
      })
  }
}
