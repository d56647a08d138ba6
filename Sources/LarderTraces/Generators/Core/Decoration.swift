import LarderEngine

struct Decoration {
  private var sizes: ObjectValues?
  private var ttls: ObjectValues?
  private var operations: OperationMix?
  /// Requests per second; nil if the generator has times or none are needed.
  private let rate: Double?
  private var records = 0
  let columns: TraceColumns

  init(
    _ spec: GeneratorSpec, own: TraceColumns, keyLimit: Int?, seed: UInt64, objectSeed: UInt64
  ) throws(ComponentError) {
    let name = spec.component.name
    var columns: TraceColumns = []
    if let asked = spec.sizes {
      sizes = ObjectValues(
        try DistributionRegistry.distribution(asked, of: .bytes), keyLimit: keyLimit,
        seed: RandomStream.derived(objectSeed, 0x517e))
      columns.insert(.size)
    }
    if let asked = spec.ttls {
      ttls = ObjectValues(
        try DistributionRegistry.distribution(asked, of: .seconds), keyLimit: keyLimit,
        seed: RandomStream.derived(objectSeed, 0x771))
      columns.formUnion([.ttl, .time])
    }
    if let shares = spec.operations {
      guard !own.contains(.operation) else {
        throw ComponentError(
          component: name, parameter: "operations",
          message: "this generator sets operations itself; remove them")
      }
      let mix = try OperationMix(shares, generator: name, seed: seed)
      if !mix.isOnlyGets {
        operations = mix
        columns.insert(.operation)
      }
    }
    if let rate = spec.rate {
      try Self.check(rate, spec: spec, own: own)
      columns.insert(.time)
    }
    rate = own.contains(.time) || !columns.contains(.time) ? nil : spec.rate ?? 1000
    self.columns = columns
  }

  mutating func apply(to batch: UnsafeMutableBufferPointer<TraceRecord>) {
    sizes?.fillSizes(of: batch)
    ttls?.fillTTLs(of: batch)
    operations?.fill(batch)
    if let rate {
      let microseconds = 1e6 / rate
      for index in batch.indices {
        batch[index].time = UInt64(Double(records &+ index) * microseconds)
      }
    }
    records += batch.count
  }

  private static func check(
    _ rate: Double, spec: GeneratorSpec, own: TraceColumns
  ) throws(ComponentError) {
    func error(_ message: String) -> ComponentError {
      ComponentError(component: spec.component.name, parameter: "rate", message: message)
    }
    guard !own.contains(.time) else {
      throw error("this generator sets times itself; remove the rate")
    }
    guard rate > 0, rate.isFinite else {
      throw error("expected requests per second above 0, found \(rate)")
    }
    // Three hundred years in microseconds, far from overflow.
    guard Double(spec.requests) / rate < 1e10 else {
      throw error("\(spec.requests) requests at \(rate) per second would take more than 300 years")
    }
  }
}

/// A trace without sizes, with those of a distribution.
struct SizedSource: RecordSource {
  private let trace: any RecordSource
  private let sizes: ObjectValues

  init(_ trace: any RecordSource, _ sizes: ComponentSpec, seed: UInt64) throws {
    guard !trace.columns.contains(.size) else {
      throw ComponentError(
        component: "trace", parameter: "sizes", message: "the trace has sizes; remove 'sizes'")
    }
    self.trace = trace
    self.sizes = ObjectValues(
      try DistributionRegistry.distribution(sizes, of: .bytes), keyLimit: nil,
      seed: RandomStream.derived(seed, 0x517e))
  }

  var columns: TraceColumns { trace.columns.union(.size) }
  var requestCount: Int? { trace.requestCount }
  var samplingRate: Double { trace.samplingRate }
  var reading: ReadingFacts { trace.reading }

  func records(into sink: RecordSink) throws {
    var sizes = sizes
    try trace.records { batch in
      let sized = UnsafeMutableBufferPointer<TraceRecord>.allocate(capacity: batch.count)
      defer { sized.deallocate() }
      _ = sized.initialize(from: batch)
      sizes.fillSizes(of: sized)
      for index in sized.indices { sized[index].isSizeKnown = true }
      return try sink(UnsafeBufferPointer(sized))
    }
  }
}

final class DecoratedCursor: RecordCursor {
  private let generator: any RecordCursor
  private var decoration: Decoration
  private var left: Int

  init(_ generator: any RecordCursor, decoration: Decoration, requests: Int) {
    self.generator = generator
    self.decoration = decoration
    left = requests
  }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int {
    guard left > 0 else { return 0 }
    let wanted = UnsafeMutableBufferPointer(rebasing: buffer[..<min(buffer.count, left)])
    let count = try generator.fill(wanted)
    decoration.apply(to: UnsafeMutableBufferPointer(rebasing: wanted[..<count]))
    left -= count
    return count
  }
}

struct OperationMix {
  private let table: AliasTable
  private var random: RandomStream

  let isOnlyGets: Bool

  init(_ shares: [String: Double], generator: String, seed: UInt64) throws(ComponentError) {
    func wrong(_ message: String) -> ComponentError {
      ComponentError(component: generator, parameter: "operations", message: message)
    }
    let names = Operation.allCases.filter { $0.rawValue < Operation.bypass.rawValue }.map(\.word)
    for name in shares.keys.sorted() {
      guard names.contains(name) else {
        throw wrong(UnknownName.message("operation", name, among: names))
      }
      guard let share = shares[name], share >= 0, share <= 1 else {
        throw wrong("expected a share from 0 to 1 for \(name), found \(shares[name] ?? .nan)")
      }
    }
    let weights = names.map { shares[$0] ?? 0 }
    let total = weights.reduce(0, +)
    guard abs(total - 1) <= 1e-6 else {
      throw wrong("expected shares with a sum of 1, found \(total)")
    }
    table = AliasTable(weights: weights)
    random = RandomStream(seed: seed, purpose: 0x0b5)
    isOnlyGets = weights[0] == total
  }

  mutating func fill(_ records: UnsafeMutableBufferPointer<TraceRecord>) {
    for index in records.indices {
      records[index].operation = UInt8(truncatingIfNeeded: table.index(random.next()))
    }
  }
}
