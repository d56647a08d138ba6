import LarderEngine
import LarderTraces

/// The requests of a share of the objects of a trace.
struct SampledSource: RecordSource {
  private let trace: PreparedTrace
  private let sample: SpatialSample

  /// Requests that are looked at before those in the sample are handed on.
  private static let chunk = 1 << 16

  /// The sample of a share of the objects, above 0 and at most 1.
  ///
  /// - Throws: `CallError` for any other share.
  init(_ trace: PreparedTrace, rate: Double, seed: UInt64) throws(CallError) {
    guard rate > 0, rate <= 1 else {
      throw .number("rate", "\(rate)", expected: "a share of the objects above 0 and at most 1")
    }
    self.trace = trace
    sample = SpatialSample(rate: rate, seed: seed)
  }

  /// The trace's.
  var columns: TraceColumns { trace.columns }

  /// Keys are the trace's ids.
  var keyLimit: Int? { trace.requests.objects + 1 }

  /// The share of all objects.
  var samplingRate: Double { sample.rate * trace.sampling.rate }

  /// Which part of the objects there are, and how many gets all of them have.
  var reading: ReadingFacts {
    var facts = ReadingFacts()
    let gets = trace.sampling.isPart ? trace.sampling.gets : Self.gets(trace.requests)
    facts.sampling = TraceSampling(rate: samplingRate, gets: gets)
    return facts
  }

  private static func gets(_ requests: RequestColumns) -> UInt64 {
    guard let operations = requests.operations else { return UInt64(requests.count) }
    var gets: UInt64 = 0
    for index in 0..<requests.count where Operation.isCounted(operations[index]) { gets += 1 }
    return gets
  }

  /// Hands the sampled requests to `sink`, in batches, until it wants no more. O(requests).
  func records(into sink: RecordSink) throws {
    let requests = trace.requests
    var positions: [Int] = []
    var batch: [TraceRecord] = []
    var start = 0
    while start < requests.count {
      let end = min(start + Self.chunk, requests.count)
      positions.removeAll(keepingCapacity: true)
      batch.removeAll(keepingCapacity: true)
      sample.select(in: start..<end, of: requests, into: &positions)
      for position in positions { batch.append(record(at: position, of: requests)) }
      guard try batch.withUnsafeBufferPointer({ $0.isEmpty ? true : try sink($0) }) else { return }
      start = end
    }
  }

  private func record(at position: Int, of requests: RequestColumns) -> TraceRecord {
    var record = TraceRecord(key: UInt64(requests.ids[position]))
    if let sizes = requests.sizes { record.size = sizes[position] }
    if let times = requests.times { record.time = times[position] }
    if let operations = requests.operations { record.operation = operations[position] }
    if let ttls = requests.ttls { record.ttl = ttls[position] }
    if let costs = requests.costs { record.cost = costs[position] }
    return record
  }
}
