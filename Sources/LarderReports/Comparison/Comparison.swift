import LarderSimulation
import LarderWorkloads

/// The records of one configuration over one trace, laid out for comparing: a line a policy, a
/// column a capacity, and in each place the records of all seeds.
struct Comparison {
  /// The configuration's name.
  let configuration: String
  /// Which shape it is.
  let kind: ConfigurationKind
  /// The trace's name.
  let trace: String
  /// True when capacities are bytes; otherwise objects.
  let countsBytes: Bool
  /// The capacities, smallest first.
  let columns: [CapacityColumn]
  /// The policies, in the order of the plan.
  let policies: [PolicyName]
  /// The records of a policy and a column, by seed.
  private let records: [Place: [Record]]

  private struct Place: Hashable {
    let policy: String
    let column: Int
  }

  /// The comparisons that `records` contain, in the order in which they first appear. Linear in
  /// the number of records but for sorting.
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

  /// True where prefixes of prompts are counted.
  var hasPrefixes: Bool { allRecords.allSatisfy { $0.prefix != nil } }

  /// What policies are ranked by.
  var mainMetric: Metric { hasPrefixes ? .prefixHitRatio : .hitRatio }

  /// What the tables of hits show, the main metric first.
  var hitMetrics: [Metric] {
    hasPrefixes ? [.prefixHitRatio, .prefixTokens, .blockHitRatio] : [.hitRatio]
  }

  /// The policies that a real cache can use.
  var competitors: [PolicyName] { policies.filter { !$0.isOffline } }

  /// What `policy` is measured against: what people use without thinking, LRU before FIFO.
  func baseline(for policy: PolicyName) -> PolicyName? {
    let others = competitors.filter { $0.isBaseline && $0 != policy }
    return others.first { $0.bases.allSatisfy { $0 == "lru" } } ?? others.first
  }

  /// The policies that look into the future.
  var offline: [PolicyName] { policies.filter(\.isOffline) }

  /// The records of all seeds; empty when none finished.
  func records(_ policy: PolicyName, _ column: Int) -> [Record] {
    records[Place(policy: policy.text, column: column)] ?? []
  }

  /// The records of a policy at all capacities.
  func records(_ policy: PolicyName) -> [Record] {
    columns.indices.flatMap { records(policy, $0) }
  }

  /// All records.
  var allRecords: [Record] { policies.flatMap { records($0) } }

  /// A quantity over the seeds, or nil where a record is missing or does not have it.
  func spread(
    _ policy: PolicyName, _ column: Int, of value: (Record) -> Double?
  ) -> Spread? {
    let records = records(policy, column)
    let values = records.compactMap(value)
    return values.count == records.count ? Spread(values) : nil
  }

  /// Why Belady's rule is no bound for the other policies here, or nil when it is one for every
  /// policy that stores what it fetches.
  var beladyCaveat: String? {
    if countsBytes {
      return "it ignores sizes, so with objects of different sizes it is not a bound"
    }
    if hasPrefixes {
      return "it foresees blocks and not prefixes, so here it is a reference and not a bound"
    }
    if kind == .hybrid { return "over two tiers it is a reference and not a bound" }
    let changes = allRecords.contains { record in
      record.counts.expirations > 0 || record.counts.sets > 0 || record.counts.deletes > 0
    }
    return changes
      ? "it does not foresee expiry, sets and deletes, so here it is a reference and not a bound"
      : nil
  }

  /// A policy's name, marked where it is no choice: as a bound, or as one that knows the future and
  /// is none here.
  func title(of policy: PolicyName) -> String {
    if policy.isUpperBound { return "\(policy.text) (upper bound)" }
    guard policy.isOffline else { return policy.text }
    let isBound = policy.isBelady && beladyCaveat == nil
    return "\(policy.text) (\(isBound ? "bound" : "knows the future"))"
  }

  /// True when at least one record has the quantity.
  func has(_ value: (Record) -> Double?) -> Bool {
    allRecords.contains { value($0) != nil }
  }
}
