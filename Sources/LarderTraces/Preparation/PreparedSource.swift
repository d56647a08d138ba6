import LarderEngine

/// A prepared trace as a source of records: the keys are its dense ids.
public struct PreparedSource: RecordSource {
  /// The trace.
  public let trace: PreparedTrace

  /// A source of the trace's requests.
  public init(_ trace: PreparedTrace) { self.trace = trace }

  /// The trace's columns.
  public var columns: TraceColumns { trace.columns }

  /// One more than the largest id.
  public var keyLimit: Int? { trace.requests.objects + 1 }

  /// All of the trace's requests.
  public var requestCount: Int? { trace.requests.count }

  /// The trace's.
  public var samplingRate: Double { trace.sampling.rate }

  /// Which part of the objects the trace has.
  public var reading: ReadingFacts {
    var facts = ReadingFacts()
    facts.sampling = trace.sampling
    return facts
  }

  /// Hands all requests to `sink`, in batches, until it wants no more.
  ///
  /// - Complexity: O(requests).
  public func records(into sink: RecordSink) throws {
    try withoutActuallyEscaping(sink) { sink in
      try fill(RecordBatch(skipsZeroSizes: false, sink: sink))
    }
  }

  /// Puts all requests into `batch`.
  func fill(_ batch: RecordBatch) throws {
    let requests = trace.requests
    var start = 0
    while start < requests.count {
      let count = min(RecordBatch.capacity, requests.count - start)
      for i in 0..<count {
        var record = TraceRecord(key: UInt64(requests.ids[start + i]))
        if let sizes = requests.sizes { record.size = sizes[start + i] }
        if let times = requests.times { record.time = times[start + i] }
        if let operations = requests.operations { record.operation = operations[start + i] }
        if let ttls = requests.ttls { record.ttl = ttls[start + i] }
        if let costs = requests.costs { record.cost = costs[start + i] }
        if let prompts = trace.prompts { record.prompt = prompts[start + i] }
        batch.records[i] = record
      }
      batch.count = count
      start += count
      guard try batch.flush() else { return }
    }
  }
}

extension PreparedTrace {
  /// The columns that the trace has beside the ids.
  public var columns: TraceColumns {
    var columns: TraceColumns = []
    if requests.sizes != nil { columns.insert(.size) }
    if requests.times != nil { columns.insert(.time) }
    if requests.operations != nil { columns.insert(.operation) }
    if requests.ttls != nil { columns.insert(.ttl) }
    if requests.costs != nil { columns.insert(.cost) }
    if prompts != nil { columns.insert(.prompt) }
    return columns
  }
}
