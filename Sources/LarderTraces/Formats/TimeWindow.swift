/// Puts requests that are a little out of order where their time belongs: a log has a line when an
/// answer ends, and some answers take longer than others.
///
/// Requests are held back until so many more have come, and sorted when one of them is early.
/// Requests of the same time keep their order. What comes later than the window reaches is handed
/// on as it is.
final class TimeWindow {
  /// How many requests are held back.
  static let length = 1 << 16

  /// Requests that came after one with a later time.
  private(set) var late = 0

  private let records: UnsafeMutablePointer<TraceRecord>
  private let capacity: Int
  private var count = 0
  private var isSorted = true
  private var latest: UInt64 = 0
  private let sink: RecordSink

  /// An empty window in front of `sink`.
  init(length: Int = TimeWindow.length, sink: @escaping RecordSink) {
    capacity = 2 * length
    records = .allocate(capacity: capacity)
    self.sink = sink
  }

  deinit { records.deallocate() }

  /// Adds records; false when the sink wants no more.
  ///
  /// - Complexity: O(records) in order, O(records log length) otherwise.
  func add(_ batch: UnsafeBufferPointer<TraceRecord>) throws -> Bool {
    for record in batch {
      if record.time < latest {
        late += 1
        isSorted = false
      } else {
        latest = record.time
      }
      records[count] = record
      count += 1
      if count == capacity, try !release(capacity / 2) { return false }
    }
    return true
  }

  /// Hands on what is held back.
  func finish() throws {
    _ = try release(count)
  }

  private func release(_ released: Int) throws -> Bool {
    if !isSorted { sort() }
    var start = 0
    var goesOn = true
    while goesOn, start < released {
      let size = min(RecordBatch.capacity, released - start)
      goesOn = try sink(UnsafeBufferPointer(start: records + start, count: size))
      start += size
    }
    records.update(from: records + released, count: count - released)
    count -= released
    return goesOn
  }

  private func sort() {
    let held = UnsafeMutableBufferPointer(start: records, count: count)
    let order = held.indices.sorted { (held[$0].time, $0) < (held[$1].time, $1) }
    let copy = Array(held)
    for (place, index) in order.enumerated() { held[place] = copy[index] }
    isSorted = true
  }
}
