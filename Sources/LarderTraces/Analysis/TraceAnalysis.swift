import LarderEngine

/// Statistics of a trace, independent of any cache; nil where the trace lacks the column.
/// Popularity counts every request of an object, whatever its operation.
package struct TraceAnalysis: Sendable {
  package let name: String
  package let requests: Int
  package let objects: Int
  /// Sampling rate of the trace; all other figures describe the sample.
  package let sampling: TraceSampling
  package let storableObjects: Int
  package let footprintBytes: UInt64?
  package private(set) var bytesRequested: UInt64?
  package let oneHitWonders: Int
  /// Sizes of the objects that a cache may store, by their first request.
  package private(set) var objectSizes: Distribution?
  /// Number of objects whose requests differ in size, not counting requests that bypass caches.
  package private(set) var objectsWithSeveralSizes = 0
  package private(set) var requestSizes: Distribution?
  package let popularity: PopularityAnalysis
  package private(set) var ttls: Distribution?
  package private(set) var durationMicroseconds: UInt64?
  /// Number of requests per operation, indexed by `Operation.rawValue`. Ends with the last
  /// operation that occurs after modify.
  package private(set) var operations: [Int]

  package init(_ trace: PreparedTrace) {
    let columns = trace.requests
    name = trace.name
    requests = columns.count
    objects = columns.objects
    sampling = trace.sampling
    storableObjects = trace.storableObjects
    footprintBytes = trace.hasSizes ? trace.footprintBytes : nil
    let counts = TraceAnalysis.requestsPerObject(columns)
    oneHitWonders = counts.count { $0 == 1 }
    popularity = PopularityAnalysis(counts: counts)
    operations = [Int](repeating: 0, count: Operation.allCases.count)
    for index in 0..<columns.count { operations[Int(columns.operations?[index] ?? 0)] += 1 }
    while operations.count > Int(Operation.bypass.rawValue), operations.last == 0 {
      operations.removeLast()
    }
    if let sizes = columns.sizes { addSizes(columns, sizes) }
    ttls = columns.ttls.flatMap {
      Distribution(UnsafeBufferPointer(start: $0, count: columns.count), above: 0)
    }
    durationMicroseconds = columns.times.map { times in
      columns.count > 0 ? times[columns.count - 1] - times[0] : 0
    }
  }

  package var oneHitWonderShare: Double? {
    objects > 0 ? Double(oneHitWonders) / Double(objects) : nil
  }

  private mutating func addSizes(_ columns: RequestColumns, _ sizes: UnsafePointer<UInt32>) {
    let all = UnsafeBufferPointer(start: sizes, count: columns.count)
    requestSizes = Distribution(all)
    bytesRequested = all.reduce(into: 0) { $0 &+= UInt64($1) }
    var first = [UInt32?](repeating: nil, count: columns.objects)
    var differs = [Bool](repeating: false, count: columns.objects)
    for index in 0..<columns.count where columns.storesObject(index) {
      let object = Int(columns.ids[index]) - 1
      let size = first[object] ?? sizes[index]
      first[object] = size
      if sizes[index] != size { differs[object] = true }
    }
    objectSizes = first.compactMap { $0 }.withUnsafeBufferPointer { Distribution($0) }
    objectsWithSeveralSizes = differs.count { $0 }
  }

  private static func requestsPerObject(_ columns: RequestColumns) -> [UInt32] {
    var counts = [UInt32](repeating: 0, count: columns.objects)
    counts.withUnsafeMutableBufferPointer { counts in
      for index in 0..<columns.count {
        let object = Int(columns.ids[index]) - 1
        // Saturates in traces beyond 2^32 requests.
        counts[object] = counts[object] == .max ? .max : counts[object] + 1
      }
    }
    return counts
  }
}

extension RequestColumns {
  @inline(__always) fileprivate func storesObject(_ index: Int) -> Bool {
    guard let operation = operations?[index] else { return true }
    return operation == Operation.get.rawValue || operation == Operation.set.rawValue
  }
}

/// Distribution of whole numbers: exact extremes, mean and percentiles.
package struct Distribution: Sendable, Hashable {
  package let count: Int
  package let min: UInt32
  package let max: UInt32
  package let mean: Double
  private let values: [UInt32]
  static let percentiles = [50, 90, 99]

  /// Distribution of the values above `floor` (all if nil); nil when no value remains.
  package init?(_ values: UnsafeBufferPointer<UInt32>, above floor: UInt32? = nil) {
    let first = floor.map { $0 &+ 1 } ?? 0
    var (count, sum, least, most) = (0, UInt64(0), UInt32.max, UInt32(0))
    var upper = [Int](repeating: 0, count: 1 << 16)
    for value in values where value >= first {
      count += 1
      sum &+= UInt64(value)
      least = Swift.min(least, value)
      most = Swift.max(most, value)
      upper[Int(value >> 16)] += 1
    }
    guard count > 0 else { return nil }
    self.count = count
    (min, max, mean) = (least, most, Double(sum) / Double(count))
    self.values = Self.percentiles.map { percentile in
      Distribution.value(
        at: Swift.max(0, (percentile * count + 99) / 100 - 1), upper, values, from: first)
    }
  }

  /// One of `percentiles`, by nearest rank: the smallest value v for which at least that percentage
  /// of the values is at most v; nil for any other percentage.
  package func percentile(_ percentile: Int) -> UInt32? {
    Distribution.percentiles.firstIndex(of: percentile).map { values[$0] }
  }

  /// Value of a rank, given the number of values with each upper half.
  private static func value(
    at rank: Int, _ upper: [Int], _ values: UnsafeBufferPointer<UInt32>, from first: UInt32
  ) -> UInt32 {
    let (half, before) = place(of: rank, in: upper)
    var lower = [Int](repeating: 0, count: 1 << 16)
    for value in values where value >= first && Int(value >> 16) == half {
      lower[Int(value & 0xFFFF)] += 1
    }
    return UInt32(half << 16 | place(of: rank - before, in: lower).index)
  }

  private static func place(of rank: Int, in counts: [Int]) -> (index: Int, before: Int) {
    var (index, before) = (0, 0)
    while before + counts[index] <= rank {
      before += counts[index]
      index += 1
    }
    return (index, before)
  }
}
