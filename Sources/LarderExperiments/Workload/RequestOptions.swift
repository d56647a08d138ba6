import LarderEngine
import LarderPolicies

// Options that commands and calls of the C library have in common: one name, one reader, one
// message.

extension Parameter {
  package static let policy = Parameter(
    "policy", default: "", "Policies, separated by commas; all for every policy.")
  package static let capacity = Parameter(
    "capacity", default: "", "Capacities, separated by commas.")
  package static let admission = Parameter(
    "admission", default: "", "Admission filters, separated by commas.")
  package static let ignoreSize = Parameter(
    "ignore-size", .flag, default: "false", "Give every object size 1.")
  package static let seed = Parameter("seed", default: "1", "Seed of random choices.")
  package static let threads = Parameter(
    "threads", .count(1...1024), default: "1", "Number of cells to simulate at the same time.")
}

extension ParameterReader {
  package func refusal(_ name: String, _ message: String) -> ComponentError {
    ComponentError(component: component.name, parameter: name, message: message)
  }

  package func capacities() throws(CapacityError) -> [CapacitySpec] {
    guard let text = text("capacity") else { return [] }
    return try CapacitySpec.list(parsing: text)
  }

  package func filters() throws(PolicyError) -> [PolicySpec]? {
    guard let text = text("admission") else { return nil }
    var filters: [PolicySpec] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let filter = try PolicySpec(parsing: part.trimmed)
      try AdmissionRegistry.validate(filter)
      filters.append(filter)
    }
    return filters
  }

  /// The unit of capacities; nil to take that of the trace.
  package func capacityUnit() throws(ComponentError) -> CapacityUnit? {
    try flag("ignore-size") == true ? .objects : nil
  }

  package func seed() throws(ComponentError) -> UInt64? {
    guard let text = text("seed") else { return nil }
    guard let seed = Quantity.count.amount(text) else {
      throw wrong("seed", expected: "a whole number from 0 to \(UInt64.max)")
    }
    return seed
  }
}

extension FetchSpec {
  package static let options = [
    Parameter("fetch", default: "", "Time of a fetch: 100ms:servers=8, or 1000requests.")
  ]

  private static let details = [
    Parameter("bandwidth", default: "", "Bytes per second of one fetch: 100MB/s."),
    Parameter("disk-read", default: "", "Time to read an object from the cache: 100us."),
    Parameter(
      "servers", .count(1...FetchModel.serversMax), default: "1",
      "Fetches that the origin serves at the same time."),
    Parameter(
      "coalescing", .flag, default: "true", "Requests for an object in flight wait for its fetch."),
  ]

  /// The fetches of the option `fetch`, such as `100ms:servers=8`; nil if they take no time.
  package init?(_ options: ParameterReader) throws(ComponentError) {
    guard let text = options.text("fetch") else { return nil }
    var given = try ComponentSpec(parsing: text)
    guard var spec = FetchSpec.fetch(parsing: given.name) else {
      throw options.wrong("fetch", expected: "a time such as 100ms, or 1000requests")
    }
    given.name = "fetch"
    let reader = try ParameterReader(given, parameters: Self.details)
    if let bandwidth = reader.text("bandwidth") {
      guard let bytes = FetchSpec.bandwidth(parsing: bandwidth) else {
        throw reader.wrong("bandwidth", expected: "bytes per second, such as 100MB/s")
      }
      spec.bytesPerSecond = bytes
    }
    if let text = reader.text("disk-read") {
      guard let read = FetchSpec.fetch(parsing: text) else {
        throw reader.wrong("disk-read", expected: "a time such as 100us, or 10requests")
      }
      spec.setDiskRead(read)
      guard spec.hasOneClock else {
        throw reader.wrong("disk-read", expected: "the unit of the fetch: two times, or two counts")
      }
    }
    if reader.text("servers") != nil { spec.servers = try reader.whole("servers") }
    spec.coalesces = try reader.flag("coalescing") ?? true
    self = spec
  }
}

