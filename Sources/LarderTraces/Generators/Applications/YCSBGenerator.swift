import LarderEngine

/// YCSB's core workloads from the view of a cache. Cooper, Silberstein, Tam, Ramakrishnan and
/// Sears, Benchmarking Cloud Serving Systems with YCSB, SoCC 2010, table 2.
///
/// Updates and inserts are sets, a scan is a get of each of its records, read-modify-write is a get
/// and a set of one record. YCSB approximates Zipf's law (Gray et al. 1994) and spreads it over ten
/// thousand million ranks before hashing; this generator draws exactly from the law over the
/// existing records, as the paper describes it.
enum YCSBGenerator {
  static func registered(_ workload: YCSBWorkload) -> RegisteredGenerator {
    let hasScans = workload.shares[3] > 0
    var parameters = [
      Parameter.objects(
        default: "100k", "Initial number of records.",
        origin: "not fixed by YCSB (its files have 1000); a round number"),
      .exponent(default: "0.99", origin: "YCSB's Zipfian constant"),
      Parameter(
        "record-size", .bytes(1...4_294_967_295), default: "1000",
        "Bytes of a record, if the workload gives no sizes.",
        origin: "ten fields of 100 bytes, YCSB's default"),
    ]
    if hasScans {
      parameters.append(
        Parameter(
          "scan-length", .count(1...1_000_000), default: "100",
          "Maximum scan length; lengths from 1 to this are equally likely.",
          origin: "maxscanlength of YCSB's workload E"))
    }
    let description = GeneratorDescription(
      name: "ycsb-\(workload.letter)",
      summary: "YCSB workload \(workload.letter.uppercased()), \(workload.example).",
      parameters: parameters, columns: workload.shares[0] == 1 ? [.size] : [.size, .operation],
      source: "Cooper et al., Benchmarking Cloud Serving Systems with YCSB, SoCC 2010.")
    return RegisteredGenerator(description) { setup throws(ComponentError) in
      try plan(workload, setup)
    }
  }

  private static func plan(
    _ workload: YCSBWorkload, _ setup: GeneratorSetup
  ) throws(ComponentError) -> GeneratorPlan {
    let objects = try setup.parameters.whole("objects")
    let scanLength = workload.shares[3] > 0 ? try setup.parameters.whole("scan-length") : 1
    // An operation is at least one request, a scan half its longest length on average.
    let perOperation = 1 + workload.shares[3] * Double(scanLength - 1) / 2
    let budget = ArrivalBudget.objects(
      requests: setup.requests, share: workload.shares[2] / perOperation)
    guard objects + budget <= Parameter.objectsMax else {
      throw setup.parameters.wrong(
        "objects", expected: "fewer records, to leave numbers for inserted ones")
    }
    let exponent = try setup.parameters.number("exponent")
    let size = UInt32(try setup.parameters.whole("record-size"))
    let (seed, objectSeed) = (setup.seed, setup.objectSeed)
    return GeneratorPlan(keyLimit: objects + budget) {
      YCSBCursor(
        YCSBCursor.State(
          random: RandomStream(seed: seed),
          operations: AliasTable(weights: workload.shares),
          sampler: ZipfSampler(count: objects + budget, exponent: exponent),
          scatter: Permutation(count: objects + budget, seed: objectSeed),
          popularity: workload.popularity, scanLength: UInt64(scanLength), size: size,
          count: UInt64(objects), limit: UInt64(objects + budget)))
    }
  }
}

/// A core workload of the Yahoo! Cloud Serving Benchmark: the shares of its operations and its
/// choice of records.
struct YCSBWorkload: Sendable {
  /// Distribution of popularity over records.
  enum Popularity: Sendable {
    /// Zipf's law over all records, with the popular ones scattered.
    case zipfian
    /// Zipf's law over the age, newest first.
    case latest
  }

  /// Letter in lower case.
  let letter: String
  /// Shares of read, update, insert, scan and read-modify-write.
  let shares: [Double]
  let popularity: Popularity
  /// Example from the paper, in a few words.
  let example: String

  static let all = [
    YCSBWorkload(
      letter: "a", shares: [0.5, 0.5, 0, 0, 0], popularity: .zipfian,
      example: "update heavy: half reads, half updates; a session store"),
    YCSBWorkload(
      letter: "b", shares: [0.95, 0.05, 0, 0, 0], popularity: .zipfian,
      example: "read mostly: 95 % reads, 5 % updates; photo tags"),
    YCSBWorkload(
      letter: "c", shares: [1, 0, 0, 0, 0], popularity: .zipfian,
      example: "read only; a cache of user profiles"),
    YCSBWorkload(
      letter: "d", shares: [0.95, 0, 0.05, 0, 0], popularity: .latest,
      example: "read latest: 95 % reads, 5 % inserts; status updates"),
    YCSBWorkload(
      letter: "e", shares: [0, 0, 0.05, 0.95, 0], popularity: .zipfian,
      example: "short ranges: 95 % scans, 5 % inserts; threaded conversations"),
    YCSBWorkload(
      letter: "f", shares: [0.5, 0, 0, 0, 0.5], popularity: .zipfian,
      example: "read-modify-write: half reads, half read and written back; user records"),
  ]
}

final class YCSBCursor: RecordCursor {
  private var state: State

  init(_ state: State) { self.state = state }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    state.fill(buffer)
    return buffer.count
  }

  /// A struct, so that a batch is one exclusive access.
  struct State {
    var random: RandomStream
    /// Read, update, insert, scan, read-modify-write.
    let operations: AliasTable
    /// Samples from the final number of records; ranks of records not yet inserted are redrawn.
    let sampler: ZipfSampler
    let scatter: Permutation
    let popularity: YCSBWorkload.Popularity
    let scanLength: UInt64
    let size: UInt32
    /// Current and maximum number of records.
    var count: UInt64
    let limit: UInt64
    /// Next record of the current scan, and number of records left.
    var scanNext: UInt64 = 0
    var scanLeft: UInt64 = 0
    /// Record to write back after it was read.
    var writeBack: UInt64?

    mutating func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) {
      for index in buffer.indices { buffer[index] = next() }
    }

    private mutating func next() -> TraceRecord {
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
        switch popularity {
        case .latest:
          if rank <= count { return count &- rank }
        case .zipfian:
          let key = scatter(rank &- 1)
          if key < count { return key }
        }
      }
    }

    @inline(__always) private func record(_ key: UInt64, _ operation: Operation) -> TraceRecord {
      TraceRecord(key: key, size: size, operation: operation)
    }
  }
}
