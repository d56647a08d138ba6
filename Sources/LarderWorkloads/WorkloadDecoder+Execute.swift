import Larder
import LarderEngine

extension WorkloadDecoder {
  /// How real caches are driven.
  func execution(_ map: YAMLMap) throws(WorkloadError) -> ExecutionSpec {
    var spec = ExecutionSpec()
    if let threads = map["threads"] { spec.threads = try self.threads(threads) }
    if let load = map["load"] { spec.load = try self.load(load) }
    if let origin = map["origin"] {
      spec.origin = try origin.choice(of: ExecutionSpec.OriginTime.self)
    }
    if let verify = map["verify"] {
      spec.verification = try verify.choice(of: ExecutionSpec.Verification.self)
    }
    if let size = map["value-size"] {
      spec.valueBytes = UInt32(try bytes(size, in: 1...(1 << 30), such: "100B or 4KiB"))
    }
    if let pageCache = map["page-cache"] {
      spec.pageCache = try pageCache.choice(of: ExecutionSpec.PageCache.self)
    }
    if let durability = map["durability"] {
      spec.durability = try durability.choice(of: DiskDurability.self)
    }
    if let inline = map["inline"] {
      spec.inlineBytesMax = Int(try bytes(inline, in: 0...Self.inlineMax, such: "20KiB"))
    }
    if let hashing = map["hashing"] {
      spec.hashing = try hashing.choice(of: HashingWord.self).hashing
    }
    if let shards = map["shards"] { spec.shards = try self.shards(shards) }
    if let pressure = map["pressure"] {
      spec.pressure = try pressure.items(orSingle: [.object], of: "maps with the keys at and level")
        .map { item throws(WorkloadError) in try self.pressure(item) }
    }
    return spec
  }

  /// Which cells are executed, or timed: each name must be one that the workload has.
  func executionFilter(
    _ map: YAMLMap, of workload: Workload, toBe done: String = "executed"
  ) throws(WorkloadError) -> ExecutionFilter {
    var filter = ExecutionFilter()
    if let names = map["configurations"] {
      filter.configurations = try picked(
        names, of: "configurations",
        among: workload.configurations.flatMap { [$0.name, $0.unguardedName] }.map { ($0, $0) },
        toBe: done
      ) { item throws(WorkloadError) in try item.text(expected: "the name of a configuration") }
    }
    if let names = map["policies"] {
      filter.policies = try picked(
        names, of: "policies", among: workload.policies.map { ($0.description, $0) }, toBe: done
      ) { item throws(WorkloadError) in try self.policy(item).description }
    }
    if let names = map["capacities"] {
      filter.capacities = try picked(
        names, of: "capacities", among: workload.capacities.map { ($0.description, $0) },
        toBe: done
      ) { item throws(WorkloadError) in
        let amount = try capacity(item, unit: workload.unit).amount
        let same = workload.capacities.first { $0.amount == amount }
        if let same { return same.description }
        return try item.text([.string, .integer, .number], expected: "a capacity")
      }
    }
    return filter
  }

  /// The values that are named, out of those that `known` has under their names.
  private func picked<Value>(
    _ value: YAMLValue, of what: String, among known: [(name: String, value: Value)],
    toBe done: String, name: (YAMLValue) throws(WorkloadError) -> String
  ) throws(WorkloadError) -> [Value] {
    var values: [Value] = []
    for item in try value.items(orSingle: [.string, .integer, .number], of: what) {
      let text = try name(item)
      guard let entry = known.first(where: { $0.name == text }) else {
        let hint = text.nearest(among: known.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
        throw item.error(
          .refused(
            "\(YAMLValue.quoted(text)) is not among the workload's '\(what)', so it cannot be "
              + "\(done)\(hint)"))
      }
      values.append(entry.value)
    }
    return values
  }

  private static var inlineMax: UInt64 { UInt64(DiskConfiguration.inlineBytesLargest) }

  private func threads(_ value: YAMLValue) throws(WorkloadError) -> [Int] {
    var threads: [Int] = []
    for item in try value.items(orSingle: [.integer], of: "numbers of threads") {
      let count = Int(try item.whole(in: 1...256))
      if threads.contains(count) { throw item.error(.refused("\(count) occurs twice")) }
      threads.append(count)
    }
    return threads
  }

  private func shards(_ value: YAMLValue) throws(WorkloadError) -> Int {
    let shards = Int(try value.whole(in: 1...1024))
    guard shards.nonzeroBitCount == 1 else {
      throw value.unexpected("a power of two from 1 to 1024")
    }
    return shards
  }

  private func load(_ value: YAMLValue) throws(WorkloadError) -> ExecutionSpec.Load {
    let expected = "'closed', or a map such as {trace: 2x} or {rate: 5000}"
    guard value.type == .object else {
      guard try value.text(expected: expected) == WorkloadKeys.closedLoad else {
        throw value.unexpected(expected)
      }
      return .closed
    }
    let map = try YAMLMap(value, WorkloadKeys.load, expected: expected)
    switch (map["trace"], map["rate"]) {
    case (let trace?, nil):
      let expected = "a factor relative to the trace's speed, such as 1x or 2.5x"
      let text = try trace.text(expected: expected)
      guard text.hasSuffix("x"), ExactDecimal(text.dropLast()) != nil,
        let speed = Double(text.dropLast().filter { $0 != "_" }), (1e-6...1e9).contains(speed)
      else { throw trace.unexpected(expected) }
      return .trace(speed: speed)
    case (nil, let rate?):
      return .rate(
        perSecond: try rate.number(
          in: 1e-3...1e9, expected: "a number of requests per second above 0"))
    case (nil, nil): throw value.unexpected(expected)
    case (.some, .some):
      throw map.error(at: "rate", .refused("'trace' and 'rate' exclude each other; keep one"))
    }
  }

  private func pressure(_ value: YAMLValue) throws(WorkloadError) -> ExecutionSpec.Pressure {
    let table = WorkloadKeys.pressure
    let map = try YAMLMap(value, table, expected: "a map such as {at: 50%, level: warning}")
    return ExecutionSpec.Pressure(
      at: try share(map.required("at", in: table)),
      level: try map.required("level", in: table).choice(of: PressureWord.self).level)
  }

  private func bytes(
    _ value: YAMLValue, in range: ClosedRange<UInt64>, such example: String
  ) throws(WorkloadError) -> UInt64 {
    let expected = "bytes from \(range.lowerBound) to \(range.upperBound), such as \(example)"
    let text = try value.text([.string, .integer], expected: expected)
    guard let bytes = Quantity.bytes(text) ?? Quantity.whole(text), range.contains(bytes) else {
      throw value.unexpected(expected)
    }
    return bytes
  }
}
