import CLarderShims
import LarderEngine

/// Numbers keys that are all below a limit: a table with the id of every key, 4 bytes each.
struct DirectTable: ~Copyable {
  /// How many keys have been numbered.
  private(set) var count = 0

  private let ids: GrowableColumn<ObjectID>
  private let limit: UInt64

  /// The largest limit for which a source's keys go through a direct table: 1 GiB.
  static let limitMaximum = 1 << 28

  /// An empty table for keys below `limit`.
  init(limit: Int) throws(TraceError) {
    ids = try GrowableColumn(capacity: max(1, limit))
    self.limit = UInt64(max(1, limit))
  }

  /// Writes the ids of `count` records to `result` and returns the sum of the sizes of those that
  /// are the first of their object.
  ///
  /// - Throws: at a key that is not below the limit.
  /// - Complexity: O(count).
  mutating func number(
    _ records: UnsafePointer<TraceRecord>, count requests: Int,
    into result: UnsafeMutablePointer<ObjectID>
  ) throws(TraceError) -> UInt64 {
    let ahead = 16
    let (ids, limit) = (ids.base, limit)
    var last = UInt32(truncatingIfNeeded: count)
    var newBytes: UInt64 = 0
    for i in 0..<requests {
      if i + ahead < requests {
        // A key beyond the limit is caught when its turn comes: a prefetch harms nobody.
        larder_prefetch(ids + Int(truncatingIfNeeded: min(records[i + ahead].key, limit &- 1)))
      }
      let key = records[i].key
      guard key < limit else {
        throw TraceError(
          "key \(key) is not below the limit of its source \(limit)", in: "preparation")
      }
      var id = ids[Int(truncatingIfNeeded: key)]
      if id == 0 {
        last &+= 1
        id = last
        ids[Int(truncatingIfNeeded: key)] = id
        newBytes &+= UInt64(records[i].size)
      }
      result[i] = id
    }
    count = Int(last)
    return newBytes
  }
}
