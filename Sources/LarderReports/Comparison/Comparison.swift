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
  let unit: CapacityUnit
  let columns: [CapacityColumn]
  let policies: [PolicyName]
  let allRecords: [Record]
  private let records: [Place: [Record]]

  private struct Place: Hashable {
    let policy: String
    let column: String
  }

  static func all(in records: [Record]) -> [Comparison] {
    records.grouped { [$0.cell.configuration, $0.cell.trace, $0.cell.unit.rawValue] }
      .map { Comparison($0.elements) }
  }

  private init(_ group: [Record]) {
    let (cell, cells) = (group[0].cell, group.map(\.cell))
    (configuration, kind, trace, unit) = (cell.configuration, cell.kind, cell.trace, cell.unit)
    columns = CapacityColumn.columns(of: cells)
    policies = cells.map(\.policy).distinct.map { PolicyName($0) }
    let title = CapacityColumn.titles(of: cells)
    records = Dictionary(grouping: group) {
      Place(policy: $0.cell.policy, column: title($0.cell))
    }.mapValues { $0.sorted { $0.cell.seed < $1.cell.seed } }
    allRecords = group
  }

  var countsBytes: Bool { unit == .bytes }

  var hasPrefixes: Bool { allRecords.allSatisfy { $0.prefix != nil } }

  var mainMetric: Metric { hasPrefixes ? .prefixHitRatio : .hitRatio }

  var hitMetrics: [Metric] {
    hasPrefixes ? [.prefixHitRatio, .prefixTokens, .blockHitRatio] : [.hitRatio]
  }

  var competitors: [PolicyName] { policies.filter { !$0.isOffline } }

  var offline: [PolicyName] { policies.filter(\.isOffline) }

  /// The default that `policy` is compared with: LRU, else FIFO.
  func baseline(for policy: PolicyName?) -> PolicyName? {
    let others = competitors.filter { $0.isBaseline && $0 != policy }
    return others.first { $0.bases.allSatisfy { $0 == "lru" } } ?? others.first
  }

  func records(_ policy: PolicyName, _ column: Int) -> [Record] {
    records[Place(policy: policy.text, column: columns[column].title)] ?? []
  }

  func records(_ policy: PolicyName) -> [Record] { columns.indices.flatMap { records(policy, $0) } }

  func spread(_ policy: PolicyName, _ column: Int, of value: (Record) -> Double?) -> Spread? {
    Spread(records(policy, column), of: value)
  }

  func has(_ value: (Record) -> Double?) -> Bool { allRecords.contains { value($0) != nil } }

  /// True if Belady's rule bounds every policy that stores what it fetches. It ignores sizes,
  /// predicts blocks and not prefixes, and predicts neither a second tier nor changes of entries.
  private var hasBeladyBound: Bool {
    !countsBytes && !hasPrefixes && kind != .hybrid
      && allRecords.allSatisfy { record in
        record.counts.expirations == 0 && record.counts.sets == 0 && record.counts.deletes == 0
      }
  }

  /// The name of a policy, marked if it is not a choice: a bound, or a policy that knows the future
  /// and is no bound here.
  func title(of policy: PolicyName) -> String {
    if policy.isUpperBound { return "\(policy.text) (upper bound)" }
    guard policy.isOffline else { return policy.text }
    let isBound = policy.bases.allSatisfy { $0 == "belady" } && hasBeladyBound
    return "\(policy.text) (\(isBound ? "bound" : "knows the future"))"
  }

  func name(of policy: PolicyName) -> Inline {
    policy.isOffline ? .text(title(of: policy)) : .code(policy.text)
  }

  /// A row for each policy, a column for each capacity: the mean over the seeds, with the range if
  /// the seeds differ. The best is marked unless all are equal; policies that know the future are
  /// at the end and never marked.
  func table(of metric: Metric, showsRange: Bool = true) -> Table {
    func text(_ policy: PolicyName, _ column: Int) -> String? {
      guard let spread = spread(policy, column, of: metric.value),
        let mean = metric.cell(spread.mean)
      else { return nil }
      guard showsRange, spread.varies, let low = metric.cell(spread.smallest),
        let high = metric.cell(spread.largest), low != high
      else { return mean }
      return "\(mean) (\(low)–\(high))"
    }
    let ranking = Ranking(self, by: metric)
    return Table(
      competitors.sorted(byKey: ranking.meanDeficit) + offline,
      [.init("policy") { name(of: $0) }]
        + columns.indices.map { column in
          let best = ranking.best(column)
          let isMarked = metric.better != .none && best.count < ranking.entries[column].count
          return Column<PolicyName>(columns[column].title) { policy in
            guard let text = text(policy, column) else { return Table.none }
            return isMarked && best.contains(policy) ? .strong(text) : .text(text)
          }
        })
  }
}

