import LarderEngine
import Testing

@testable import LarderTraces

/// Preparation against a simple implementation that is easy to verify.
@Suite
struct PreparationTests {
  /// With a dictionary, one record after another.
  struct Naive {
    var ids: [ObjectID] = []
    var times: [UInt64] = []
    var footprint: UInt64 = 0
    var objects = 0

    init(_ records: [TraceRecord]) {
      var known: [UInt64: ObjectID] = [:]
      var stored: Set<UInt64> = []
      for record in records {
        if known[record.key] == nil { known[record.key] = ObjectID(known.count + 1) }
        let stores = [Operation.get, .set].map(\.rawValue).contains(record.operation)
        if stores, stored.insert(record.key).inserted { footprint += UInt64(record.size) }
        ids.append(known[record.key] ?? 0)
        times.append(max(record.time, times.last ?? 0))
      }
      objects = known.count
    }
  }

  private func random(_ count: Int, keys: UInt64, spread: UInt64, seed: UInt64) -> [TraceRecord] {
    var random = SeededRandom(state: seed)
    return (0..<count).map { index in
      let raw = random.next() % keys
      return TraceRecord(
        key: raw &* spread, time: UInt64(index) * 10 + random.next() % 30,
        size: UInt32(truncatingIfNeeded: random.next() % 5000),
        ttl: UInt32(truncatingIfNeeded: random.next() % 100), cost: Float(random.next() % 10),
        operation: Operation(rawValue: UInt8(random.next() % 4)) ?? .get)
    }
  }

  private func elements<Element>(_ start: UnsafePointer<Element>?, _ count: Int) -> [Element] {
    Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  @Test(
    arguments: [
      (1, 1, 1), (63, 20, 1), (64, 64, 1), (65, 1000, 1 << 32), (5000, 300, 1 << 56),
      (30_000, 40_000, 0x9E37_79B9_7F4A_7C15), (60_000, 1_000_000, 4096), (200_000, 1 << 40, 1),
    ] as [(Int, UInt64, UInt64)])
  func preparationEqualsNaiveImplementation(_ count: Int, _ keys: UInt64, _ spread: UInt64) throws {
    let records = random(count, keys: keys, spread: spread, seed: UInt64(count))
    let naive = Naive(records)
    for batch in [1, 7, 4096, 1_000_000] where batch > 1 || count < 100 {
      let source = RecordList(
        list: records, columns: [.size, .time, .operation, .ttl, .cost], batch: batch)
      let trace = try PreparedTrace.prepare(source: source, name: "random")
      let columns = trace.requests
      #expect(columns.count == count && columns.objects == naive.objects)
      #expect(elements(columns.ids, count) == naive.ids)
      #expect(elements(columns.times, count) == naive.times)
      #expect(elements(columns.sizes, count) == records.map(\.size))
      #expect(elements(columns.operations, count) == records.map(\.operation))
      #expect(elements(columns.ttls, count) == records.map(\.ttl))
      #expect(elements(columns.costs, count) == records.map(\.cost))
      #expect(columns.nextUses == nil)
      #expect(trace.footprintBytes == naive.footprint)
      #expect(trace.timesRaised == zip(records, naive.times).count { $0.time < $1 })
      #expect(trace.name == "random" && trace.hasSizes)
    }
  }

  @Test func sourceWithKeyLimitGetsEqualIDs() throws {
    let records = random(50_000, keys: 9000, spread: 1, seed: 3)
    let hashed = try PreparedTrace.prepare(source: RecordList(list: records), name: "a")
    let direct = try PreparedTrace.prepare(
      source: RecordList(list: records, keyLimit: 9000), name: "b")
    #expect(
      elements(hashed.requests.ids, records.count) == elements(direct.requests.ids, records.count))
    #expect(hashed.requests.objects == direct.requests.objects)
    #expect(hashed.footprintBytes == direct.footprintBytes)
  }

  @Test func keyBeyondLimitIsAnError() {
    let source = RecordList(list: [TraceRecord(key: 5)], keyLimit: 5)
    let text = message { _ = try PreparedTrace.prepare(source: source, name: "liar") }
    #expect(text == "liar: key 5 is not below the limit of its source 5")
  }

  @Test func missingColumnsAreNotKept() throws {
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: [TraceRecord(key: 5, time: 1, size: 3)], columns: []), name: "bare")
    #expect(trace.columns == [] && !trace.hasSizes)
    #expect(trace.requests.sizes == nil && trace.requests.times == nil)
    #expect(trace.footprintBytes == 1, "objects, where there are no sizes")
  }

  @Test func anEmptySourceIsAnEmptyTrace() throws {
    let trace = try PreparedTrace.prepare(source: RecordList(list: []), name: "nothing")
    #expect(trace.requests.count == 0 && trace.requests.objects == 0 && trace.footprintBytes == 0)
    #expect(try trace.withNextUses().requests.nextUses != nil)
  }

  @Test func tooManyRequestsErrorHasAdvice() throws {
    let builder = try TraceBuilder(columns: [], keyLimit: nil, requestsMax: 5)
    let records = (0..<5).map { TraceRecord(key: UInt64($0)) }
    try records.withUnsafeBufferPointer { try builder.add($0) }
    let text = message {
      try records.prefix(1).withContiguousStorageIfAvailable { try builder.add($0) }
    }
    #expect(text.contains("more than 5 requests") && text.contains("--sample 1/100"))
    #expect(builder.count == 5)
  }

  @Test func tooManyObjectsAreAnError() throws {
    let table = try KeyTable(maximum: 100)
    var ids = [ObjectID](repeating: 0, count: 200)
    let fits = (0..<200).map { TraceRecord(key: $0 % 100) }
    #expect(try table.number(fits, count: 200, into: &ids) == 100)
    let one = [TraceRecord(key: 100)]
    #expect(
      message { _ = try table.number(one, count: 1, into: &ids) }
        .contains("more than 100 distinct objects"))
    #expect(ObjectID.maximumCount == 4_294_967_294)
  }

  @Test func onlyTheChosenColumnsAreKept() throws {
    let records = (0..<10).map { TraceRecord(key: $0, time: $0, size: 7) }
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: records), name: "chosen",
      keeping: { available in
        #expect(available == [.size, .time])
        return [.size]
      })
    #expect(trace.columns == [.size])
    #expect(trace.footprintBytes == 70)
  }

  @Test func progressIsReportedAndCanStopPreparation() throws {
    let records = [TraceRecord](repeating: TraceRecord(key: 1), count: 3 << 20)
    var told: [Int] = []
    _ = try PreparedTrace.prepare(
      source: RecordList(list: records, batch: 1 << 18), name: "long",
      progress: { told.append($0) })
    #expect(told == [1 << 20, 2 << 20, 3 << 20])
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try PreparedTrace.prepare(
        source: RecordList(list: records), name: "long", progress: { _ in throw Stop() })
    }
  }

  @Test func columnsOutliveTheTrace() throws {
    var trace: PreparedTrace? = try PreparedTrace.prepare(
      source: RecordList(list: random(10_000, keys: 50, spread: 1, seed: 1)), name: "brief")
    let expected = trace.map { elements($0.requests.ids, 10_000) }
    let columns = trace?.requests
    trace = nil
    #expect(columns.map { elements($0.ids, 10_000) } == expected)
    withExtendedLifetime(columns) {}
  }
}
