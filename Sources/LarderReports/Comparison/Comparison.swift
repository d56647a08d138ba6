import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderSupport

/// The records of one configuration over one trace: a row for each policy, a column for each
/// capacity, and the records of all seeds in each cell.
struct Comparison {
  let configuration: String
  let kind: ConfigurationKind
  let trace: String
  let countsBytes: Bool
  let columns: [CapacityColumn]
  let policies: [PolicyName]
  private let records: [Place: [Record]]

  private struct Place: Hashable {
    let policy: String
    let column: Int
  }

  static func all(in records: [Record]) -> [Comparison] {
    var order: [Key] = []
    var groups: [Key: [Record]] = [:]
    for record in records {
      let key = Key(record.cell)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(record)
    }
    return order.compactMap { key in groups[key].flatMap { Comparison($0) } }
  }

  private struct Key: Hashable {
    let configuration: String
    let trace: String
    let unit: String

    init(_ cell: Cell) {
      configuration = cell.configuration
      trace = cell.trace
      unit = cell.unit.rawValue
    }
  }

  private init?(_ group: [Record]) {
    guard let first = group.first else { return nil }
    configuration = first.cell.configuration
    kind = first.cell.kind
    trace = first.cell.trace
    countsBytes = first.cell.unit == .bytes
    let columns = CapacityColumn.columns(of: group.map(\.cell))
    self.columns = columns
    var names: [String] = []
    var seen: Set<String> = []
    var records: [Place: [Record]] = [:]
    let numbers = CapacityColumn.numbers(of: columns)
    for record in group {
      if seen.insert(record.cell.policy).inserted { names.append(record.cell.policy) }
      guard let column = numbers[CapacityColumn.Identity(record.cell)] else { continue }
      records[Place(policy: record.cell.policy, column: column), default: []].append(record)
    }
    policies = names.map { PolicyName($0) }
    self.records = records.mapValues { $0.sorted { $0.cell.seed < $1.cell.seed } }
  }

  var hasPrefixes: Bool { allRecords.allSatisfy { $0.prefix != nil } }

  var mainMetric: Metric { hasPrefixes ? .prefixHitRatio : .hitRatio }

  var hitMetrics: [Metric] {
    hasPrefixes ? [.prefixHitRatio, .prefixTokens, .blockHitRatio] : [.hitRatio]
  }

  var competitors: [PolicyName] { policies.filter { !$0.isOffline } }

  /// The default that `policy` is compared with: LRU, else FIFO.
  func baseline(for policy: PolicyName) -> PolicyName? {
    let others = competitors.filter { $0.isBaseline && $0 != policy }
    return others.first { $0.bases.allSatisfy { $0 == "lru" } } ?? others.first
  }

  var offline: [PolicyName] { policies.filter(\.isOffline) }

  func records(_ policy: PolicyName, _ column: Int) -> [Record] {
    records[Place(policy: policy.text, column: column)] ?? []
  }

  func records(_ policy: PolicyName) -> [Record] {
    columns.indices.flatMap { records(policy, $0) }
  }

  var allRecords: [Record] { policies.flatMap { records($0) } }

  /// A quantity over the seeds; nil if a record is missing or does not have it.
  func spread(
    _ policy: PolicyName, _ column: Int, of value: (Record) -> Double?
  ) -> Spread? {
    let records = records(policy, column)
    let values = records.compactMap(value)
    return values.count == records.count ? Spread(values) : nil
  }

  /// The reason why Belady's rule is no bound for the other policies here; nil if it bounds every
  /// policy that stores what it fetches.
  var beladyCaveat: String? {
    if countsBytes {
      return "it ignores sizes, so with objects of different sizes it is not a bound"
    }
    if hasPrefixes {
      return "it predicts blocks and not prefixes, so here it is a reference and not a bound"
    }
    if kind == .hybrid { return "over two tiers it is a reference and not a bound" }
    let changes = allRecords.contains { record in
      record.counts.expirations > 0 || record.counts.sets > 0 || record.counts.deletes > 0
    }
    return changes
      ? "it does not predict expiry, sets and deletes, so here it is a reference and not a bound"
      : nil
  }

