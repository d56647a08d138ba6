/// Hits of an LRU cache by capacity.
public struct LRUCurve: Sendable, Hashable {
  /// Gets.
  public var requests: UInt64
  /// Gets of objects that were not there: misses at every capacity.
  public var coldMisses: UInt64
  /// The largest object, in the unit of the capacities; 1 where they count objects.
  public var largestObject: UInt64
  /// Gets that ask for another size than the request of the object before them. The stored size is
  /// then one or the other, by capacity.
  public var resizedGets: UInt64
  /// The capacities that were counted, ascending; nil for all of them: 0, 1, 2 ... up to the number
  /// of objects.
  public var capacities: [UInt64]?
  /// Hits at each of them.
  public var hits: [UInt64]

  /// Whether the count at a capacity is that of a simulation: no object is larger than the
  /// capacity, which would not be stored there, and each has the same size at all capacities.
  public func isExact(at capacity: UInt64) -> Bool {
    capacity >= largestObject && resizedGets == 0
  }

  /// The hits at a capacity; nil where they were not counted. O(log capacities).
  public func hits(at capacity: UInt64) -> UInt64? {
    guard let capacities else { return hits[Int(min(capacity, UInt64(hits.count - 1)))] }
    var low = 0
    var high = capacities.count
    while low < high {
      let middle = (low + high) / 2
      if capacities[middle] < capacity { low = middle + 1 } else { high = middle }
    }
    return low < capacities.count && capacities[low] == capacity ? hits[low] : nil
  }
}
