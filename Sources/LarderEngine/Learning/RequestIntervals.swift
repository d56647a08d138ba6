/// The last intervals between an object's requests, and LRB's exponentially decayed counts of its
/// requests: one record for each object that was requested twice, found by number.
///
/// Memory: 168 bytes a record. All operations are O(1) in the number of records.
struct RequestIntervals: ~Copyable {
  /// Intervals kept.
  static var kept: Int { 31 }
  /// Decayed counts: count k halves every 2^(10 + k) requests.
  static var decays: Int { 10 }
  private static var stride: Int { 32 }

  // 31 intervals as a ring, and how many there have been.
  private var intervals = Column<UInt32>(objects: 8 * RequestIntervals.stride)
  private var counts = Column<Float>(objects: 8 * RequestIntervals.decays)
  private var free: [UInt32] = []
  private var used: UInt32 = 0
  private let halvingsMax: UInt64

  /// No records. Counts are halved `window` / 1024 - 1 times at most, as in the authors' table.
  init(window: UInt64) { halvingsMax = max(window >> 10, 1) - 1 }

  /// A new record with its first interval.
  mutating func make(_ interval: UInt32) -> UInt32 {
    let record: UInt32
    if let last = free.popLast() {
      record = last
    } else {
      used += 1
      record = used
      intervals.reserve(objects: (Int(record) + 1) * RequestIntervals.stride)
      counts.reserve(objects: (Int(record) + 1) * RequestIntervals.decays)
    }
    let row = intervalRow(record)
    row[0] = interval
    row[RequestIntervals.kept] = 1
    let decayed = countRow(record)
    for k in 0..<RequestIntervals.decays {
      decayed[k] = Float(decay(UInt64(interval), k)) + 1
    }
    return record
  }

  /// Adds an interval to a record.
  mutating func append(_ interval: UInt32, to record: UInt32) {
    let row = intervalRow(record)
    let count = row[RequestIntervals.kept]
    row[Int(count) % RequestIntervals.kept] = interval
    // The place in the ring matters, and whether it is full.
    let next = count + 1
    let isWrapped = next >= UInt32(2 * RequestIntervals.kept)
    row[RequestIntervals.kept] = isWrapped ? next - UInt32(RequestIntervals.kept) : next
    let decayed = countRow(record)
    for k in 0..<RequestIntervals.decays {
      decayed[k] = Float(Double(decayed[k]) * decay(UInt64(interval), k) + 1)
    }
  }

  /// Gives a record back.
  mutating func remove(_ record: UInt32) { free.append(record) }

  /// Writes the intervals, the latest first, to the beginning of a row of zeroes, and returns how
  /// many of them lie within `window` requests of the last one.
  func writeIntervals(
    of record: UInt32, within window: UInt64, to row: UnsafeMutablePointer<Float>
  ) -> Int {
    let ring = intervalRow(record)
    let count = Int(ring[RequestIntervals.kept])
    var sum: UInt64 = 0
    var within = 0
    for back in 0..<min(count, RequestIntervals.kept) {
      let interval = ring[(count - 1 - back) % RequestIntervals.kept]
      row[back] = Float(interval)
      sum += UInt64(interval)
      if sum < window { within += 1 }
    }
    return within
  }

  /// Writes the decayed counts as they are `age` requests after the last request; of an object
  /// without a record where `record` is 0.
  func writeCounts(of record: UInt32, age: UInt64, to row: UnsafeMutablePointer<Float>) {
    let decayed = countRow(record)
    for k in 0..<RequestIntervals.decays {
      let count = record == 0 ? 1 : Double(decayed[k])
      row[k] = Float(count * decay(age, k))
    }
  }

  /// 2 to the power of -(requests / 2^(10 + k)), or 0 where that is below the smallest number with
  /// full precision.
  private func decay(_ requests: UInt64, _ k: Int) -> Double {
    let halvings = min(requests >> UInt64(10 + k), halvingsMax)
    return halvings > 1022 ? 0 : Double(bitPattern: (1023 - halvings) << 52)
  }

  private func intervalRow(_ record: UInt32) -> UnsafeMutablePointer<UInt32> {
    intervals.row(
      from: record * UInt32(RequestIntervals.stride), count: RequestIntervals.stride)
  }

  private func countRow(_ record: UInt32) -> UnsafeMutablePointer<Float> {
    counts.row(from: record * UInt32(RequestIntervals.decays), count: RequestIntervals.decays)
  }

  /// Memory held, in bytes.
  var bytes: Int { intervals.bytes + counts.bytes + free.capacity * MemoryLayout<UInt32>.stride }
}
