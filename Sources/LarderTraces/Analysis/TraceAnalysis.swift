import LarderEngine

/// Statistics of a trace, independent of any cache.
///
/// Popularity counts every request of an object, whatever its operation.
public struct TraceAnalysis: Sendable {
  /// The trace's name.
  public var name: String
  /// Number of requests.
  public var requests: Int
  /// Number of distinct objects.
  public var objects: Int
  /// Sampling rate of the trace; all other figures describe the sample.
  public var sampling: TraceSampling
  /// Number of objects that a cache may store.
  public var storableObjects: Int
  /// Total size of the objects that a cache may store, in bytes; nil without sizes.
  public var footprintBytes: UInt64?
  /// Total size of all requests, in bytes; nil without sizes.
  public var bytesRequested: UInt64?
  /// Number of objects that are requested only once.
  public var oneHitWonders: Int
  /// Sizes of the objects that a cache may store, by their first request; nil without sizes.
  public var objectSizes: Distribution?
  /// Number of objects whose requests differ in size, not counting requests that bypass caches.
  public var objectsWithSeveralSizes = 0
  /// Sizes of all requests; nil without sizes.
  public var requestSizes: Distribution?
  /// Distribution of requests over objects.
  public var popularity: PopularityAnalysis
  /// TTLs in seconds of the requests that have one; nil if none has.
  public var ttls: Distribution?
  /// Time from the first to the last request, in microseconds; nil without times.
  public var durationMicroseconds: UInt64?
  /// Number of requests with a time before that of the previous request; they were given that time.
  public var timesRaised: Int
  /// Number of requests per operation, indexed by `Operation.rawValue`. Ends with the last
  /// operation that occurs after modify.
  public var operations: [Int]

  /// Analyses a complete trace.
  ///
  /// Needs 4 bytes per object (8 with sizes) while it runs.
  ///
  /// - Complexity: O(requests + objects log objects).
  public init(_ trace: PreparedTrace) {
    let columns = trace.requests
    name = trace.name
    requests = columns.count
    objects = columns.objects
    sampling = trace.sampling
    timesRaised = trace.timesRaised
    storableObjects = trace.storableObjects
    footprintBytes = trace.hasSizes ? trace.footprintBytes : nil
    let counts = TraceAnalysis.requestsPerObject(columns)
    oneHitWonders = counts.reduce(into: 0) { $0 += $1 == 1 ? 1 : 0 }
    popularity = PopularityAnalysis(counts: counts)
    if let sizes = columns.sizes {
      let all = UnsafeBufferPointer(start: sizes, count: columns.count)
      requestSizes = Distribution(all)
      bytesRequested = all.reduce(into: 0) { $0 &+= UInt64($1) }
      let first = TraceAnalysis.firstSizes(columns, sizes)
      objectSizes = first.compactMap { $0 }.withUnsafeBufferPointer { Distribution($0) }
      var differs = [Bool](repeating: false, count: columns.objects)
      for index in 0..<columns.count where columns.storesObject(index) {
        let object = Int(columns.ids[index]) - 1
        if sizes[index] != first[object] { differs[object] = true }
      }
      objectsWithSeveralSizes = differs.count { $0 }
    }
    if let ttls = columns.ttls {
      self.ttls = Distribution(
        UnsafeBufferPointer(start: ttls, count: columns.count), above: 0)
    }
    if let times = columns.times {
      durationMicroseconds = columns.count > 0 ? times[columns.count - 1] - times[0] : 0
    }
    operations = [Int](repeating: 0, count: Operation.allCases.count)
    if let column = columns.operations {
      for index in 0..<columns.count { operations[Int(column[index])] += 1 }
    } else {
      operations[Int(Operation.get.rawValue)] = columns.count
    }
    while operations.count > Int(Operation.bypass.rawValue), operations.last == 0 {
      operations.removeLast()
    }
  }

  /// Share of the objects that are requested only once; nil without objects.
  public var oneHitWonderShare: Double? {
    objects > 0 ? Double(oneHitWonders) / Double(objects) : nil
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

  private static func firstSizes(
    _ columns: RequestColumns, _ sizes: UnsafePointer<UInt32>
  ) -> [UInt32?] {
    var first = [UInt32?](repeating: nil, count: columns.objects)
    for index in 0..<columns.count where columns.storesObject(index) {
      let object = Int(columns.ids[index]) - 1
      if first[object] == nil { first[object] = sizes[index] }
    }
    return first
  }
}

extension RequestColumns {
  @inline(__always) fileprivate func storesObject(_ index: Int) -> Bool {
    guard let operation = operations?[index] else { return true }
    return operation == Operation.get.rawValue || operation == Operation.set.rawValue
  }
}

/// Distribution of whole numbers: exact extremes, mean and percentiles.
public struct Distribution: Sendable, Hashable {
  /// Number of values.
  public let count: Int
  /// Smallest value.
  public let min: UInt32
  /// Largest value.
  public let max: UInt32
  /// Arithmetic mean.
  public let mean: Double
  /// Values at the percentiles of `Distribution.percentiles`, by nearest rank: the smallest value v
  /// for which at least that percentage of the values is at most v.
  public let percentileValues: [UInt32]

  /// The percentiles that are computed.
  public static let percentiles: [Double] = [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9]

  /// Distribution of the values above `floor` (all if nil); nil when no value remains.
  ///
  /// - Complexity: O(values).
  public init?(_ values: UnsafeBufferPointer<UInt32>, above floor: UInt32? = nil) {
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
    min = least
    max = most
    mean = Double(sum) / Double(count)
    percentileValues = Distribution.values(
      atRanks: Distribution.percentiles.map { Distribution.rank($0, of: count) },
      upper: upper, values: values, first: first)
  }

  /// Returns the value at one of `Distribution.percentiles`; nil for any other percentile.
  public func percentile(_ percentile: Double) -> UInt32? {
    Distribution.percentiles.firstIndex(of: percentile).map { percentileValues[$0] }
  }

  private static func rank(_ percentile: Double, of count: Int) -> Int {
    // In tenths, because 99.9 per cent of 1000 is slightly above 999 in floating point.
    let tenths = Int((percentile * 10).rounded())
    return Swift.min(count - 1, Swift.max(0, (tenths * count + 999) / 1000 - 1))
  }

  private static func values(
    atRanks ranks: [Int], upper: [Int], values: UnsafeBufferPointer<UInt32>, first: UInt32
  ) -> [UInt32] {
    var places: [(half: Int, rest: Int)] = []
    var (half, before) = (0, 0)
    for rank in ranks {
      while before + upper[half] <= rank {
        before += upper[half]
        half += 1
      }
      places.append((half, rank - before))
    }
    var lower: [[Int]] = []
    var slots = [Int8](repeating: -1, count: 1 << 16)
    for place in places where slots[place.half] < 0 {
      slots[place.half] = Int8(lower.count)
      lower.append([Int](repeating: 0, count: 1 << 16))
    }
    for value in values where value >= first {
      let slot = slots[Int(value >> 16)]
      if slot >= 0 { lower[Int(slot)][Int(value & 0xFFFF)] += 1 }
    }
    return places.map { place in
      var (low, rest) = (0, place.rest)
      let counts = lower[Int(slots[place.half])]
      while rest >= counts[low] {
        rest -= counts[low]
        low += 1
      }
      return UInt32(place.half << 16 | low)
    }
  }
}