extension Workload {
  package static let simulationOptions: [Parameter] =
    [.policy, .capacity, .admission, .ignoreSize, .seed, .threads] + FetchSpec.options

  package static func configurations(_ options: ParameterReader) throws -> [ConfigurationSpec] {
    let time = try FetchSpec(options)
    let kind: ConfigurationKind = time?.diskRead == nil ? .memory : .disk
    var cache = ConfigurationSpec(name: kind.rawValue, kind: kind)
    cache.time = time
    return try options.filters()?.map { cache.guarded(by: $0) } ?? [cache]
  }
}

extension CurveSettings {
  package static let options: [Parameter] = [
    .policy, .capacity, .ignoreSize, .seed, .threads,
    Parameter("points", .count(2...10_000), default: "50", "Number of capacities to choose."),
    Parameter(
      "method", default: "auto", "auto, exact, shards or miniature, such as shards:samples=8192."),
    Parameter("sample", .share, default: "", "Share of the objects to sample."),
  ]

  private static let details = [
    Parameter("samples", .count(1...1 << 30), default: "", "Number of objects to sample.")
  ]

  package init(_ options: ParameterReader, threads: Int) throws {
    let given = try ComponentSpec(parsing: options.text("method") ?? "auto")
    let details = try ParameterReader(given, parameters: Self.details)
    guard let method = CurveMethod(rawValue: given.name) else {
      let known = CurveMethod.allCases.map(\.rawValue)
      throw options.wrong("method", expected: ParameterKind.choice(known).expectation)
    }
    self.init(
      policies: try PolicySpec.checkedList(parsing: options.text("policy") ?? "lru"),
      capacities: try options.capacities(), points: try options.whole("points"),
      unit: try options.capacityUnit(), method: method, rate: try options.share("sample"),
      samples: details.text("samples") == nil ? nil : try details.whole("samples"),
      seed: try options.seed() ?? 1, threads: threads)
    if samples != nil, method != .shards {
      throw options.refusal("method", "samples= requires the method shards")
    }
    if samples != nil, rate != nil {
      throw options.refusal("sample", "excludes samples=; keep one")
    }
    if rate == 0 { throw options.wrong("sample", expected: "a share above 0, such as 1%") }
  }
}

extension AdviceSettings {
  package static let options: [Parameter] = [
    .policy, .capacity, .ignoreSize, .seed, .threads,
    Parameter(
      "tiers", .choice(AdviceTiers.allCases.map(\.rawValue)), default: "auto",
      "Tiers of the design."),
    Parameter(
      "prefix", .choice(PromptOrder.allCases.map(\.rawValue)), default: "",
      "Order of the blocks of prompts."),
    Parameter("prices", default: "", "File with prices."),
    Parameter(
      "max-requests", .count(1...Int.max), default: "", "Number of requests to replay at most."),
    Parameter("learn", default: "50%", "Share of the requests that designs are chosen on."),
  ]

  package mutating func apply(_ options: ParameterReader) throws {
    if options.text("capacity") != nil { capacities = try options.capacities() }
    unit = try options.capacityUnit() ?? unit
    if let policy = options.text("policy"), policy != "all" {
      policies = try PolicySpec.checkedList(parsing: policy)
    }
    if options.text("tiers") != nil {
      tiers = try options.choice("tiers", of: AdviceTiers.self) ?? tiers
    }
    prefix = try options.choice("prefix", of: PromptOrder.self) ?? prefix
    if prefix != nil, tiers == .hybrid {
      throw options.refusal("prefix", "cannot be combined with the tiers hybrid")
    }
    seed = try options.seed() ?? seed
    if let learn = options.text("learn") {
      guard let share = Self.learned(learn) else {
        throw options.wrong(
          "learn", expected: "a share above 0% and below 100%, such as 50%, or whole")
      }
      learned = share
    }
    if options.text("max-requests") != nil {
      requestsMax = Double(try options.whole("max-requests"))
    }
  }
}
