import LarderPolicies
import TestSupport
import Testing

@testable import LarderEngine

@Suite struct ExhaustiveOptimumTests {
  /// The most hits, and the most bytes hit, of any cache that need not store a miss. A copy keeps
  /// the size with which it was stored.
  private static func optimum(
    _ steps: [TestRequest], capacity: UInt64, worth: (TestRequest) -> UInt64
  ) -> UInt64 {
    var best: [[ObjectID: UInt32]: UInt64] = [[:]: 0]
    for step in steps {
      var next: [[ObjectID: UInt32]: UInt64] = [:]
      for (copies, value) in best {
        var (kept, value) = (copies, value)
        let isHit = step.operation == .get && copies[step.id] != nil
        if isHit { value += worth(step) }
        if !isHit, step.operation != .modify { kept[step.id] = nil }
        var choices = [kept]
        if !isHit, step.operation == .get || step.operation == .set {
          kept[step.id] = step.size
          choices.append(kept)
        }
        for state in choices.flatMap({ subsets(of: $0, capacity) }) {
          next[state] = max(next[state] ?? 0, value)
        }
      }
      best = next
    }
    return best.values.max() ?? 0
  }

  private static func subsets(
    of copies: [ObjectID: UInt32], _ capacity: UInt64
  ) -> [[ObjectID: UInt32]] {
    let all = copies.reduce(into: [[:]]) { all, copy in
      all += all.map { $0.merging([copy.key: copy.value]) { old, _ in old } }
    }
    return all.filter { $0.values.reduce(0) { $0 + UInt64($1) } <= capacity }
  }

  private static func nextUses(_ steps: [TestRequest]) -> [UInt32] {
    var latest: [ObjectID: UInt32] = [:]
    var next = steps.map { _ in Request.never }
    for (index, step) in steps.enumerated().reversed() {
      next[index] = latest[step.id] ?? Request.never
      switch step.operation {
      case .get: latest[step.id] = UInt32(index)
      case .set, .delete: latest[step.id] = nil
      case .modify, .bypass, .expire: break
      }
    }
    return next
  }

  private static func run(
    _ policy: String, _ steps: [TestRequest], _ unit: CapacityUnit, capacity: UInt64
  ) throws -> Counts {
    var columns = TestTrace(steps).columns(sparse: true)
    return try nextUses(steps).withUnsafeBufferPointer { next in
      columns.nextUses = next.baseAddress
      let tier = TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)
      let simulation = try PolicyRegistry.makeSimulation(
        SimulationSetup(arrangement: .memory(tier), unit: unit), over: columns)
      simulation.run(upTo: columns.count, untilFirstEviction: false)
      return simulation.counts
    }
  }

  private static var offline: [RegisteredPolicy] {
    PolicyRegistry.everything.filter { $0.description.family == .offline }
  }

  /// Checks all offline policies and bounds; false if one is wrong.
  private static func agrees(
    _ steps: [TestRequest], _ unit: CapacityUnit, capacity: UInt64
  ) throws -> Bool {
    let sized = unit == .bytes
    let plain = steps.map {
      TestRequest(operation: $0.operation, id: $0.id, size: sized ? $0.size : 1)
    }
    let hits = optimum(plain, capacity: capacity) { _ in 1 }
    let bytes = optimum(plain, capacity: capacity) { UInt64($0.size) }
    var isRight = true
    for policy in offline {
      let name = policy.description.name
      let counts = try run(name, steps, unit, capacity: capacity)
      let isPossible =
        policy.isBound && !policy.isReachable
        ? counts.hits >= hits && counts.bytesHit >= bytes
        : counts.hits <= hits && counts.bytesHit <= bytes
      if !isPossible {
        Issue.record("\(name): \(counts.hits) hits, \(counts.bytesHit) bytes; \(hits), \(bytes)")
        isRight = false
      }
    }
    return isRight
  }

  /// A copy stored with 1000 bytes does not fit, and what was stored with 10 is hit by a get of
  /// 1000.
  @Test(arguments: [
    (Operation.get, [1000, 10] as [UInt32], 0 as UInt64), (.get, [10, 1000], 1),
    (.get, [10, 1000, 10], 2), (.get, [1000, 10, 10], 1),
    (.set, [1000, 1000, 10, 10], 1), (.set, [10, 10, 1000, 1000], 1),
  ])
  func lowerBoundCountsWhatIsStored(first: Operation, sizes: [UInt32], possible: UInt64) throws {
    let steps = sizes.enumerated().map { index, size in
      TestRequest(operation: index % 2 == 0 ? first : .get, id: 1, size: size)
    }
    #expect(Self.optimum(steps, capacity: 100) { _ in 1 } == possible)
    #expect(try Self.run("pfoo-l", steps, .bytes, capacity: 100).hits <= possible)
    #expect(try Self.agrees(steps, .bytes, capacity: 100))
  }

  @Test(arguments: [CapacityUnit.objects, .bytes], [false, true])
  func noBoundIsBeyondTheOptimum(unit: CapacityUnit, writes: Bool) throws {
    var random = SeededGenerator(seed: writes ? 7 : 8)
    for _ in 0..<TestEffort.rounds(600, atLeast: 150) {
      let objects = UInt64(2 + random.next(below: 3))
      let steps = (0..<3 + Int(random.next(below: 8))).map { _ in
        var step = TestRequest(
          id: ObjectID(1 + random.next(below: objects)), size: UInt32(1 + random.next(below: 6)))
        if writes {
          let operations: [Operation] = [.get, .get, .get, .set, .delete, .modify]
          step.operation = operations[Int(random.next(below: 6))]
        }
        return step
      }
      let capacity = 1 + random.next(below: unit == .bytes ? 9 : 3)
      guard try Self.agrees(steps, unit, capacity: capacity) else {
        Issue.record("capacity \(capacity): \(steps)")
        return
      }
    }
  }
}