/// A capacity as a column of a table. A share of the footprint is one column even if the footprints
/// of seeds differ, and with them the number of objects or bytes.
struct CapacityColumn {
  /// The capacity as written, with memory's capacity if only that distinguishes columns.
  let title: String
  let smallest: UInt64
  let largest: UInt64

  static func columns(of cells: [Cell]) -> [CapacityColumn] {
    cells.grouped(by: titles(of: cells)).map { title, cells in
      let capacities = cells.map(\.capacity)
      return CapacityColumn(
        title: title, smallest: capacities.min() ?? 0, largest: capacities.max() ?? 0)
    }.sorted(byKey: \.smallest)
  }

  /// Titles of cells: labels, with memory's capacity if one disk is behind different memories.
  static func titles(of cells: [Cell]) -> (Cell) -> String {
    let runs = cells.grouped { [$0.capacityLabel, $0.policy, "\($0.seed)"] }
    let split = Set(
      runs.filter { Set($0.elements.map(\.memoryCapacity)).count > 1 }.map { $0.key[0] })
    return { cell in
      let memory = split.contains(cell.capacityLabel) ? cell.memoryCapacity : nil
      return cell.capacityLabel + (memory.map { " after \(NumberText.grouped($0))" } ?? "")
    }
  }

  /// The capacity in words: `1 000 objects`, or a range if seeds differ.
  func description(_ unit: CapacityUnit) -> String {
    let amounts = [smallest, largest].distinct.map {
      NumberText.capacity($0, bytes: unit == .bytes)
    }
    return amounts.joined(separator: " to ") + (unit == .bytes ? "" : " objects")
  }
}

/// The parsed name of a policy: `lru`, `s3-fifo:small=0.2`, or `lru+fifo` for a hybrid.
struct PolicyName: Hashable {
  let text: String
  /// The names without parameters, one for each tier.
  let bases: [String]

  init(_ text: String) {
    self.text = text
    bases = text.split(separator: "+", omittingEmptySubsequences: false).map { part in
      String(part.prefix { $0 != ":" })
    }
  }

  /// Simplicity of the policies of all tiers together.
  var simplicity: Simplicity {
    // A name from another library need not be a specification.
    Simplicity(
      of: bases.map { PolicyCost.of($0) }, parameters: text.count { $0 == ":" },
      isLRU: bases.allSatisfy { $0 == "lru" } && !text.contains(":"))
  }

  var isOffline: Bool { bases.contains { PolicyRegistry.needsFuture(named: $0) } }

  static let offline = (PolicyRegistry.standard + PolicyRegistry.bounds).map(\.description.name)
    .filter { PolicyRegistry.needsFuture(named: $0) }

  var isUpperBound: Bool { text == "pfoo-u" }

  var isBaseline: Bool {
    !text.contains(":")
      && (bases.allSatisfy { $0 == "lru" } || bases.allSatisfy { $0 == "fifo" }
        || bases == ["lru", "fifo"])
  }
}

/// A quantity of records by which policies are ranked, marked and drawn.
struct Metric: Sendable {
  enum Better: Sendable {
    case higher, lower, none
  }

  let name: String
  let title: String
  let unit: ChartUnit
  let better: Better
  let value: @Sendable (Record) -> Double?

