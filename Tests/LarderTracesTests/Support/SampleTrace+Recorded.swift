import LarderEngine

@testable import LarderTraces

/// A recording of a cache: misses with the sets that answer them, hits, a set without a miss, a
/// removal, and an entry with a TTL.
extension SampleTrace {
  /// Beginning of the recording: noon on 1 March 2026.
  static let recordingBegan: UInt64 = 1_772_366_400_000_000

  /// A recording of these events, with `perBlock` events per block.
  static func recording(
    _ events: [RecordedEvent], perBlock: Int = 4, rate: Double = 1, gets: UInt64 = 0,
    lost: UInt64 = 0, keys: RecordedHeader.Keys = .keyed,
    texts: [(key: UInt64, text: String)] = [], hasEnd: Bool = true
  ) -> [UInt8] {
    let threshold = RecordedHeader.threshold(rate: rate) ?? 1
    var bytes = RecordedHeader(
      threshold: threshold, began: recordingBegan, origin: .memory, keys: keys
    ).encoded
    for block in RecordedBlockBuilder.texts(texts) { bytes += block }
    var rest = events[...]
    while !rest.isEmpty {
      var builder = RecordedBlockBuilder()
      for event in rest.prefix(perBlock) { builder.add(event) }
      bytes += builder.take(gets: gets, lost: lost)
      rest = rest.dropFirst(perBlock)
    }
    if hasEnd { bytes += RecordedBlockBuilder.end(time: 9, gets: gets, lost: lost) }
    return bytes
  }

  static let recordedEvents: [RecordedEvent] = [
    RecordedEvent(key: 7, time: 1000, kind: .get, outcome: .miss),
    RecordedEvent(key: 7, time: 1500, kind: .set, size: 4096, lifetime: 60_000),
    RecordedEvent(key: 7, time: 2000, kind: .get, outcome: .hit),
    RecordedEvent(key: 9, time: 2000, kind: .get, outcome: .miss),
    RecordedEvent(key: 12, time: 2100, kind: .get, outcome: .miss),
    // The responses come in another order.
    RecordedEvent(key: 12, time: 2200, kind: .set, size: 30_000, cost: 2.5),
    RecordedEvent(key: 9, time: 2300, kind: .set, size: 512),
    RecordedEvent(key: 9, time: 2400, kind: .set, size: 600),
    RecordedEvent(key: 7, time: 2500, kind: .remove),
    RecordedEvent(key: 7, time: 2600, kind: .get, outcome: .miss),
    RecordedEvent(key: 9, time: 2700, kind: .get, outcome: .hit, size: 600),
  ]

  static let recorded = SampleTrace(
    format: "recorded", file: "sample.recorded",
    records: [
      record(7, 1000, .get, size: 4096, ttl: 60), record(7, 2000, .get, ttl: 60),
      record(9, 2000, .get, size: 512), record(12, 2100, .get, size: 30_000, cost: 2.5),
      record(9, 2400, .set, size: 600), record(7, 2500, .delete), record(7, 2600, .get),
      record(9, 2700, .get, size: 600),
    ])

  private static func record(
    _ key: UInt64, _ time: UInt64, _ operation: Operation, size: UInt32? = nil, ttl: UInt32 = 0,
    cost: Float = TraceRecord.unknownCost
  ) -> TraceRecord {
    TraceRecord(
      key: key, time: recordingBegan + time, size: size ?? 0, ttl: ttl, cost: cost,
      operation: operation, isSizeKnown: size != nil)
  }
}
