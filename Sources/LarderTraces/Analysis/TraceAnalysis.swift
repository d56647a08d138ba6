import LarderEngine

/// What there is to know about a trace before any cache has seen it.
///
/// Popularity counts every request of an object, whatever its operation.
public struct TraceAnalysis: Sendable {
  /// The trace's name.
  public var name: String
  /// Number of requests.
  public var requests: Int
  /// Number of distinct objects.
  public var objects: Int
  /// Which part of all objects the trace has; every other figure is of that part.
  public var sampling: TraceSampling
  /// Number of the objects that a cache may store.
  public var storableObjects: Int
  /// Bytes of the objects that a cache may store; nil without sizes.
  public var footprintBytes: UInt64?
  /// Bytes of all requests; nil without sizes.
  public var bytesRequested: UInt64?
  /// Objects that are requested only once.
  public var oneHitWonders: Int
  /// Sizes over the objects that a cache may store, by each one's first request; nil without sizes.
  public var objectSizes: Distribution?
  /// Objects whose requests have more than one size, those that pass all caches left out.
  public var objectsWithSeveralSizes = 0
  /// Sizes over requests; nil without sizes.
  public var requestSizes: Distribution?
  /// How requests spread over objects.
  public var popularity: PopularityAnalysis
  /// Times to live in seconds over the requests that have one; nil when none has.
  public var ttls: Distribution?
  /// From the first to the last request, in microseconds; nil without times.
  public var durationMicroseconds: UInt64?
  /// Requests whose time was before that of the request ahead of them (they were given that one).
  public var timesRaised: Int
  /// Number of requests of each operation, by `Operation.rawValue`, up to the last that occurs
  /// beyond modify.
  public var operations: [Int]

  /// Looks at all of a trace.
  ///
  /// Takes 4 bytes an object (8 with sizes) while it runs.
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

  /// One-hit wonders as a share of the objects; nil without objects.
  public var oneHitWonderShare: Double? {
    objects > 0 ? Double(oneHitWonders) / Double(objects) : nil
  }

  private static func requestsPerObject(_ columns: RequestColumns) -> [UInt32] {
    var counts = [UInt32](repeating: 0, count: columns.objects)
    counts.withUnsafeMutableBufferPointer { counts in
      for index in 0..<columns.count {
        let object = Int(columns.ids[index]) - 1
        // Stays at the largest number rather than begin again, in traces beyond 2^32 requests.
        counts[object] = counts[object] == .max ? .max : counts[object] + 1
      }
    }
    return counts
  }

  /// The size of each object's first request that stores it or is answered from a cache.
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
  /// Whether a cache has the object behind the request, if it keeps all that it may: a get or a
  /// set.
  @inline(__always)
  fileprivate func storesObject(_ index: Int) -> Bool {
    guard let operation = operations?[index] else { return true }
    return operation == Operation.get.rawValue || operation == Operation.set.rawValue
  }
}
