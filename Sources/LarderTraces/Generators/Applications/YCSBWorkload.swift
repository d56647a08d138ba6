import LarderEngine

/// A core workload of the Yahoo! Cloud Serving Benchmark (Cooper et al., SoCC 2010, table 2) from
/// the view of a cache: updates and inserts are sets, a scan is a get of each of its records,
/// read-modify-write a get and a set. YCSB approximates Zipf's law over ten thousand million ranks;
/// this draws exactly from the law over the existing records, as the paper describes it.
struct YCSBWorkload: Sendable {
  let letter: String
  let shares: [Double]
  let example: String
  /// True for Zipf's law over the age; false for the law over all records, scattered.
  var isLatest: Bool { letter == "d" }

  static let all = [
    YCSBWorkload(
      letter: "a", shares: [0.5, 0.5, 0, 0, 0],
      example: "update heavy: half reads, half updates; a session store"),
    YCSBWorkload(
      letter: "b", shares: [0.95, 0.05, 0, 0, 0],
      example: "read mostly: 95 % reads, 5 % updates; photo tags"),
    YCSBWorkload(
      letter: "c", shares: [1, 0, 0, 0, 0], example: "read only; a cache of user profiles"),
    YCSBWorkload(
      letter: "d", shares: [0.95, 0, 0.05, 0, 0],
      example: "read latest: 95 % reads, 5 % inserts; status updates"),
    YCSBWorkload(
      letter: "e", shares: [0, 0, 0.05, 0.95, 0],
      example: "short ranges: 95 % scans, 5 % inserts; threaded conversations"),
    YCSBWorkload(
      letter: "f", shares: [0.5, 0, 0, 0, 0.5],
      example: "read-modify-write: half reads, half read and written back; user records"),
  ]

  var generator: RegisteredGenerator {
    var parameters = [
      Parameter.objects("100k", "Initial number of records.", from: "not fixed by YCSB"),
      .exponent("0.99", from: "YCSB"),
      Parameter(
        "record-size", .bytes(1...4_294_967_295), default: "1000",
        "Bytes of a record, if the workload gives no sizes.",
        origin: "ten fields of 100 bytes, YCSB's default"),
    ]
    if shares[3] > 0 {
      parameters.append(
        .count("scan-length", 1...1_000_000, "100", "Longest scan; 1 to this.", from: "YCSB"))
    }
    return RegisteredGenerator(
      name: "ycsb-\(letter)", summary: "YCSB workload \(letter.uppercased()), \(example).",
      parameters: parameters, columns: shares[0] == 1 ? [.size] : [.size, .operation],
      source: "Cooper et al., Benchmarking Cloud Serving Systems with YCSB, SoCC 2010.",
      make: plan)
  }

  private func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.whole("objects")
    let scanLength = shares[3] > 0 ? try setup.whole("scan-length") : 1
    // An operation is at least one request, a scan half its longest length on average.
    let perOperation = 1 + shares[3] * Double(scanLength - 1) / 2
    let limit = objects + setup.arrivals(share: shares[2] / perOperation)
    guard limit <= Parameter.objectsMax else {
      throw setup.parameters.wrong(
        "objects", expected: "fewer records, to leave numbers for inserted ones")
    }
    let stream = YCSBStream(
      random: RandomStream(seed: setup.seed), operations: AliasTable(weights: shares),
      sampler: try setup.sampler(of: limit),
      scatter: Permutation(count: limit, seed: setup.objectSeed), isLatest: isLatest,
      scanLength: UInt64(scanLength), size: UInt32(try setup.whole("record-size")),
      count: UInt64(objects), limit: UInt64(limit))
    return GeneratorPlan(keyLimit: limit, stream: stream)
  }
}

private struct YCSBStream: RecordStream {
  var random: RandomStream
  let operations: AliasTable
  /// Samples from the final number of records; ranks of records not yet inserted are redrawn.
  let sampler: ZipfSampler
  let scatter: Permutation
  let isLatest: Bool
  let scanLength: UInt64
  let size: UInt32
  var count: UInt64
  let limit: UInt64
  var scanNext: UInt64 = 0
  var scanLeft: UInt64 = 0
  var writeBack: UInt64?

  mutating func next() -> TraceRecord {
    if scanLeft > 0 { return scanStep() }
    if let key = writeBack {
      writeBack = nil
      return record(key, .set)
    }
    switch operations.index(random.next()) {
    case 0: return record(choose(), .get)
    case 1: return record(choose(), .set)
    case 2:
      // The limit is enough for all but one in a thousand million traces; beyond it, the newest
      // record is written again.
      if count < limit { count &+= 1 }
      return record(count &- 1, .set)
    case 3:
      scanNext = choose()
      scanLeft = 1 + random.next(below: scanLength)
      return scanStep()
    default:
      let key = choose()
      writeBack = key
      return record(key, .get)
    }
  }

  private mutating func scanStep() -> TraceRecord {
    let key = scanNext
    scanLeft &-= 1
    scanNext &+= 1
    if scanNext >= count { scanNext = 0 }
    return record(key, .get)
  }

  @inline(__always) private mutating func choose() -> UInt64 {
    while true {
      let rank = sampler.rank(&random)
      if isLatest {
        if rank <= count { return count &- rank }
      } else {
        let key = scatter(rank &- 1)
        if key < count { return key }
      }
    }
  }

  @inline(__always) private func record(_ key: UInt64, _ operation: Operation) -> TraceRecord {
    TraceRecord(key: key, size: size, operation: operation)
  }
}