  func title(of policy: PolicyName) -> String {
    if policy.isUpperBound { return "\(policy.text) (upper bound)" }
    guard policy.isOffline else { return policy.text }
    let isBound = policy.isBelady && beladyCaveat == nil
    return "\(policy.text) (\(isBound ? "bound" : "knows the future"))"
  }

  func has(_ value: (Record) -> Double?) -> Bool {
    allRecords.contains { value($0) != nil }
  }
}

/// A capacity as a column of a table. A share of the footprint is one column even if the footprints
/// of seeds differ, and with them the number of objects or bytes.
struct CapacityColumn {
  /// The capacity as written, with memory's capacity if only that distinguishes columns.
  let title: String
  let smallest: UInt64
  let largest: UInt64
  private let identities: [Identity]

  struct Identity: Hashable {
    let label: String
    let capacity: UInt64
    let memory: UInt64?

    init(_ cell: Cell) {
      label = cell.capacityLabel
      capacity = cell.capacity
      memory = cell.memoryCapacity
    }
  }

  static func columns(of cells: [Cell]) -> [CapacityColumn] {
    let split = labelsToSplit(cells)
    var order: [String] = []
    var groups: [String: [Identity]] = [:]
    for cell in cells {
      var title = cell.capacityLabel
      if split.contains(title), let memory = cell.memoryCapacity {
        title += " after \(NumberText.grouped(memory))"
      }
      let identity = Identity(cell)
      if groups[title] == nil { order.append(title) }
      if groups[title]?.contains(identity) != true {
        groups[title, default: []].append(identity)
      }
    }
    let columns = order.map { CapacityColumn(title: $0, identities: groups[$0] ?? []) }
    return columns.enumerated().sorted { left, right in
      (left.element.sortKey, left.offset) < (right.element.sortKey, right.offset)
    }.map(\.element)
  }

  static func numbers(of columns: [CapacityColumn]) -> [Identity: Int] {
    var numbers: [Identity: Int] = [:]
    for (number, column) in columns.enumerated() {
      for identity in column.identities { numbers[identity] = number }
    }
    return numbers
  }

  func description(bytes: Bool) -> String {
    func amount(_ value: UInt64) -> String {
      NumberText.capacity(value, bytes: bytes)
    }
    let text =
      smallest == largest ? amount(smallest) : "\(amount(smallest)) to \(amount(largest))"
    return bytes ? text : text + " objects"
  }

  private init(title: String, identities: [Identity]) {
    self.title = title
    self.identities = identities
    smallest = identities.map(\.capacity).min() ?? 0
    largest = identities.map(\.capacity).max() ?? 0
  }

  private var sortKey: UInt64 { smallest }

  /// Labels that have several memory capacities within one seed: a hybrid with one disk behind
  /// different memories.
  private static func labelsToSplit(_ cells: [Cell]) -> Set<String> {
    struct Run: Hashable {
      let label: String
      let policy: String
      let seed: UInt64
    }
    var first: [Run: UInt64?] = [:]
    var labels: Set<String> = []
    for cell in cells {
      let run = Run(label: cell.capacityLabel, policy: cell.policy, seed: cell.seed)
      if let known = first[run], known != cell.memoryCapacity { labels.insert(run.label) }
      if first[run] == nil { first[run] = .some(cell.memoryCapacity) }
    }
    return labels
  }
}

/// The parsed name of a policy: `lru`, `s3-fifo:small=0.2`, or `lru+fifo` for a hybrid.
struct PolicyName: Hashable {
  let text: String
  let bases: [String]

  init(_ text: String) {
    self.text = text
    bases = text.split(separator: "+", omittingEmptySubsequences: false).map { part in
      String(part.prefix { $0 != ":" })
    }
  }