  init(
    _ name: String, title: String? = nil, unit: ChartUnit = .percent, better: Better = .higher,
    value: @escaping @Sendable (Record) -> Double?
  ) {
    self.name = name
    self.title = title ?? name
    self.unit = unit
    self.better = better
    self.value = value
  }

  static let hitRatio = Metric("hit ratio") { $0.counts.freshHitRatio }

  static let prefixHitRatio = Metric("prefix hit ratio") { $0.prefixHitRatio }

  static let prefixTokens = Metric(
    "share of tokens not computed", title: "tokens not computed"
  ) { $0.prefix?.tokenShare }

  static let blockHitRatio = Metric("block hit ratio", better: .none) { $0.counts.hitRatio }

  static let byteHitRatio = Metric("byte hit ratio") {
    $0.cell.unit == .bytes ? $0.counts.byteHitRatio : nil
  }

  static let costSaved = Metric("cost saved") { $0.counts.cost?.savedRatio }

  static let accessTime = Metric(
    "modelled mean access time", title: "mean access time: modelled, not measured",
    unit: .nanoseconds, better: .lower
  ) { $0.modelled.map { $0.meanMicroseconds * 1000 } }

  static let accessTime99 = Metric(
    "99th percentile", title: "99th percentile of the access time: modelled, not measured",
    unit: .nanoseconds, better: .lower
  ) { $0.modelled.map { $0.p99Microseconds * 1000 } }

  static func share(
    _ name: String, _ better: Better = .none, of part: @escaping @Sendable (Counts) -> UInt64
  ) -> Metric {
    Metric(name, better: better) { $0.share(part) }
  }

  /// A value in a table: a share without its unit, which is in the title.
  func cell(_ value: Double) -> String? {
    isShare ? NumberText.fixed(value * 100, decimals: 2) : unit.value(value)
  }

  /// True if a difference is more than noise: 0.2 percentage points of a share, 1 % of `value` for
  /// anything else.
  func matters(_ gap: Double, at value: Double) -> Bool {
    isShare ? Choice.isBetter(gap, than: 0) : gap > value.magnitude * 0.01
  }

  /// The difference between two values: in points for shares, else in per cent of `other`.
  func gap(_ own: Double, _ other: Double) -> String {
    let change = abs(own - other)
    if isShare { return ChartUnit.points.value(change) }
    guard other != 0, let share = NumberText.fixed(change / abs(other) * 100, decimals: 1) else {
      return unit.value(change)
    }
    return "\(share) %"
  }

  /// Values of which the smallest is the best.
  func key(_ value: Double) -> Double { better == .lower ? value : -value }

  private var isShare: Bool { unit == .percent || unit == .points }
}

struct Spread: Hashable {
  let mean: Double
  let median: Double
  let smallest: Double
  let largest: Double

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
    (self.smallest, self.largest) = (smallest, largest)
  }

  /// The spread of a quantity; nil if an item does not have it.
  init?<Item>(_ items: [Item], of value: (Item) -> Double?) {
    let values = items.compactMap(value)
    guard values.count == items.count else { return nil }
    self.init(values)
  }

  var varies: Bool { smallest != largest }

  /// The range; nil if all values are equal.
  var range: ClosedRange<Double>? { varies ? smallest...largest : nil }
}

extension ChartUnit {
  /// A mean, with the range if there are several values.
  func value(_ spread: Spread) -> String {
    guard spread.varies else { return value(spread.mean) }
    return "\(value(spread.mean)) (\(value(spread.smallest)) to \(value(spread.largest)))"
  }

  /// The range of values: `1 to 2 %`.
  func range(_ values: [Double]) -> String {
    guard let least = values.min(), let most = values.max() else { return "none" }
    let (low, high) = (value(least), value(most))
    return low == high ? low : "\(low.dropLast(2)) to \(high)"
  }
}

extension Record {
  func share(_ part: (Counts) -> UInt64) -> Double? {
    counts.requests == 0 ? nil : Double(part(counts)) / Double(counts.requests)
  }
}
