/// How many hits are possible at all, where sizes differ: bounds on what the best cache that knows
/// the future and need not store a miss could reach.
///
/// Practical Flow-based Offline Optimal (Berger, Beckmann and Harchol-Balter, Practical bounds on
/// optimal caching with variable object sizes, SIGMETRICS 2018). A hit needs its object to be kept
/// from one request to the next: that takes its size times the requests between. Both bounds take
/// such intervals in the order of what they need, least first:
///
/// - the *upper* bound until their sum exceeds what the capacity offers over the whole trace, as if
///   space could be moved in time. No cache has more hits.
/// - the *lower* bound wherever the interval fits at every moment. A cache can have these hits.
///
/// An object whose size changes counts with its smallest, so that the upper bound stays one. Gets
/// alone are hits; a set or delete ends an interval, as the column of next uses has it.
public struct PFOO: ~Copyable {
  /// An interval, by what it needs; where needs are equal, by its end.
  struct Interval: Comparable {
    var need: UInt64
    var end: UInt32

    static func < (one: Interval, other: Interval) -> Bool {
      one.need != other.need ? one.need < other.need : one.end < other.end
    }
  }

  private let requests: Int
  private var intervals: [Interval] = []
  // By the end of the interval: where it begins and what the object weighs.
  private var starts: [UInt32]
  private var sizes: [UInt32]

  /// Prepares the bounds for every capacity. O(n log n) time, 24 bytes a request.
  ///
  /// - Throws: `PolicyError.missingNeed` when the columns do not have the next uses.
  public init(_ columns: RequestColumns, unit: CapacityUnit) throws(PolicyError) {
    guard let nextUses = columns.nextUses else {
      throw .missingNeed(policy: "pfoo", need: "the next use of each object")
    }
    requests = columns.count
    starts = [UInt32](repeating: 0, count: columns.count)
    sizes = [UInt32](repeating: 1, count: columns.count)
    var smallest: [UInt32] = []
    if unit == .bytes, let column = columns.sizes {
      smallest = [UInt32](repeating: .max, count: columns.objects + 1)
      for index in 0..<columns.count {
        let id = Int(columns.ids[index])
        smallest[id] = min(smallest[id], column[index])
      }
    }
    intervals.reserveCapacity(columns.count)
    for index in 0..<columns.count where nextUses[index] != Request.never {
      let end = Int(nextUses[index])
      let size = smallest.isEmpty ? 1 : smallest[Int(columns.ids[index])]
      starts[end] = UInt32(index)
      sizes[end] = size
      intervals.append(
        Interval(need: UInt64(size) * UInt64(end - index), end: UInt32(end)))
    }
    intervals.sort()
  }

  /// Hits that no cache of this capacity exceeds. O(n), and stops when the space is used up.
  public func upperBound(capacity: UInt64) -> UInt64 {
    let (space, overflows) = capacity.multipliedReportingOverflow(by: UInt64(requests))
    var left = overflows ? UInt64.max : space
    var hits: UInt64 = 0
    for interval in intervals where UInt64(sizes[Int(interval.end)]) <= capacity {
      guard interval.need <= left else { break }
      left -= interval.need
      hits += 1
    }
    return hits
  }

  /// Hits that a cache of this capacity can have. O(n log n) time, 16 bytes a request.
  public func lowerBound(capacity: UInt64) -> UInt64 {
    var occupied = RangeMaximum(count: requests)
    var hits: UInt64 = 0
    for interval in intervals {
      let size = UInt64(sizes[Int(interval.end)])
      guard size <= capacity else { continue }
      let range = Int(starts[Int(interval.end)])..<Int(interval.end)
      if occupied.maximum(in: range) + size <= capacity {
        occupied.add(size, to: range)
        hits += 1
      }
    }
    return hits
  }
}