  var isOffline: Bool { bases.contains { PolicyRegistry.needsFuture(named: $0) } }

  static let offline = (PolicyRegistry.standard + PolicyRegistry.bounds).map(\.description.name)
    .filter { PolicyRegistry.needsFuture(named: $0) }

  var isUpperBound: Bool { text == "pfoo-u" }

  var isBelady: Bool { bases.allSatisfy { $0 == "belady" } }

  var hasParameters: Bool { text.contains(":") }

  var isBaseline: Bool {
    guard !hasParameters else { return false }
    return bases.allSatisfy { $0 == "lru" } || bases.allSatisfy { $0 == "fifo" }
      || bases == ["lru", "fifo"]
  }
}

enum Better: Sendable {
  case higher
  case lower
  case none
}

struct Metric: Sendable {
  let title: String
  let name: String
  let unit: ChartUnit
  let better: Better
  let value: @Sendable (Record) -> Double?

  static let hitRatio = Metric(
    title: "hit ratio", name: "hit ratio", unit: .percent, better: .higher
  ) { $0.counts.freshHitRatio }

  static let prefixHitRatio = Metric(
    title: "prefix hit ratio", name: "prefix hit ratio", unit: .percent, better: .higher
  ) { $0.prefixHitRatio }

  static let prefixTokens = Metric(
    title: "tokens not computed", name: "share of tokens not computed", unit: .percent,
    better: .higher
  ) { $0.prefix?.tokenShare }

  static let blockHitRatio = Metric(
    title: "block hit ratio", name: "block hit ratio", unit: .percent, better: .none
  ) { $0.counts.hitRatio }

  static let byteHitRatio = Metric(
    title: "byte hit ratio", name: "byte hit ratio", unit: .percent, better: .higher
  ) { $0.cell.unit == .bytes ? $0.counts.byteHitRatio : nil }

  static func tier(
    _ name: String, of part: @escaping @Sendable (Counts) -> UInt64
  ) -> Metric {
    Metric(title: name, name: name, unit: .percent, better: .none) {
      $0.cell.kind == .hybrid ? $0.share(part) : nil
    }
  }

  static let accessTime = Metric(
    title: "mean access time: modelled, not measured", name: "modelled mean access time",
    unit: .nanoseconds, better: .lower
  ) { $0.modelled.map { $0.meanMicroseconds * 1000 } }

  static func share(
    _ name: String, _ better: Better = .none, of part: @escaping @Sendable (Counts) -> UInt64
  ) -> Metric {
    Metric(title: name, name: name, unit: .percent, better: better) { $0.share(part) }
  }

  func cell(_ value: Double) -> String? {
    guard isShare else { return unit.value(value) }
    return NumberText.fixed(value * 100, decimals: 2)
  }

  /// The smallest difference that matters: 0.2 percentage points of a share, 1 % of `value` for
  /// anything else.
  func noise(at value: Double) -> Double {
    isShare ? Self.noisePoints / 100 : value.magnitude * 0.01
  }

  static let noisePoints = 0.2

  func gap(_ own: Double, _ other: Double) -> String {
    let change = abs(own - other)
    if isShare { return ChartUnit.points.value(change) }
    guard other != 0, let share = NumberText.fixed(change / abs(other) * 100, decimals: 1) else {
      return unit.value(change)
    }
    return "\(share) %"
  }

  private var isShare: Bool { unit == .percent || unit == .points }
}

struct Spread: Hashable {
  let mean: Double
  let median: Double
  let smallest: Double
  let largest: Double
  let count: Int

  init?(_ values: [Double]) {
    guard let smallest = values.min(), let largest = values.max(),
      values.allSatisfy(\.isFinite)
    else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    // Summed in sorted order, so the result does not depend on the order of records.
    mean = smallest == largest ? smallest : sorted.reduce(0, +) / Double(sorted.count)
    median =
      sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    self.smallest = smallest
    self.largest = largest
    count = sorted.count
  }

  var varies: Bool { smallest != largest }
}
