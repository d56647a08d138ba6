/// Collects records and hands them to a sink a few thousand at a time, so that nothing dynamic
/// happens per record.
public final class RecordBatch {
  /// How many records fit: 64 KiB of them, which leaves the L2 cache room for the file's bytes.
  public static let capacity = 2048

  /// Where to write the next records, from `count` on.
  public let records: UnsafeMutablePointer<TraceRecord>
  /// How many have been written since the last `flush`.
  public var count = 0
  /// Whether the sink still takes records.
  public private(set) var wantsMore = true

  private let skipsZeroSizes: Bool
  private let sink: RecordSink

  /// An empty batch in front of `sink`.
  init(skipsZeroSizes: Bool, sink: @escaping RecordSink) {
    self.skipsZeroSizes = skipsZeroSizes
    self.sink = sink
    records = .allocate(capacity: RecordBatch.capacity)
  }

  deinit { records.deallocate() }

  /// Adds a record and flushes when that fills the batch; false when the sink wants no more.
  @inline(__always)
  public func append(_ record: TraceRecord) throws -> Bool {
    records[count] = record
    count += 1
    return count == RecordBatch.capacity ? try flush() : true
  }

  /// Hands over what there is; false when the sink wants no more.
  public func flush() throws -> Bool {
    if skipsZeroSizes { removeZeroSizes() }
    if count > 0 && wantsMore {
      wantsMore = try sink(UnsafeBufferPointer(start: records, count: count))
    }
    count = 0
    return wantsMore
  }

  private func removeZeroSizes() {
    var kept = 0
    for index in 0..<count where records[index].size != 0 {
      records[kept] = records[index]
      kept += 1
    }
    count = kept
  }
}
