import LarderEngine
import TestSupport
import Testing

@testable import LarderTraces

/// Next uses against a search forward from every request.
@Suite(.endsInTime)
struct NextUseTests {
  private func trace(_ keys: [UInt64]) throws -> PreparedTrace {
    try PreparedTrace.prepare(
      source: RecordList(list: keys.map { TraceRecord(key: $0) }, columns: []), name: "keys")
  }

  private func nextUses(_ trace: PreparedTrace) throws -> [UInt32] {
    let columns = try trace.withNextUses().requests
    return Array(UnsafeBufferPointer(start: columns.nextUses, count: columns.count))
  }

  /// By hand: a b a c b a.
  @Test func workedByHand() throws {
    let never = Request.never
    #expect(try nextUses(trace([1, 2, 1, 3, 2, 1])) == [2, 4, 5, never, never, never])
    #expect(try nextUses(trace([9])) == [never])
  }

  @Test func equalsASearchForward() throws {
    var random = SeededRandom(state: 99)
    for round in 1...20 {
      let keys = (0..<200).map { _ in random.next() % UInt64(round * 5) }
      let expected = keys.indices.map { index in
        keys[(index + 1)...].firstIndex(of: keys[index]).map { UInt32($0) } ?? Request.never
      }
      #expect(try nextUses(trace(keys)) == expected)
    }
  }

  /// A copy answers no get after it is set again or deleted; a change at the origin has no effect.
  @Test func onlyAnswerableGetsCount() throws {
    func nextUses(_ operations: [Operation]) throws -> [UInt32] {
      let records = operations.map { TraceRecord(key: 1, operation: $0) }
      let source = RecordList(list: records, columns: [.operation])
      return try self.nextUses(PreparedTrace.prepare(source: source, name: "operations"))
    }
    let never = Request.never
    #expect(try nextUses([.get, .set, .get]) == [never, 2, never])
    #expect(try nextUses([.get, .delete, .get]) == [never, 2, never])
    #expect(try nextUses([.set, .modify, .get]) == [2, 2, never])
    #expect(try nextUses([.get, .get, .delete]) == [1, never, never])
  }

  @Test func nextUsesAreComputedOnceForAllThreads() async throws {
    let trace = try trace((0..<300_000).map { $0 % 1000 })
    let made = await withTaskGroup(of: ObjectIdentifier?.self) { group in
      for _ in 0..<16 { group.addTask { (try? trace.withNextUses()).map { ObjectIdentifier($0) } } }
      return await group.reduce(into: Set<ObjectIdentifier?>()) { $0.insert($1) }
    }
    #expect(made.count == 1 && !made.contains(nil))
    let with = try trace.withNextUses()
    #expect(try with.withNextUses() === with)
    #expect(with.requests.ids == trace.requests.ids, "the other columns are shared")
  }

  @Test func tooManyRequestsAreAnError() throws {
    let small = try trace([1])
    var columns = small.requests
    columns.count = Int(UInt32.max)
    let huge = PreparedTrace(name: "huge", requests: columns, footprint: small.footprint)
    #expect(
      message { _ = try huge.withNextUses() }
        .contains("4294967295 requests exceed the limit of 4294967294"))
  }
}
