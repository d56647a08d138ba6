/// The core workloads of YCSB as a cache sees them. Cooper, Silberstein, Tam, Ramakrishnan and
/// Sears, Benchmarking Cloud Serving Systems with YCSB, SoCC 2010, table 2.
///
/// Updates and inserts are sets, a scan is a get of each of its records, read-modify-write is a get
/// and a set of the same record. Where YCSB approximates Zipf's law (Gray et al. 1994) and spreads
/// it over ten thousand million ranks before hashing, this draws exactly from the law over the
/// records there are, as the paper describes it.
enum YCSBGenerator {
  static func registered(_ workload: YCSBWorkload) -> RegisteredGenerator {
    let hasScans = workload.shares[3] > 0
    var parameters = [
      GeneratorParameter.objects(
        default: "100k", "Initial number of records.",
        origin: "YCSB leaves it open (its files say 1000); a round number"),
      .exponent(default: "0.99", origin: "YCSB's Zipfian constant"),
      GeneratorParameter(
        "record-size", .bytes(1...4_294_967_295), default: "1000",
        "Bytes of a record, if the workload gives no sizes.",
        origin: "ten fields of 100 bytes, YCSB's default"),
    ]
    if hasScans {
      parameters.append(
        GeneratorParameter(
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
    let objects = try setup.parameters.count("objects")
    let scanLength = workload.shares[3] > 0 ? try setup.parameters.count("scan-length") : 1
    // An operation is at least one request, a scan half its longest length on average.
    let perOperation = 1 + workload.shares[3] * Double(scanLength - 1) / 2
    let budget = ArrivalBudget.objects(
      requests: setup.requests, share: workload.shares[2] / perOperation)
    guard objects + budget <= GeneratorParameter.objectsMax else {
      throw setup.parameters.badValue(
        "objects", expected: "fewer records, so that inserted ones can be numbered too")
    }
    let exponent = try setup.parameters.number("exponent")
    let size = UInt32(try setup.parameters.bytes("record-size"))
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
